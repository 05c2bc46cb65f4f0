package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/c4hat/c4hat/internal/httplimit"
	"github.com/c4hat/c4hat/internal/match"
)

// chunk is how many bytes of the history are collected before they are sent.
const chunk = 32 << 10

// matches handles GET /v1/matches. Requests take turns to read the history, a chunk at a time, so
// that only one of them at a time competes with the game for the processor. A request gives up its
// turn while it sends, so that no request waits for another one's slow reader.
func (s *Server) matches(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	last, err := readLast(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	ctx := httplimit.ConnOf(r).Serving
	turn, err := s.reading.Enter(ctx, httplimit.ConnOf(r).User)
	if err != nil {
		return nil, httplimit.Refuse(http.StatusServiceUnavailable, "the service is stopping")
	}
	defer turn.Leave()
	rc := http.NewResponseController(w)
	write := func(text []byte) bool {
		turn.Leave()
		_ = rc.SetWriteDeadline(time.Now().Add(patience)) // a Unix socket supports deadlines
		_, err := w.Write(text)
		return err == nil && rc.Flush() == nil
	}
	send := func(text []byte) bool { // false if the peer has disconnected
		return write(text) && turn.Yield(ctx) == nil
	}
	w.Header().Set("Content-Type", "application/json")
	text := []byte(`{"matches":[`)
	if !send(text) {
		return nil, nil
	}
	text = text[:0]
	comma := "\n"
	var damaged []int
	for entry, err := range s.Matches(last) {
		if ctx.Err() != nil {
			return nil, nil
		}
		if err != nil {
			if bad := (match.Damage{}); errors.As(err, &bad) && bad.Number > 0 && len(damaged) < maxLast {
				damaged = append(damaged, bad.Number)
			}
			continue
		}
		doc, err := json.Marshal(entry)
		if err != nil {
			s.Log.Debug("cannot encode a match of the history", "id", entry.ID, "error", err)
			continue
		}
		text = append(append(text, comma...), doc...)
		comma = ",\n"
		if len(text) >= chunk {
			if !send(text) {
				return nil, nil
			}
			text = text[:0]
		}
		runtime.Gosched() // the game comes first
	}
	text = append(text, "\n]"...)
	if len(damaged) > 0 {
		doc, _ := json.Marshal(damaged)
		text = append(append(text, `,"damaged":`...), doc...)
	}
	write(append(text, "}\n"...)) // and no further turn
	return nil, nil
}

// readLast reads the query; 0 means all matches.
func readLast(query string) (int, error) {
	if query == "" {
		return 0, nil
	}
	values, err := url.ParseQuery(query)
	if err != nil || len(values) != 1 || len(values["last"]) != 1 {
		return 0, httplimit.Refuse(http.StatusBadRequest, "query: use nothing but last=N")
	}
	n, err := strconv.Atoi(values.Get("last"))
	if err != nil || n < 1 || n > maxLast {
		return 0, httplimit.Refuse(http.StatusBadRequest, "last: use a number from 1 to %d", maxLast)
	}
	return n, nil
}

// Past is the answer to GET /v1/matches.
type Past struct {
	Matches []match.Finished `json:"matches"` // the oldest first
	Damaged []int            `json:"damaged"` // the numbers of matches that the service cannot read
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
	for number := 1; ; number++ {
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
