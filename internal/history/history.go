// Package history finds the finished matches, numbers and counts them, and describes them in
// text.
package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/pflag"
)

// History is a list of finished matches, the oldest first.
type History struct {
	Entries iter.Seq2[match.Finished, error] // see Matches
	Of      string                           // where the matches are, as in "of the service"
	Left    match.Record                     // a match in the folder that is not over; its ID may be empty
}

// Match is a finished match with its number; the oldest match is number 1.
type Match struct {
	Number int            `json:"number"`
	Match  match.Finished `json:"match"`

	damage error // why it cannot be read
}

// Find calls p.Read, then returns the history in the folder p.State. If p.State is empty, Find
// returns the service's history or, if the service is not running, the history in the user's own
// folder.
func Find(ctx context.Context, p *settings.Places, flags *pflag.FlagSet) (History, error) {
	if err := p.Read(flags); err != nil {
		return History{}, err
	}
	if p.State == "" {
		past, err := socket.Dial(p.Socket).Past(ctx, 0)
		if err == nil {
			return History{Entries: past.All, Of: "of the service"}, nil
		}
		if flags.Changed("socket") || !errors.Is(err, socket.ErrNoDaemon) {
			return History{}, err
		}
	}
	dir := p.Own()
	if dir == "" {
		return History{Entries: func(func(match.Finished, error) bool) {}, Of: "nowhere: HOME is not set"}, nil
	}
	h := History{Entries: store.History(dir), Of: "in " + dir}
	if left, ok := store.Left(dir); ok && left.Begun() {
		h.Left = left
	}
	return h, nil
}

// Matches yields the matches, and skips damaged ones. An error ends the sequence.
func (h History) Matches() iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		for m, err := range h.all() {
			if m.damage == nil && !yield(m, err) {
				return
			}
		}
	}
}

// all is like Matches, with the damaged matches, which keep their numbers.
func (h History) all() iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		number := 0
		for e, err := range h.Entries {
			number++
			m := Match{Number: number, Match: e}
			if errors.As(err, new(match.Damage)) {
				m.damage, err = err, nil
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// Match returns the match with a number; 0 is the last one that was played to its end or, if there is none,
// the last one. It then tells errs of a later match that is not over or was given up: somebody may look for
// its last round.
func (h History) Match(number int, errs io.Writer) (Match, error) {
	if number == 0 && h.Left.ID != "" {
		fmt.Fprintln(errs, "c4hat:", words.NotOver(h.Left))
	}
	var last Match
	var won Match
	for m, err := range h.all() {
		if err != nil {
			return m, err
		}
		if m.damage == nil && !m.Match.Abandoned {
			won = m
		}
		if last = m; m.Number == number {
			break
		}
	}
	if number == 0 && won.Number > 0 && won.Number < last.Number && last.damage == nil {
		fmt.Fprintln(errs, "c4hat:", words.GivenUpLater(last.Number))
		last = won
	}
	switch {
	case last.Number == 0:
		return last, fmt.Errorf("there are no finished matches (%s)", h.Of)
	case number != 0 && number != last.Number:
		return last, fmt.Errorf("there is no match %d, the last one is %d (%s)", number, last.Number, h.Of)
	case last.damage != nil:
		return last, fmt.Errorf("match %d cannot be read: %w", last.Number, last.damage)
	}
	return last, nil
}

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
			few := "1 to 5 discs"
			if discs != 0 {
				few = fmt.Sprintf("--discs %d", discs)
			}
			yield(analysis.Puzzle{}, fmt.Errorf("nobody missed a win with %s (matches: %d, %s)", few, len(matches), h.Of))
		}
	}
}

// mostRecent is the number of matches in which [History.MissedWins] looks for recent puzzles.
const mostRecent = 3
