package game

import (
	"fmt"

	"github.com/c4hat/c4hat/board"
)

// ViewText describes in a sentence what a game is doing.
func ViewText(v View) string {
	what := RecordText(v.Record)
	for i, seat := range v.Seats {
		if text := SeatText(v.Match.Rules(), board.Red+board.Disc(i), seat); text != "" {
			what += "; " + text
		}
	}
	switch {
	case v.Phase == Attract:
		return "nobody plays: a demo runs"
	case v.Phase == Looking:
		return "somebody is looking back at the last match"
	case v.Phase == Making:
		return "a puzzle is being made"
	case v.Solving.On:
		return "somebody is solving puzzles"
	case v.Phase == Menu:
		return "in the menu: " + v.Choices.Name()
	case !v.UnderWay && v.Phase == Dark:
		return "nobody plays: the LEDs are dark"
	case v.Phase == Dark:
		return what + ", the LEDs are dark"
	case v.Phase == Admitting:
		return "a browser asks to be admitted"
	case v.Phase == Paused:
		return what + ", in the pause screen"
	}
	return what
}

// TermsText says who plays a match, and how many points win it.
func TermsText(r Record) string {
	rules := r.Match.Rules()
	if r.Computer != board.Empty {
		return fmt.Sprintf("%v, %s is the computer at level %v: %s", rules, rules.Name(r.Computer), r.Level, PointsText(r.Match))
	}
	return fmt.Sprintf("%v, two players: %s", rules, PointsText(r.Match))
}

// RecordText describes a match in a few words.
func RecordText(r Record) string {
	rules, text := r.Match.Rules(), TermsText(r)
	position := r.Game.Position()
	switch moves := r.Game.String(); {
	case r.Match.Winner() != board.Empty:
		return text + "; " + MatchText(r.Match)
	case moves == "":
		return text + fmt.Sprintf("; %s begins a round", rules.Name(position.Turn()))
	case position.Outcome() != board.Playing:
		return text + fmt.Sprintf("; after %s the round is over", moves)
	default:
		return text + fmt.Sprintf("; after %s %s is to move", moves, rules.Name(position.Turn()))
	}
}
