package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// matches is GET /v1/matches. The history is never held in memory: for its end it
// is read twice.
func (s *Server) matches(w http.ResponseWriter, r *http.Request, _ []byte) error {
	last, err := readLast(r.URL.RawQuery)
	if err != nil {
		return err
	}
	skip := 0
	if last > 0 {
		for range s.Matches {
			skip++
		}
		skip -= last
	}
	rc := http.NewResponseController(w)
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprint(w, `{"matches":[`)
	comma := ""
	for entry := range s.Matches {
		if skip > 0 {
			skip--
			continue
		}
		doc, err := json.Marshal(entry)
		if err != nil {
			s.Log.Debug("a match of the history cannot be written", "id", entry.ID, "error", err)
			continue
		}
		_ = rc.SetWriteDeadline(time.Now().Add(patience)) // a Unix socket has one
		if _, err := fmt.Fprintf(w, "%s\n%s", comma, doc); err != nil {
			return nil // gone, and nobody to be told
		}
		comma = ","
	}
	_, _ = fmt.Fprint(w, "\n]}\n")
	return nil
}

// readLast reads the query of matches; 0 is all of them.
func readLast(query string) (int, error) {
	if query == "" {
		return 0, nil
	}
	values, err := url.ParseQuery(query)
	if err != nil || len(values) != 1 || len(values["last"]) != 1 {
		return 0, refuse(http.StatusBadRequest, "query: want nothing or last=N")
	}
	n, err := strconv.Atoi(values.Get("last"))
	if err != nil || n < 1 || n > maxLast {
		return 0, refuse(http.StatusBadRequest, "last: want a number from 1 to %d", maxLast)
	}
	return n, nil
}
