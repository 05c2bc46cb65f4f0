// Package history finds the finished matches, numbers and counts them, and describes them in
// text.
package history

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/spf13/pflag"
)

// History is a list of finished matches, the oldest first.
type History struct {
	Entries iter.Seq2[match.Finished, error] // see Matches
	Dropped match.Totals                     // the results of older matches, whose moves were deleted
	Of      string                           // where the matches are, as in "of the service"
}

// Match is a finished match with its number; the oldest match is number 1.
type Match struct {
	Number int            `json:"number"`
	Match  match.Finished `json:"match"`
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
			return History{past.All, past.Dropped, "of the service"}, nil
		}
		if p.SocketNamed || !errors.Is(err, socket.ErrNoDaemon) {
			return History{}, err
		}
	}
	dir := p.Own()
	if dir == "" {
		return History{Entries: func(func(match.Finished, error) bool) {}, Of: "nowhere: HOME is not set"}, nil
	}
	return History{store.History(dir), store.Dropped(dir), "in " + dir}, nil
}

// Matches yields the matches, and skips damaged ones. An error ends the sequence.
func (h History) Matches() iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		for m, err := range h.all() {
			if !errors.As(err, new(match.Damage)) && !yield(m, err) {
				return
			}
		}
	}
}

// all is like Matches, with a [match.Damage] for each damaged match: it keeps its number.
func (h History) all() iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		number := h.Dropped.Numbers()
		for e, err := range h.Entries {
			number++
			if !yield(Match{number, e}, err) || err != nil && !errors.As(err, new(match.Damage)) {
				return
			}
		}
	}
}

// Match returns the match with a number; 0 is the last match.
func (h History) Match(number int) (Match, error) {
	last := Match{Number: h.Dropped.Numbers()}
	if 0 < number && number <= last.Number {
		return last, fmt.Errorf("the moves of match %d were deleted, only its result is left; the oldest match with moves is %d (%s)", number, last.Number+1, h.Of)
	}
	var damage error
	for m, err := range h.all() {
		if err != nil && !errors.As(err, new(match.Damage)) {
			return m, err
		}
		if damage = err; err != nil {
			damage = fmt.Errorf("match %d cannot be read: %w", m.Number, err)
		}
		if m.Number == number {
			return m, damage
		}
		last = m
	}
	switch {
	case last.Number == 0:
		return last, fmt.Errorf("there are no finished matches (%s)", h.Of)
	case number == 0:
		return last, damage
	}
	return last, fmt.Errorf("there is no match %d, the last one is %d (%s)", number, last.Number, h.Of)
}
