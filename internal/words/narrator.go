package words

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Narrator says what has changed from one view of a game to the next: every disc, and how rounds and
// matches end, even if views are skipped.
type Narrator struct {
	// Say says a text. must reports that nobody may miss it: a disc, or how a round ended.
	Say func(text string, must bool)
	// Board shows the board at the start and the end of a round. If it is nil, the discs that are on
	// the board at the start are described.
	Board func(board.Position)
	// Commands says what can be typed in a match or a puzzle. It is nil if the listener only watches.
	Commands func(puzzle bool)
	Brief    bool // discs and rounds in few words; for a listener who knows the rules
	Last     game.View

	puzzles int // how many puzzles were shown
}

func (n *Narrator) sentence(text string, must bool) { n.Say(Sentence(text)+".", must) }

// Tell says what has changed since the last view.
func (n *Narrator) Tell(v game.View) {
	if v.Solving.On && v.Phase == game.Fall {
		return // a wrong disc is taken back
	}
	was := n.Last
	n.Last = v
	if was.UnderWay && (!v.UnderWay || v.ID != was.ID) && (v.ID != was.ID || v.Match.Winner() == board.Empty) {
		if v.ID == was.ID && v.Record.Left {
			n.sentence(MatchWaits, true)
		} else {
			n.sentence(MatchEnded, true)
		}
	}
	switch {
	case v.Phase == game.Attract, v.Phase == game.Menu, v.Phase == game.Dark && !v.UnderWay:
		if was == (game.View{}) {
			n.sentence(Status(&v), false)
		}
		return
	case v.Phase == game.Looking:
		n.look(was, v)
		return
	case v.Phase == game.Making:
		return
	case v.ID != was.ID && v.Solving.On:
		n.puzzle(&v)
	case v.ID != was.ID, v.UnderWay && !was.UnderWay: // the second is resumed in the menu
		n.match(&v)
	case v.Round() != was.Round():
		n.rounds(was.Record, v.Record)
	default:
		n.discs(was.Record, v.Game)
	}
	n.seats(was, v)
	switch {
	case v.Solving.On && v.Phase == game.Cheer && was.Phase != game.Cheer:
		n.sentence(Title(&v), true)
		n.sentence(yourLine(v.Game.Position(), v.Computer), true)
		n.show(v.Game.Position())
	case v.Counted && !v.Solving.On:
		n.result(was.Record, v.Record, v.Game)
	case v.Phase == game.Hinting && was.Phase != game.Hinting:
		n.Hint()
	}
}

// Match says who played a finished match, every disc, and how each round and the match ended.
func (n *Narrator) Match(r game.Record) {
	n.terms(r.Match, Computer(r))
	var end board.Match
	for m, g := range r.Replay() {
		begins := r
		begins.Match, begins.Game = m, m.NewGame()
		n.sentence(Starts(begins, begins.Round()), true)
		n.drops(g, 0, r.Computer, true)
		if g.Position().Ply() > 0 {
			n.show(g.Position())
		}
		var err error
		if end, err = m.Record(g); err == nil {
			n.Say(Round(end, g.Position().Outcome()), true)
		}
	}
	n.Say(cmp.Or(Match(end), GivenUp(end)), true)
}

// match introduces a match that begins or goes on.
func (n *Narrator) match(v *game.View) {
	plays, goesOn := n.Commands != nil, v.UnderWay && v.Begun()
	players := Computer(v.Record)
	switch {
	case goesOn:
		players = "" // named below
	case plays:
		players = Opponents(v)
	}
	n.terms(v.Match, players)
	if plays {
		n.Commands(false)
	}
	if v.Replaces() {
		n.sentence(ReplacesSaved, true)
	}
	if !goesOn {
		n.round(v.Record)
		return
	}
	n.sentence(GoesOn(v, plays), false)
	n.position(v.Game.Position())
}

// terms says what wins a match and, if players is not empty, who plays.
func (n *Narrator) terms(m board.Match, players string) {
	if n.Brief {
		return
	}
	n.sentence(Rules(m), false)
	if players != "" {
		n.sentence(players, false)
	}
}

func (n *Narrator) Hint() {
	who := Turn(n.Last.Game)
	if n.Commands != nil && n.Last.Alone() {
		who = you
	}
	text := Sentence(Hint(&n.Last, who))
	if n.Last.Solving.On {
		text += "."
	} else if n.Brief {
		text = Best(&n.Last)
	}
	n.Say(text, false)
}

func (n *Narrator) puzzle(v *game.View) {
	if n.puzzles++; n.puzzles == 1 && n.Commands != nil {
		n.Commands(true)
	}
	n.Say(NumberedPuzzle(n.puzzles, v.Game.Position(), v.Solving.Discs), false)
	n.show(v.Game.Position())
}

// look describes a step while somebody looks back at a match.
func (n *Narrator) look(was, v game.View) {
	judged := v.Look.Last != was.Look.Last && v.Look.Last.Marked() // other verdicts are not told
	same := v.Game == was.Game && !judged && v.Look.Variation == was.Look.Variation && v.Look.Step == was.Look.Step
	switch {
	case v.Look.Hurries():
		return
	case was.Phase != game.Looking:
		if n.Brief {
			n.Say("looking back", true)
		} else {
			n.sentence("somebody looks back at a match", false)
		}
	case same && v.Look.Plays != was.Look.Plays && v.Look.Variation == "" && (v.Look.Plays || v.Game.Position().Ply() < v.Look.Discs):
		n.sentence(map[bool]string{true: "the discs drop by themselves", false: "stopped"}[v.Look.Plays], false)
		return
	case same && !was.Look.Hurries():
		return
	}
	text := looked(&v, n.disc(v.Board(), v.Computer, ": "))
	if v.Game == was.Game && v.Look.Variation == "" && was.Look.Variation != "" { // it goes back to the round
		text = Title(&v)
	}
	n.Say(text, false)
}

// rounds describes what has happened since an earlier round. The views of whole rounds may have
// been skipped.
func (n *Narrator) rounds(was, now game.Record) {
	for match, g := range now.Replay() {
		r := now
		r.Match, r.Game, r.Counted = match, g, false
		switch {
		case r.Round() < was.Round():
			continue
		case r.Round() > was.Round():
			was = r
			was.Game = match.NewGame()
			n.round(was)
		}
		n.discs(was, g)
		if r.Round() < now.Round() {
			n.result(was, r.Count(), g)
		}
	}
}

func (n *Narrator) round(r game.Record) {
	if n.Brief {
		n.Say(r.Match.Rules().Name(r.Game.Starter())+" starts", false)
	} else {
		n.sentence(Starts(r, r.Round()), false)
	}
	n.position(r.Game.Position())
}

// position says what is on the board, unless it is empty and is not shown.
func (n *Narrator) position(p board.Position) {
	switch {
	case n.Board != nil:
		n.Board(p)
	case p.Ply() > 0:
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
func (n *Narrator) discs(was game.Record, now board.Game) {
	var back []string
	g := was.Game
	for !strings.HasPrefix(now.String(), g.String()) {
		back = append(back, n.disc(g, was.Computer, ", "))
		_ = g.Undo() // it has discs
	}
	if back != nil {
		n.sentence(Back(back...), true)
	}
	n.drops(now, g.Position().Ply(), was.Computer, false)
}

// drops says which discs were dropped in a round, from a ply on, each with its number if numbered is set.
func (n *Narrator) drops(g board.Game, from int, computer board.Disc, numbered bool) {
	shown, _ := board.NewGame(g.Position().Rules(), g.Starter()) // cannot fail: the game was played
	for ply := range g.Position().Ply() {
		_ = shown.Play(g.Move(ply))
		if ply >= from {
			text := n.disc(shown, computer, ": ")
			if numbered {
				text = fmt.Sprintf("disc %d, %s", ply+1, text)
			}
			n.Say(text, true)
		}
	}
}

// disc announces the last disc, with the separator before its cell.
func (n *Narrator) disc(g board.Game, computer board.Disc, separator string) string {
	if n.Brief {
		return BriefMove(g)
	}
	return last(g, computer, separator)
}

// result announces how a round ended and, if the match is over, how the match ended. It announces
// nothing if the earlier record, was, already has the result.
func (n *Narrator) result(was, r game.Record, g board.Game) {
	if was.ID == r.ID && was.Match.Played() == r.Match.Played() {
		return
	}
	position := g.Position()
	n.show(position)
	line, round := Line(position), Round(r.Match, position.Outcome())
	if winner := position.Outcome().Winner(); n.Commands != nil && n.Last.Alone() && winner != board.Empty {
		line, round = yourLine(position, r.Computer), yourRound(r.Match, winner == r.Computer)
	}
	for _, text := range []string{
		line, round, Person(r.Match, r.Computer, n.Last.Seats), Match(r.Match),
	} {
		if text != "" {
			n.Say(text, true)
		}
	}
}

// seats says who may drop each player's discs, if that has changed.
func (n *Narrator) seats(was, v game.View) {
	for i, seat := range v.Seats {
		player := board.Red + board.Disc(i)
		if seat != was.Seats[i] && (v.ID == was.ID || seat.State != game.Open) && v.UnderWay {
			rules := v.Match.Rules()
			open := rules.Name(player) + "'s seat is open: anyone may drop its discs"
			n.sentence(cmp.Or(Seat(rules, player, seat), open), true)
		}
	}
}
