package words

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// NoDisc is said in place of the last disc.
const NoDisc = "no disc in this round yet"

// Who says who plays, and whose turn it is.
func Who(v *game.View) string {
	players := Opponents(v)
	if players == "" && v.Seats == [2]game.Seat{} && !v.Solving.On {
		players = "two people play"
	}
	return parts(players, yourTitle(v))
}

// Opponents is [Computer] for the people who play here: it says to somebody who plays against the
// computer which player they are.
func Opponents(v *game.View) string {
	switch {
	case v.Solving.On:
		return ""
	case v.Alone():
		return "you are " + v.Match.Rules().Name(v.Computer.Other()) + "; " + Computer(v.Record)
	}
	return Computer(v.Record)
}

// GoesOn says how a match stands that somebody resumes or begins to follow. If plays is set, it speaks to
// somebody who plays.
func GoesOn(v *game.View, plays bool) string {
	players, turn := Computer(v.Record), Title(v)
	if plays {
		players, turn = Opponents(v), yourTitle(v)
	}
	return "the match goes on: " + parts(Points(v.Match), players, onBoard(v.Game), turn)
}

// parts joins the parts of a sentence that are not empty.
func parts(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// Now says how a match stands: the points, the discs of the round, and whose turn it is.
func Now(v *game.View) string {
	points := Points(v.Match)
	if v.Solving.On {
		points = ""
	}
	return parts(points, discsOnBoard(v.Game.Position().Ply()), yourTitle(v))
}

// begins says what a match is about: its rules and who the computer is, or the puzzle to solve.
func begins(v *game.View) string {
	if v.Solving.On {
		return Puzzle(v.Game.Position(), v.Solving.Discs)
	}
	text := Rules(v.Match)
	if computer := Computer(v.Record); computer != "" {
		text += "; " + computer
	}
	return text
}

// About says in short lines what a match or a puzzle is about: the points, and who plays.
func About(v *game.View) (lines []string) {
	if v.Solving.On {
		if v.Game.Position().Outcome() == board.Playing {
			lines = append(lines, "only one column wins")
		}
		if v.Solving.InARow > 0 {
			lines = append(lines, fmt.Sprintf("%d solved in a row", v.Solving.InARow))
		}
		return lines
	}
	name := v.Match.Rules().Name
	lines = []string{Points(v.Match), Target(v.Match)}
	if v.Computer != board.Empty {
		level := fmt.Sprintf("level %v", v.Level)
		if Estimates(v.Match.Rules(), v.Level) {
			level = fmt.Sprintf("%v, estimates", v.Level)
		}
		lines = append(lines, name(v.Computer)+": computer,", level)
	}
	for i, seat := range v.Seats {
		switch player := board.Red + board.Disc(i); {
		case seat.State == game.Away:
			lines = append(lines, Seat(v.Match.Rules(), player, seat))
		case seat.Holder != "":
			lines = append(lines, name(player)+": "+seat.Holder)
		}
	}
	return lines
}

// HowEnds says what the entry end of the pause screen does to the match. It is empty for other entries.
func HowEnds(v *game.View) string {
	switch {
	case v.Phase != game.Paused || v.Choices.Name() != "end" || v.Solving.On:
		return ""
	case v.Begun() && v.Seats[0].State == game.Open && v.Seats[1].State == game.Open:
		return "the menu can resume it"
	}
	return "no point for anyone"
}

// Happened says why a key was refused or a program failed; otherwise it says how the round ended,
// what its first disc does to a match that waits, or where the last disc is.
func Happened(v *game.View) string {
	ended := ""
	if v.Counted { // nothing of a round stays in the next
		ended = Ended(v.Record)
	}
	replaces := ""
	if v.Replaces() {
		replaces = ReplacesSaved
	}
	return cmp.Or(Refusal(v), v.Failed, ended, replaces, Move(v.Game, v.Computer))
}

// Status describes in a sentence what a game is doing.
func Status(v *game.View) string {
	switch {
	case v.Phase == game.Looking:
		return "somebody is looking back at the last match"
	case v.Solving.On && v.Phase != game.Making:
		return "somebody is solving puzzles"
	case v.Phase == game.Menu:
		return "in the menu: " + v.Choices.Name()
	case v.Phase == game.Attract, v.Phase == game.Making, v.Phase == game.Admitting, v.Phase == game.Dark && !v.UnderWay:
		return Title(v)
	}
	what := Record(v.Record)
	for i, seat := range v.Seats {
		what = parts(what, Seat(v.Match.Rules(), board.Red+board.Disc(i), seat))
	}
	switch v.Phase {
	case game.Dark:
		return what + ", " + darkLEDs
	case game.Paused, game.Reading:
		return parts(what, Paused(v))
	}
	return what
}

// Players says who plays a match, on which board.
func Players(r game.Record) string {
	rules := r.Match.Rules()
	if r.Computer == board.Empty && r.Programs == [2]string{} {
		return fmt.Sprintf("%v, two players", rules)
	}
	text := rules.String()
	for i, program := range r.Programs {
		switch player := board.Red + board.Disc(i); {
		case program != "":
			text += fmt.Sprintf(", %s is %s", rules.Name(player), program)
		case player == r.Computer:
			text += fmt.Sprintf(", %s is the computer at level %v", rules.Name(player), r.Level)
		}
	}
	return text
}

func Terms(r game.Record) string { return Players(r) + ": " + Points(r.Match) }

// Result says how a finished match ended.
func Result(r game.Record) string {
	m := r.Count().Match
	text := Match(m)
	if text == "" {
		return GivenUp(m)
	}
	if person := Person(m, r.Computer, [2]game.Seat{}); person != "" && r.Programs == [2]string{} {
		return fmt.Sprintf("%s (%s)", text, person)
	}
	return text
}

func GivenUp(m board.Match) string { return "given up (" + Points(m) + ")" }

func Record(r game.Record) string {
	rules, text := r.Match.Rules(), Terms(r)
	position := r.Game.Position()
	switch moves := r.Game.String(); {
	case r.Match.Winner() != board.Empty:
		return text + "; " + Match(r.Match)
	case moves == "":
		return text + fmt.Sprintf("; %s begins a round", rules.Name(position.Turn()))
	case position.Outcome() != board.Playing:
		return text + "; the round is over"
	default:
		return text + "; " + discsOnBoard(len(moves)) + "; " + Turn(r.Game) + toMove
	}
}

var notices = map[game.NoticeKind]string{
	game.NoticeFull:      "column %d is full",
	game.NoticeNoColumn:  "there is no column %d",
	game.NoticeNoUndo:    "nothing to take back in this round yet",
	game.NoticeNoHint:    "no hint can be given here",
	game.NoticeClosed:    "the hint is closed: the next press drops the disc",
	game.NoticeNotDue:    "column %d must wait for its turn",
	game.NoticeThinking:  "no hint while the computer thinks",
	game.NoticeWrong:     "column %d does not win",
	game.NoticeNoMatch:   "no match to look back at yet",
	game.NoticeTaken:     "it is somebody else's turn",
	game.NoticeTakenDisc: "the disc is somebody else's",
	game.NoticeGivesUp:   "this replaces your match: press again",
	game.NoticeFirst:     "nothing comes before this",
	game.NoticeLast:      "nothing comes after this",
}

// Notice says why a key was refused. It is empty for [game.NoticeNone] and for unknown kinds.
func Notice(n game.Notice) string {
	return strings.ReplaceAll(notices[n.Kind], "%d", strconv.Itoa(n.Column+1))
}

// Refusal returns the view's notice in words. If a program holds the seat, the words say "program"
// instead of "somebody else".
func Refusal(v *game.View) string {
	turn := v.Game.Position().Turn()
	taken := turn.Other() // the player whose disc Undo would take back
	if v.Computer != board.Empty {
		taken = v.Computer.Other()
	}
	switch {
	case v.Notice.Kind == game.NoticeTaken && v.Seats[turn-board.Red].Holder != "":
		return "it is the program's turn"
	case v.Notice.Kind == game.NoticeTakenDisc && v.Seats[taken-board.Red].Holder != "":
		return "the disc is the program's"
	}
	return Notice(v.Notice)
}
