// Package history finds the finished matches, numbers and counts them, and describes them in
// text.
package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/pflag"
)

// History has the finished matches, the oldest first.
type History struct {
	Matches []Match
	Of      string       // where the matches are, as in "of the service"
	Left    match.Record // a match in the folder that is not over; its ID may be empty
}

// Match is a finished match with its number; the oldest match is number 1.
type Match struct {
	Number int            `json:"number"`
	Match  match.Finished `json:"match"`
	Err    error          `json:"-"` // why it cannot be read
}

// Find calls p.Read, then returns the history in the folder s.State. If s.State is empty, Find
// returns the service's history or, if the service is not running, the history in the user's own
// folder.
func Find(ctx context.Context, s *settings.Settings, flags *pflag.FlagSet) (h History, err error) {
	if err := s.Read(flags); err != nil {
		return h, err
	}
	if s.State == "" {
		past, err := socket.Dial(s.Socket).Past(ctx, 0)
		if h.Of = "of the service"; err == nil {
			return h, h.read(past.All)
		}
		if flags.Changed("socket") || !errors.Is(err, socket.ErrNoDaemon) {
			return h, err
		}
	}
	dir := s.Own()
	if h.Of = "in " + dir; dir == "" {
		h.Of = "nowhere: HOME is not set"
		return h, nil
	}
	if left, ok := store.Left(dir); ok && left.Begun() {
		h.Left = left
	}
	return h, h.read(store.History(dir))
}

func (h *History) read(entries iter.Seq2[match.Finished, error]) error {
	for m, err := range entries {
		if err != nil && !errors.As(err, new(match.Damage)) {
			return err
		}
		h.Matches = append(h.Matches, Match{len(h.Matches) + 1, m, err})
	}
	return nil
}

// Match returns the match with a number; 0 is the last one that was played to its end or, if there is none,
// the last one. It then tells errs of a later match that is not over or was given up: somebody may look for
// its last round.
func (h History) Match(number int, errs io.Writer) (m Match, err error) {
	last := len(h.Matches)
	switch {
	case number == 0 && h.Left.ID != "":
		fmt.Fprintln(errs, "c4hat:", words.NotOver(h.Left))
	case number > last && last > 0:
		return m, fmt.Errorf("there is no match %d, the last one is %d (%s)", number, last, h.Of)
	}
	if last == 0 {
		return m, fmt.Errorf("there are no finished matches (%s)", h.Of)
	}
	m = h.Matches[cmp.Or(number, last)-1]
	for i := last - 1; number == 0 && m.Err == nil && m.Match.Abandoned() && i > 0; i-- {
		if earlier := h.Matches[i-1]; earlier.Err == nil && !earlier.Match.Abandoned() {
			fmt.Fprintln(errs, "c4hat:", words.GivenUpLater(last))
			m = earlier
		}
	}
	if m.Err != nil {
		err = fmt.Errorf("match %d cannot be read: %w", m.Number, m.Err)
	}
	return m, err
}

// MissedWins yields the wins that players missed, as puzzles, the latest first. discs is the number
// of discs with which each puzzle is won; 0 means any number. If since is not zero, only the last few
// matches count, if they ended after it: finding a puzzle in a match can take seconds. The last element
// may be an error: no win was missed, or the context has ended.
func (h History) MissedWins(ctx context.Context, discs int, since time.Time, progress *cli.Progress) iter.Seq2[analysis.Puzzle, error] {
	return func(yield func(analysis.Puzzle, error) bool) {
		finder := analysis.NewFinder()
		found := false
		for i, m := range slices.Backward(h.Matches) {
			if !since.IsZero() && (i < len(h.Matches)-mostRecent || m.Match.Ended.Before(since)) {
				break
			}
			if m.Err != nil || m.Match.Match.Rules().Connect != board.Standard.Connect {
				continue
			}
			progress.Show("match %d", m.Number)
			for i, g := range slices.Backward(m.Match.Games()) {
				for p, err := range finder.Missed(ctx, g, m.Match.OpeningOf(i), m.Match.Computer) {
					if ctx.Err() != nil {
						err = context.Cause(ctx)
					} else if discs != 0 && p.Discs != discs {
						continue
					}
					found = true
					if !yield(p, err) || err != nil {
						return
					}
				}
			}
		}
		if !found {
			few := "1 to 5 discs"
			if discs != 0 {
				few = fmt.Sprintf("--discs %d", discs)
			}
			yield(analysis.Puzzle{}, fmt.Errorf("nobody missed a win with %s (matches: %d, %s)", few, len(h.Matches), h.Of))
		}
	}
}

// mostRecent is the number of matches in which [History.MissedWins] looks for recent puzzles.
const mostRecent = 3

// LastMatches is how many matches the results list.
const LastMatches = 10

// Results are the totals of a history and its last matches.
type Results struct {
	match.Totals
	Last []Match `json:"last"`
	of   string

	damaged int // number of the last one
}

// Results counts all matches.
func (h History) Results() Results {
	r := Results{Last: []Match{}, of: h.Of}
	r.Computer = []match.LevelTotals{} // in JSON lists, not null
	for _, m := range h.Matches {
		if m.Err != nil {
			r.Damaged, r.damaged = r.Damaged+1, m.Number
			continue
		}
		r.Totals.Add(m.Match)
		r.Last = append(r.Last, m)
	}
	r.Last = r.Last[max(0, len(r.Last)-LastMatches):]
	return r
}

// Write writes the results as text.
func (s Results) Write(out io.Writer) error {
	if s.Matches+s.Damaged == 0 {
		_, err := fmt.Fprintf(out, "no matches so far (%s)\n", s.of)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	noun := "matches"
	if s.Matches == 1 {
		noun = "match"
	}
	fmt.Fprintf(w, "%d %s (%s)\n\n", s.Matches, noun, s.of)
	if s.People != (match.Wins{}) {
		fmt.Fprintf(w, "two players\tred won %d\tyellow or blue %d\n", s.People.Red, s.People.Second)
	}
	for _, l := range s.Computer {
		if l.Won+l.Lost > 0 {
			fmt.Fprintf(w, "computer, level %v\tyou won %d\tcomputer won %d\n", l.Level, l.Won, l.Lost)
		}
	}
	if s.Programs > 0 {
		fmt.Fprintf(w, "with a program\t%d\n", s.Programs)
	}
	if s.Abandoned > 0 {
		fmt.Fprintf(w, "given up\t%d\n", s.Abandoned)
	}
	if s.Damaged > 0 {
		fmt.Fprintf(w, "damaged, not counted\t%d\tthe latest is number %d\n", s.Damaged, s.damaged)
	}
	fmt.Fprintf(w, "\nthe latest matches (c4hat replay N replays number N):\n")
	players, result := 0, 0 // widths
	for _, n := range s.Last {
		players, result = max(players, len(words.Players(n.Match.Record))), max(result, len(words.Result(n.Match.Record)))
	}
	between := "\t"
	if len("   1   2000-12-31 23:59   ")+players+len("   ")+result > 80 {
		between = "\n\t\t"
	}
	for _, n := range s.Last {
		ended := "-"
		if t := n.Match.Ended; !t.IsZero() {
			ended = t.In(time.Local).Format("2006-01-02 15:04")
		}
		fmt.Fprintf(w, "%4d\t%s\t%s%s%s\n", n.Number, ended, words.Players(n.Match.Record), between, words.Result(n.Match.Record))
	}
	return w.Flush()
}
