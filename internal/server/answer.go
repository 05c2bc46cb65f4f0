package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	MaxHead = 8 << 10 // bytes of a request before its body
	MaxBody = 4 << 10 // of a request
)

// Refusal is an error with the status of its answer.
type Refusal struct {
	Status int
	reason string
}

func (r *Refusal) Error() string { return r.reason }

// Refuse returns a Refusal.
func Refuse(status int, format string, args ...any) error {
	return &Refusal{status, fmt.Sprintf(format, args...)}
}

// ReadBody reads a request's body. If that is too long or too slow, the connection is closed.
// It is to be read even if no body is wanted: only then does net/http notice that the peer has
// closed the connection.
func ReadBody(w http.ResponseWriter, r *http.Request, patience time.Duration) ([]byte, error) {
	if r.Body == http.NoBody {
		return nil, nil
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(patience)) // every connection here has one
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err == nil {
		_ = rc.SetReadDeadline(time.Time{})
		return body, nil
	}
	w.Header().Set("Connection", "close")
	if errors.As(err, new(*http.MaxBytesError)) {
		return nil, Refuse(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", MaxBody)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, Refuse(http.StatusRequestTimeout, "the body did not arrive within %v", patience)
	}
	return nil, Refuse(http.StatusBadRequest, "cannot read the request body: %v", err)
}

// Answer sends a JSON document to a peer that has some time to read it.
func Answer(w http.ResponseWriter, patience time.Duration, status int, doc any) {
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err) // every document here can be encoded
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the peer may have closed the connection
}

// Fail answers with an error, and the status of a Refusal, or else another.
func Fail(w http.ResponseWriter, patience time.Duration, otherwise int, err error) {
	var refused *Refusal
	if errors.As(err, &refused) {
		otherwise = refused.Status
	}
	Answer(w, patience, otherwise, map[string]string{"error": err.Error()})
}
