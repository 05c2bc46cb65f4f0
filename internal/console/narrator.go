package console

import (
	"cmp"
	"io"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// Boards says when the board is written.
type Boards uint8

// The values of Boards.
const (
	OnDemand  Boards = iota // for speech: the columns are described instead
	EachRound               // at the start and at the end of a round
	EachTurn                // also before each turn
)

// narrator describes a game in lines of text, from one view to the next.
type narrator struct {
	writer
	boards  Boards
	asks    bool  // commands can be typed
	asked   asked // the last question
	last    game.View
	drawn   board.Position // the last board that was written
	puzzles int            // how many puzzles were shown
}

// Follow returns a function that takes a game's views and describes the game in lines of
// text: every disc, and how rounds and matches end.
func Follow(out io.Writer, boards Boards) func(game.View) error {
	n := &narrator{writer: newWriter(out), boards: boards}
	return func(v game.View) error {
		n.tell(v)
		return n.flush()
	}
}

// tell describes what has changed since the last view.
func (n *narrator) tell(v game.View) {
	if v.Solving.On && v.Phase == game.Fall {
		return // a wrong disc is taken back
	}
	was := n.last
	n.last = v
	if was.UnderWay && (!v.UnderWay || v.ID != was.ID) && (v.ID != was.ID || v.Match.Winner() == board.Empty) {
		n.sentence(words.MatchEnded)
	}
	switch {
	case v.Phase == game.Attract, v.Phase == game.Menu, v.Phase == game.Dark && !v.UnderWay:
		if was == (game.View{}) {
			n.sentence(words.Status(&v))
		}
		return
	case v.Phase == game.Looking:
		n.look(was, v)
		return
	case v.Phase == game.Making:
		return
	case v.ID != was.ID && v.Solving.On:
		n.puzzle(&v)
	case v.ID != was.ID:
		n.terms(v.Record)
		if n.asks {
			n.say("Type a column, or u undo, ? hint, b board, q quit; help lists all commands.")
		}
		n.round(v.Record)
	case number(v.Record) != number(was.Record):
		n.rounds(was.Record, v.Record)
	default:
		n.discs(was.Record, v.Game)
	}
	n.seats(was, v)
	switch {
	case v.Solving.On && v.Phase == game.Cheer && was.Phase != game.Cheer:
		n.show(v.Game.Position())
		n.sentence(words.Title(&v))
	case v.Counted && !v.Solving.On:
		n.result(was.Record, v.Record, v.Game)
	case v.Phase == game.Hinting && was.Phase != game.Hinting:
		n.hint()
	}
	if position := v.Game.Position(); n.boards == EachTurn && v.Phase == game.Aim && position != n.drawn {
		n.show(position)
	}
}

// hint says what the last view's hint is.
func (n *narrator) hint() {
	if text := words.Sentence(words.Hint(&n.last)); n.last.Solving.On {
		n.say("%s.", text)
	} else {
		n.say("%s", text)
	}
}

// puzzle describes a new puzzle.
func (n *narrator) puzzle(v *game.View) {
	if n.puzzles++; n.puzzles == 1 && n.asks {
		n.say("One column wins, now and at each later turn. The computer holds out as long as it can.")
		n.say("Type a column, or ? hint, b board, q quit; help lists all commands.")
	}
	n.say("Puzzle %d: %s.", n.puzzles, words.Puzzle(v.Game.Position().Turn(), v.Solving.Discs))
	if n.boards != OnDemand {
		n.show(v.Game.Position())
	}
}

// look describes a step while somebody looks back at a match.
func (n *narrator) look(was, v game.View) {
	if was.Phase != game.Looking {
		n.say("Somebody looks back at a match.")
	}
	if was.Phase == game.Looking && v.Game == was.Game && v.Look.Last == was.Look.Last {
		return
	}
	n.say("%s", words.Looked(&v))
}

// rounds describes what has happened since an earlier round. The views of whole rounds may have
// been skipped.
func (n *narrator) rounds(was, now game.Record) {
	for match, g := range now.Replay() {
		r := now
		r.Match, r.Game, r.Counted = match, g, false
		switch {
		case number(r) < number(was):
			continue
		case number(r) > number(was):
			was = r
			was.Game = match.NewGame()
			n.round(was)
		}
		n.discs(was, g)
		if number(r) < number(now) {
			n.result(was, r.Count(), g)
		}
	}
}

// number returns the number of the round, from 1.
func number(r game.Record) int {
	if r.Counted {
		return r.Match.Played()
	}
	return r.Match.Played() + 1
}

// round announces a round, at its start or later.
func (n *narrator) round(r game.Record) {
	position := r.Game.Position()
	n.sentence(words.Starts(r, number(r)))
	if position.Ply() > 1 {
		n.say("The last one: %s.", words.Dropped(r.Game, r.Computer))
	}
	switch {
	case n.boards != OnDemand:
		n.show(position)
	case position.Ply() > 0:
		n.lines(words.OnBoard(position))
	}
}

func (n *narrator) show(p board.Position) {
	n.board(p)
	n.drawn = p
}

// discs announces the discs that were taken back and dropped between two moments of a round.
func (n *narrator) discs(was game.Record, now board.Game) {
	var back []string
	g := was.Game
	for !strings.HasPrefix(now.String(), g.String()) {
		back = append(back, words.Dropped(g, was.Computer))
		_ = g.Undo() // it has discs
	}
	if back != nil {
		n.sentence(words.Back(back...))
	}
	n.drops(now, g.Position().Ply(), was.Computer)
}

// result announces how a round ended and, if the match is over, how the match ended. It announces
// nothing if the earlier record, was, already has the result.
func (n *narrator) result(was, r game.Record, g board.Game) {
	if was.ID == r.ID && was.Match.Played() == r.Match.Played() {
		return
	}
	position := g.Position()
	if n.boards != OnDemand {
		n.show(position)
	}
	texts := []string{words.Line(position), words.Round(r.Match, position.Outcome())}
	texts = append(texts, words.Person(r.Match, r.Computer, n.last.Seats), words.Match(r.Match))
	for _, text := range texts {
		if text != "" {
			n.say("%s", text)
		}
	}
}

// seats says who may drop each player's discs, if that has changed.
func (n *narrator) seats(was, v game.View) {
	for i, seat := range v.Seats {
		player := board.Red + board.Disc(i)
		if seat != was.Seats[i] && (v.ID == was.ID || seat.State != game.Open) && v.UnderWay {
			n.sentence(words.SeatIs(v.Match.Rules(), player, seat))
		}
	}
}

// Tell describes a finished match in lines of text: who played, every disc, and how each
// round and the match ended.
func Tell(out io.Writer, r game.Record) error {
	w := newWriter(out)
	w.terms(r)
	var end board.Match
	for m, g := range r.Replay() {
		w.drops(g, 0, r.Computer)
		if g.Position().Ply() > 0 {
			w.board(g.Position())
		}
		var err error
		if end, err = m.Record(g); err == nil {
			w.say("%s", words.Round(end, g.Position().Outcome()))
		}
	}
	w.say("%s", cmp.Or(words.Match(end), words.GivenUp(end)))
	return w.flush()
}
