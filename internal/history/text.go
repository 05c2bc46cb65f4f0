package history

import (
	"fmt"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/store"
)

// Ended returns the local time at which a match ended, or a dash if the time is unknown.
func Ended(e store.Entry) string {
	if e.Ended.IsZero() {
		return "-"
	}
	return e.Ended.In(time.Local).Format("2006-01-02 15:04")
}

// Opponents says who played, on which board.
func Opponents(e store.Entry) string {
	rules := e.Match.Rules()
	if e.Computer == board.Empty {
		return fmt.Sprintf("%v, two players", rules)
	}
	return fmt.Sprintf("%v, computer (%s) at level %v", rules, rules.Name(e.Computer), e.Level)
}

// ResultText says how a match ended.
func ResultText(e store.Entry) string {
	final := e.Final()
	text := game.MatchText(final)
	if text == "" {
		return "given up at " + game.PointsText(final)
	}
	if person := game.PersonText(final, e.Computer, [2]string{}); person != "" {
		return fmt.Sprintf("%s (%s)", text, person)
	}
	return text
}
