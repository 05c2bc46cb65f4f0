package socket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

// Events yields the current view and then every new one, until the context is done or the
// connection is lost. The last element is the error.
func (c *Client) Events(ctx context.Context) iter.Seq2[game.View, error] {
	return func(yield func(game.View, error) bool) {
		for doc, err := range c.Documents(ctx) {
			var v game.View
			if err == nil {
				var s api.State
				if err = json.Unmarshal(doc, &s); err != nil {
					err = c.unexpected(err)
				} else {
					v, err = c.View(s)
				}
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// Documents yields what [Client.Events] yields, as the JSON that the service sent. Each
// element is valid until the next one.
func (c *Client) Documents(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		body, err := c.open(ctx, http.MethodGet, "/v1/events", nil)
		if err != nil {
			yield(nil, err)
			return
		}
		defer body.Close()
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, maxAnswer)
		for other := 0; lines.Scan(); { // other counts the bytes that are no event
			if doc, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:")); ok {
				other = 0
				if !yield(bytes.TrimSpace(doc), nil) {
					return
				}
			} else if other += len(lines.Bytes()) + 1; other > maxAnswer {
				yield(nil, c.unexpected(errTooLong))
				return
			}
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(nil, c.unexpected(errTooLong))
		case err != nil:
			yield(nil, c.lost(ctx, err))
		default:
			yield(nil, c.lost(ctx, errors.New("it closed the connection")))
		}
	}
}

// Past is the answer to GET /v1/matches.
type Past struct {
	Matches []match.Finished `json:"matches"` // the oldest first
	Damaged []int            `json:"damaged"` // the numbers of matches that the service cannot read
	Dropped match.Totals     `json:"dropped"` // of the older matches, of which the service keeps only the results
}

// Past returns the given number of last finished matches, or all of them if last is 0.
func (c *Client) Past(ctx context.Context, last int) (Past, error) {
	path := "/v1/matches"
	if last > 0 {
		path += fmt.Sprintf("?last=%d", min(last, maxLast))
	}
	return ask[Past](ctx, c, maxHistory, http.MethodGet, path, nil)
}

// All yields all matches in the order of their numbers, with a [match.Damage] for each damaged one.
func (p Past) All(yield func(match.Finished, error) bool) {
	for number := p.Dropped.Numbers() + 1; ; number++ {
		var next match.Finished
		var err error
		if _, damaged := slices.BinarySearch(p.Damaged, number); damaged {
			err = match.Damage{Number: number, Err: errors.New("its line in the service's history is damaged")}
		} else if len(p.Matches) > 0 {
			next, p.Matches = p.Matches[0], p.Matches[1:]
		} else {
			return
		}
		if !yield(next, err) {
			return
		}
	}
}
