package words

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Points returns the points of a match: "red 1, yellow 0".
func Points(m board.Match) string {
	r := m.Rules()
	return fmt.Sprintf("%s %d, %s %d", r.Name(board.Red), m.Points(board.Red), r.Name(board.Yellow), m.Points(board.Yellow))
}

func target(m board.Match) string { return "first to " + count(m.Target(), "point") }

// sides says who plays which side, if that is not two people: "yellow is the computer at level easy".
func sides(r game.Record) string {
	var texts []string
	for i, program := range r.Programs {
		player := board.Red + board.Disc(i)
		switch name := r.Match.Rules().Name(player); {
		case player == r.Computer:
			texts = append(texts, fmt.Sprintf("%s is the computer at level %v", name, r.Level))
		case program != "":
			texts = append(texts, name+" is "+program)
		}
	}
	return strings.Join(texts, ", ")
}

// Players says who plays a match, on which board.
func Players(r game.Record) string {
	if sides := sides(r); sides != "" {
		return fmt.Sprintf("%v, %s", r.Match.Rules(), sides)
	}
	return fmt.Sprintf("%v, two players", r.Match.Rules())
}

// Terms says who plays a match, and how it stands. The last round may be over and not yet counted.
func Terms(r game.Record) string { return Players(r) + ": " + Points(r.Count().Match) }

// players is [sides] for a match under way. It says to the person who plays alone against the computer which
// player they are.
func players(v *game.View, plays bool) string {
	r := v.Record
	for i, seat := range v.Seats {
		if v.UnderWay { // who has left does not play any more
			r.Programs[i] = seat.Holder
		}
	}
	text := sides(r)
	if computer := you(v, plays); computer != board.Empty && !v.Solving.On {
		text = "you are " + v.Match.Rules().Name(computer.Other()) + ", " + text
	}
	return text
}

// ofMatch says what a match is about: its rules and who plays, or the puzzle to solve.
func ofMatch(v *game.View, plays bool) string {
	if v.Solving.On {
		return Puzzle(v.Game.Position(), v.Solving.Discs)
	}
	r := v.Match.Rules()
	return parts(fmt.Sprintf("%d in a row on %dx%d, %s", r.Connect, r.Columns, r.Rows, target(v.Match)), players(v, plays))
}

// About says in short lines what a match or a puzzle is about: the points, and who plays.
func About(v *game.View) string {
	switch {
	case !v.Solving.On:
		return strings.Join([]string{Points(v.Match), target(v.Match), players(v, false)}, "\n")
	case v.Solving.InARow > 0:
		return inARow(v)
	}
	return ""
}

// Seat says who holds a player's seat. It is empty if the seat is open.
func Seat(r board.Rules, player board.Disc, seat game.Seat) string {
	switch {
	case seat.State == game.Open:
		return ""
	case seat.State == game.Away:
		return "waiting for " + r.Name(player)
	case seat.Holder != "":
		return r.Name(player) + " is played by " + seat.Holder
	}
	return r.Name(player) + "'s seat is taken"
}

// Starts announces a round, at its start or later: "round 2: red 1, yellow 0; yellow starts".
func Starts(r game.Record, number int) string {
	starts, discs := " starts", ""
	if r.Game.Position().Ply() > 0 {
		starts, discs = " started", onBoard(r.Game)
	}
	return parts(fmt.Sprintf("round %d: %s", number, Points(r.Match)), r.Match.Rules().Name(r.Game.Starter())+starts, discs)
}

// Now says how a match or a puzzle stands: what it is about, the points, the discs of the round, and whose turn it
// is. If plays is set, it speaks to somebody who plays.
func Now(v *game.View, plays bool) string {
	if v.Solving.On {
		return parts(onBoard(v.Game), Head(v, plays))
	}
	return parts(ofMatch(v, plays), Points(v.Match), onBoard(v.Game), Head(v, plays))
}

// Record says how a match stands that is not on a screen.
func Record(r game.Record) string {
	r = r.Count()
	state := ""
	switch {
	case r.Match.Winner() != board.Empty:
		state = Match(r.Match)
	case r.Game.Position().Outcome() != board.Playing:
		state = "the round is over"
	default:
		state = parts(onBoard(r.Game), Turn(r.Game)+toMove)
	}
	return parts(Terms(r), state)
}

// Status describes in a sentence what a game is doing.
func Status(v *game.View) string {
	switch {
	case v.Phase == game.Looking:
		return "somebody looks back at the last match"
	case v.Solving.On:
		return "somebody solves puzzles"
	case v.Phase == game.Menu:
		return "in the menu: " + v.Choices.Name()
	case !v.UnderWay && !v.Phase.Ends():
		return Head(v, false)
	}
	what := Record(v.Record)
	for i, seat := range v.Seats {
		what = parts(what, Seat(v.Match.Rules(), board.Red+board.Disc(i), seat))
	}
	switch v.Phase {
	case game.Dark:
		return parts(what, darkLEDs)
	case game.Paused, game.Reading:
		return parts(what, Paused(v))
	}
	return what
}

// Happened says why a key was refused or a program failed; otherwise it says how the round ended,
// what its first disc does to a match that waits, or where the last disc is.
func Happened(v *game.View) string {
	ended, replaces := "", ""
	if v.Counted { // nothing of a round stays in the next
		ended = Ended(v.Record)
	}
	if v.Replaces() {
		replaces = ReplacesSaved
	}
	return cmp.Or(Notice(v.Notice), v.Failed, ended, replaces, Move(v.Game, v.Computer))
}

// Ended says how the last round ended: "red's line: columns 3 to 6, row 1". It is empty while a round is played.
func Ended(r game.Record) string {
	g, ok := r.Ended()
	if !ok {
		return ""
	}
	return cmp.Or(Line(g.Position(), board.Empty), "the round was a draw")
}

// Result says how a finished match ended.
func Result(r game.Record) string {
	r = r.Count()
	text := Match(r.Match)
	if text == "" {
		return GivenUp(r.Match)
	}
	if person := Person(r, [2]game.Seat{}); person != "" {
		return fmt.Sprintf("%s (%s)", text, person)
	}
	return text
}

func GivenUp(m board.Match) string { return "given up (" + Points(m) + ")" }
