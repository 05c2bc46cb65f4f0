package socket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"

	"github.com/c4hat/c4hat/internal/match"
)

// matches handles GET /v1/matches. Between two matches the game comes first, however many requests read the
// history.
func (s *Server) matches(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	last, err := readLast(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	w.Header().Set("Content-Type", "application/json")
	out := bufio.NewWriterSize(w, 32<<10)
	_, _ = out.WriteString(`{"matches":[`)
	comma := "\n"
	var damaged []int
	for entry, err := range s.Matches(last) {
		if bad := (match.Damage{}); errors.As(err, &bad) && bad.Number > 0 && len(damaged) < maxLast {
			damaged = append(damaged, bad.Number)
		}
		if err != nil {
			continue
		}
		doc, err := json.Marshal(entry)
		if err != nil {
			s.Log.Debug("cannot encode a match of the history", "id", entry.ID, "error", err)
			continue
		}
		_, _ = out.WriteString(comma)
		if _, err := out.Write(doc); err != nil || ConnOf(r).Serving.Err() != nil {
			return nil, nil
		}
		comma = ",\n"
		runtime.Gosched()
	}
	_, _ = out.WriteString("\n]")
	if len(damaged) > 0 {
		doc, _ := json.Marshal(damaged)
		fmt.Fprintf(out, `,"damaged":%s`, doc)
	}
	_, _ = out.WriteString("}\n")
	_ = out.Flush() // the peer may have disconnected
	return nil, nil
}

// readLast reads the query; 0 means all matches.
func readLast(query string) (int, error) {
	if query == "" {
		return 0, nil
	}
	values, err := url.ParseQuery(query)
	if err != nil || len(values) != 1 || len(values["last"]) != 1 {
		return 0, Refuse(http.StatusBadRequest, "query: use nothing but last=N")
	}
	n, err := strconv.Atoi(values.Get("last"))
	if err != nil || n < 1 || n > maxLast {
		return 0, Refuse(http.StatusBadRequest, "last: use a number from 1 to %d", maxLast)
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
