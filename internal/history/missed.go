package history

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/cli"
)

// MissedWins yields the wins that players missed, as puzzles, the latest first. discs is the number
// of discs with which each puzzle is won; 0 means any number. If since is not zero, only the last few
// matches count, if they ended after it: finding a puzzle in a match can take seconds. The last element
// may be an error: no win was missed, the history cannot be read, or the context has ended.
func (h History) MissedWins(ctx context.Context, discs int, since time.Time, progress *cli.Progress) iter.Seq2[analysis.Puzzle, error] {
	return func(yield func(analysis.Puzzle, error) bool) {
		var matches []Match
		for m, err := range h.Matches() {
			if err != nil {
				yield(analysis.Puzzle{}, err)
				return
			}
			matches = append(matches, m)
		}
		finder := analysis.NewFinder()
		found := false
		for i, m := range slices.Backward(matches) {
			if !since.IsZero() && (i < len(matches)-mostRecent || m.Match.Ended.Before(since)) {
				break
			}
			if m.Match.Match.Rules().Connect != board.Standard.Connect {
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
			yield(analysis.Puzzle{}, fmt.Errorf("found no missed win for a puzzle (%d matches, %s)", len(matches), h.Of))
		}
	}
}

// mostRecent is the number of matches in which [History.MissedWins] looks for recent puzzles.
const mostRecent = 3
