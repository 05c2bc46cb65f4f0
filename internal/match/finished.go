package match

import (
	"cmp"
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Finished is a match that was won or abandoned. Finished matches are comparable.
type Finished struct {
	Record
	// Ended is the time on the machine's clock, in UTC and whole seconds. It is zero if the clock
	// showed a time before 2020: a Pi's clock is wrong after a power cut.
	Ended time.Time
}

// Finish returns a match as finished at a time of the machine's clock.
func Finish(r Record, now time.Time) Finished {
	r.Left = false
	return Finished{Record: r, Ended: credible(now)}
}

// Final returns the match as it ended, with the last round counted if that round was over.
func (f Finished) Final() board.Match { return f.Count().Match }

// Abandoned reports whether nobody won the match.
func (f Finished) Abandoned() bool { return f.Final().Winner() == board.Empty }

// credible returns the time to store: t, or zero if no match can have ended at t. Years of five
// digits also become zero, because RFC 3339 cannot express them.
func credible(t time.Time) time.Time {
	t = t.UTC().Truncate(time.Second)
	if t.Year() < 2020 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// Damage says why a finished match cannot be read. It recurs whenever the match is read.
type Damage struct {
	Number int // of the match, from 1; 0 if it is not known
	Err    error
}

func (d Damage) Error() string { return d.Err.Error() }
func (d Damage) Unwrap() error { return d.Err }

// Totals counts finished matches.
type Totals struct {
	Matches   int           `json:"matches"`
	Abandoned int           `json:"abandoned"`
	People    Wins          `json:"two_players"`
	Computer  []LevelTotals `json:"computer"`           // the weakest level first
	Programs  int           `json:"programs,omitempty"` // won matches in which a program had a seat; the fields above leave them out
	Damaged   int           `json:"damaged,omitempty"`  // matches that could not be read; Matches does not count them
}

// Wins counts the matches between two people that each player won.
type Wins struct {
	Red    int `json:"red"`
	Second int `json:"yellow"` // or blue, on the full matrix
}

// LevelTotals counts the matches against a level of the computer.
type LevelTotals struct {
	Level Level `json:"level"`
	Won   int   `json:"won"`
	Lost  int   `json:"lost"`
}

// Add counts a match.
func (t *Totals) Add(f Finished) {
	t.Matches++
	winner := f.Final().Winner()
	switch {
	case winner == board.Empty:
		t.Abandoned++
	case f.Programs != [2]string{}:
		t.Programs++
	case f.Computer == board.Empty && winner == board.Red:
		t.People.Red++
	case f.Computer == board.Empty:
		t.People.Second++
	default:
		i, ok := slices.BinarySearchFunc(t.Computer, f.Level, func(t LevelTotals, l Level) int { return cmp.Compare(t.Level, l) })
		if !ok {
			t.Computer = slices.Insert(t.Computer, i, LevelTotals{Level: f.Level})
		}
		if at := &t.Computer[i]; winner == f.Computer {
			at.Lost++
		} else {
			at.Won++
		}
	}
}
