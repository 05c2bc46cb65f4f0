package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/internal/match"
)

// matches handles GET /v1/matches.
func (s *Server) matches(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	last := 0 // all
	if query := r.URL.RawQuery; query != "" {
		text, ok := strings.CutPrefix(query, "last=")
		n, err := strconv.Atoi(text)
		if !ok || err != nil || n < 1 || n > maxLast {
			return nil, Refuse(http.StatusBadRequest, "last: use a number from 1 to %d, and no other query", maxLast)
		}
		last = n
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"matches":[`)
	comma := "\n"
	var damaged []int
	for entry, err := range s.Matches(last) {
		if bad, ok := errors.AsType[match.Damage](err); ok && bad.Number > 0 {
			damaged = append(damaged, bad.Number)
		}
		if err != nil {
			continue
		}
		doc, _ := json.Marshal(entry)
		if _, err := io.WriteString(w, comma+string(doc)); err != nil || ConnOf(r).Serving.Err() != nil {
			return nil, nil
		}
		comma = ",\n"
	}
	_, _ = io.WriteString(w, "\n]")
	if doc, _ := json.Marshal(damaged); damaged != nil {
		fmt.Fprintf(w, `,"damaged":%s`, doc)
	}
	_, _ = io.WriteString(w, "}\n")
	return nil, nil
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
