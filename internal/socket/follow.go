package socket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"

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
				v, err = c.read(doc)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

func (c *Client) read(doc []byte) (game.View, error) {
	var s api.State
	if err := json.Unmarshal(doc, &s); err != nil {
		return game.View{}, c.unexpected(err)
	}
	return c.View(s)
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
		r := &boundedReader{from: body, left: 2 * maxAnswer}
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxAnswer)
		for lines.Scan() {
			doc, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
			if !ok {
				continue
			}
			r.left = 2 * maxAnswer
			if !yield(bytes.TrimSpace(doc), nil) {
				return
			}
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong), errors.Is(err, errTooLong):
			yield(nil, c.unexpected(err))
		case err != nil:
			yield(nil, c.lost(ctx, err))
		default:
			yield(nil, c.lost(ctx, errors.New("it closed the connection")))
		}
	}
}

// Matches yields the given number of last finished matches, or all of them if last is 0, the oldest
// first. If it yields all, a [match.Damage] follows for each match that the service cannot read.
// After another error it yields nothing more.
func (c *Client) Matches(ctx context.Context, last int) iter.Seq2[match.Finished, error] {
	path := "/v1/matches"
	if last > 0 {
		path += fmt.Sprintf("?last=%d", min(last, maxLast))
	}
	return func(yield func(match.Finished, error) bool) {
		body, err := c.open(ctx, http.MethodGet, path, nil)
		if err != nil {
			yield(match.Finished{}, err)
			return
		}
		defer body.Close()
		r := &boundedReader{from: body}
		err = readMatches(r, yield)
		switch {
		case err == nil:
		case r.err != nil && !errors.Is(r.err, errTooLong): // the connection failed
			yield(match.Finished{}, c.lost(ctx, r.err))
		default:
			yield(match.Finished{}, c.unexpected(err))
		}
	}
}

// Dropped returns the totals of the older matches, of which the service keeps only the results.
func (c *Client) Dropped(ctx context.Context) (match.Totals, error) {
	answer, err := ask[struct {
		Dropped match.Totals `json:"dropped"`
	}](ctx, c, http.MethodGet, "/v1/matches?last=1", nil)
	return answer.Dropped, err
}

// readMatches reads {"matches":[…],"damaged":[…]} one match at a time.
func readMatches(r *boundedReader, yield func(match.Finished, error) bool) error {
	d := json.NewDecoder(r)
	r.left = maxAnswer
	for _, want := range []json.Token{json.Delim('{'), "matches", json.Delim('[')} {
		if t, err := d.Token(); err != nil {
			return err
		} else if t != want {
			return fmt.Errorf("found %v, want %v", t, want)
		}
	}
	for d.More() {
		r.left = maxAnswer
		var e match.Finished
		if err := d.Decode(&e); err != nil {
			return err
		}
		if !yield(e, nil) {
			return nil
		}
	}
	if _, err := d.Token(); err != nil { // the end of the list
		return err
	}
	for d.More() {
		r.left = maxAnswer
		field, err := d.Token()
		if err != nil {
			return err
		}
		var damaged []int
		var to any = &damaged
		if field != "damaged" {
			to = new(json.RawMessage)
		}
		if err := d.Decode(to); err != nil {
			return err
		}
		for _, number := range damaged {
			if !yield(match.Finished{}, match.Damage{Number: number, Err: errors.New("its line in the service's history is damaged")}) {
				return nil
			}
		}
	}
	_, err := d.Token() // the end of the object
	return err
}

var errTooLong = errors.New("it is too long")

// boundedReader is a reader that returns an error once left bytes have been read.
type boundedReader struct {
	from io.Reader
	left int
	err  error // of the last Read
}

func (r *boundedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		r.err = errTooLong
		return 0, r.err
	}
	n, err := r.from.Read(p[:min(len(p), r.left)])
	r.left -= n
	if err != nil {
		r.err = err
	}
	return n, err
}
