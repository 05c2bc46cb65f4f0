package words

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// What a listener hears while the game cannot be reached, and when a hint's time is over.
const (
	ServiceLost = "the service does not answer: waiting for it"
	ServiceBack = "the service is back"

	HintEnded = "the hint has ended"
)

func LeftOut(n int) string { return count(n, "earlier message") + " left out" }

// Narrator says what has changed from one view of a game to the next: every disc, and how rounds and
// matches end, even if views are skipped.
type Narrator struct {
	// Say says a text. must reports that nobody may miss it: a disc, or how a round ended.
	Say func(text string, must bool)
	// Board shows the board at the start and the end of a round. If it is nil, the discs that are on
	// the board at the start are described.
	Board func(board.Position)
	Plays bool // the listener plays, and is "you" against the computer
	Brief bool // discs and rounds in few words; for a listener who knows the rules
	Last  game.View

	puzzles  int    // how many puzzles were shown
	looked   string // what was last said of a look back
	numbered bool   // each disc has its number, and no board is shown before them
}

func (n *Narrator) sentence(text string, must bool) { n.Say(Sentence(text)+".", must) }

// Tell says what has changed since the last view.
func (n *Narrator) Tell(view game.View) {
	if view.Solving.On && view.Phase == game.Fall { // a wrong disc is taken back
		n.Last.Notice = game.Notice{} // and refused again
		return
	}
	was, v := n.Last, &n.Last
	*v = view
	switch {
	case v.Lost && !was.Lost:
		n.sentence(ServiceLost, true)
		return
	case v.Lost:
		return
	case was.Lost:
		n.sentence(ServiceBack, true)
	}
	if was.UnderWay && (v.ID != was.ID || !v.UnderWay && v.Match.Winner() == board.Empty) {
		text := MatchEnded
		if v.ID == was.ID && v.Record.Left {
			text = MatchWaits
		}
		n.sentence(text, true)
	}
	switch {
	case v.Phase == game.Looking:
		n.look(&was, v)
		return
	case v.Phase == game.Making:
		return
	case !v.Phase.InMatch() && !v.UnderWay && v.Phase != game.Over:
		if was == (game.View{}) {
			n.sentence(Status(v), false)
		}
		return
	case v.ID != was.ID && v.Solving.On:
		n.puzzles++
		n.Say(NumberedPuzzle(n.puzzles, v.Game.Position(), v.Solving.Discs), false)
		n.position(v.Game.Position())
	case v.ID != was.ID, v.UnderWay && !was.UnderWay: // the second is resumed in the menu
		n.match(v)
		if v.ID != was.ID && v.Counted {
			n.result(v.Record)
		}
	default:
		n.since(was.Record, v.Record)
	}
	n.seats(&was, v)
	switch {
	case v.Solving.On && v.Phase == game.Cheer && was.Phase != game.Cheer:
		n.sentence(ended(v), true)
		n.sentence(Line(v.Game.Position(), v.Computer), true)
		n.show(v.Game.Position())
	case v.Phase == game.Hinting && was.Phase != game.Hinting:
		n.Hint()
	}
}

// Match says who played a finished match, every disc, and how each round and the match ended.
func (n *Narrator) Match(r game.Record) {
	r = r.Count()
	n.Last.Record, n.numbered = r, true
	n.sentence(ofMatch(&n.Last, false), false)
	n.round(r.Start())
	n.since(r.Start(), r)
	if r.Match.Winner() == board.Empty {
		n.Say(GivenUp(r.Match), true)
	}
}

// match introduces a match that begins or goes on.
func (n *Narrator) match(v *game.View) {
	begins := !v.UnderWay || !v.Begun()
	switch {
	case !begins:
		n.sentence("the match goes on: "+Now(v, n.Plays), false)
	case !n.Brief:
		n.sentence(ofMatch(v, n.Plays), false)
	}
	if v.Replaces() {
		n.sentence(ReplacesSaved, true)
	}
	if begins {
		n.round(v.Record)
	} else {
		n.position(v.Game.Position())
	}
}

func (n *Narrator) Hint() { n.sentence(Hint(&n.Last, n.Brief), false) }

// look describes a step while somebody looks back at a match.
func (n *Narrator) look(was, v *game.View) {
	if v.Look.Hurries() {
		return
	}
	if was.Phase != game.Looking {
		n.looked = ""
		n.sentence("looking back", true)
	}
	switch text := looked(v, n.disc(v.Board(), ": ")); {
	case text != n.looked:
		n.looked = text
		n.Say(text, false)
	case v.Look.Plays && !was.Look.Plays:
		n.Say("playing", false)
	case was.Look.Plays && !v.Look.Plays:
		n.Say("stopped", false)
	}
}

// since says what has happened in a match since an earlier moment of it: which discs were taken back and dropped,
// and how rounds began and ended. The views of whole rounds may have been skipped.
func (n *Narrator) since(was, now game.Record) {
	for match, g := range now.Replay() {
		r := now
		r.Match, r.Game, r.Counted = match, g, false
		if r.Round() < was.Round() {
			continue
		}
		if r.Round() > was.Round() {
			was = r
			was.Game = match.NewGame()
			n.round(was)
		}
		n.discs(was.Game, g)
		if counted := r.Count(); (now.Counted || r.Round() < now.Round()) && counted.Match.Played() > was.Match.Played() && !n.Last.Solving.On {
			n.result(counted)
		}
	}
}

func (n *Narrator) round(r game.Record) {
	if n.Brief {
		n.Say(r.Match.Rules().Name(r.Game.Starter())+" starts", false)
	} else {
		n.sentence(Starts(r, r.Round()), false)
	}
	if !n.numbered {
		n.position(r.Game.Position())
	}
}

// position says what is on the board, unless it is empty and is not shown.
func (n *Narrator) position(p board.Position) {
	if n.show(p); n.Board == nil && p.Ply() > 0 {
		for _, text := range OnBoard(p) {
			n.Say(text, false)
		}
	}
}

func (n *Narrator) show(p board.Position) {
	if n.Board != nil {
		n.Board(p)
	}
}

// discs announces the discs that were taken back and dropped between two moments of a round.
func (n *Narrator) discs(was, now board.Game) {
	var back []string
	for ; !strings.HasPrefix(now.String(), was.String()); _ = was.Undo() { // it has discs
		back = append(back, n.disc(was, ", "))
	}
	if back != nil {
		n.sentence(Back(back...), true)
	}
	for ply := was.Position().Ply(); ply < now.Position().Ply(); ply++ {
		_ = was.Play(now.Move(ply)) // it was played
		text := n.disc(was, ": ")
		if n.numbered {
			text = fmt.Sprintf("disc %d, %s", ply+1, text)
		}
		n.Say(text, true)
	}
}

// disc announces the last disc, with the separator before its cell.
func (n *Narrator) disc(g board.Game, separator string) string {
	if n.Brief {
		return briefMove(g)
	}
	return last(g, n.Last.Computer, separator)
}

// result announces how the last round of a match ended and, if the match is over, how that ended.
func (n *Narrator) result(r game.Record) {
	position, computer := r.Game.Position(), you(&n.Last, n.Plays)
	n.show(position)
	for _, text := range []string{
		Line(position, computer), Round(r.Match, position.Outcome(), computer), Person(r, n.Last.Seats), Match(r.Match),
	} {
		if text != "" {
			n.Say(text, true)
		}
	}
}

// seats says who may drop each player's discs, if that has changed.
func (n *Narrator) seats(was, v *game.View) {
	for i, seat := range v.Seats {
		player := board.Red + board.Disc(i)
		if seat != was.Seats[i] && (v.ID == was.ID || seat.State != game.Open) && v.UnderWay {
			rules := v.Match.Rules()
			open := rules.Name(player) + "'s seat is open: anyone may drop its discs"
			n.sentence(cmp.Or(Seat(rules, player, seat), open), true)
		}
	}
}
