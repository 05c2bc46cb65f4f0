package history

import (
	"time"

	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/words"
)

// Ended returns the local time at which a match ended, or a dash if the time is unknown.
func Ended(e match.Finished) string {
	if e.Ended.IsZero() {
		return "-"
	}
	return e.Ended.In(time.Local).Format("2006-01-02 15:04")
}

// ResultText says how a match ended.
func ResultText(e match.Finished) string { return words.Result(e.Record) }
