package socket

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/c4hat/c4hat/internal/command/quote"
)

// Handler answers a request. It returns a document to answer with, or nil if it has sent an answer
// itself, or an error.
type Handler func(w http.ResponseWriter, r *http.Request, body []byte) (answer any, err error)

// Mux passes requests to their handlers, and answers in JSON.
type Mux struct {
	http.ServeMux
	Log    *slog.Logger
	Failed int // the status of an error that is not a [Refusal]
}

// NewMux returns a Mux without handlers.
func NewMux(log *slog.Logger, failed int) *Mux {
	m := &Mux{Log: log, Failed: failed}
	m.Answer("/", func(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
		return nil, Refuse(http.StatusNotFound, "there is no %s %s", r.Method, quote.Short(r.URL.Path))
	})
	return m
}

// Answer registers the handler of a pattern, such as "GET /v1/status".
func (m *Mux) Answer(pattern string, h Handler) {
	m.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		body, err := readBody(w, r)
		w = patientWriter{w, rc}
		var answer any
		if err == nil {
			_ = rc.SetReadDeadline(time.Time{}) // otherwise it would end the request's context
			answer, err = h(w, r, body)
		} else {
			w.Header().Set("Connection", "close")
		}
		if err != nil {
			m.Refuse(w, r, err)
		} else if answer != nil {
			Answer(w, http.StatusOK, answer)
		}
	})
}

// Refuse answers with an error.
func (m *Mux) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	refused, ok := errors.AsType[*Refusal](err)
	if !ok {
		refused = &Refusal{Status: m.Failed}
		m.Log.Debug("a request failed", "request", r.Method+" "+quote.Short(r.URL.Path), "error", err)
	}
	Answer(w, refused.Status, struct {
		Code  string `json:"code,omitempty"`
		Error string `json:"error"`
	}{refused.Code, err.Error()})
}

// patientWriter gives the peer time to read each write.
type patientWriter struct {
	http.ResponseWriter
	rc *http.ResponseController
}

// Write is called by handlers.
func (w patientWriter) Write(text []byte) (int, error) {
	_ = w.rc.SetWriteDeadline(time.Now().Add(readTime))
	return w.ResponseWriter.Write(text)
}

// Unwrap lets [http.ResponseController] find the connection.
func (w patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// readTime is how long a peer may take to read an answer, or the next part of a long one.
const readTime = 10 * time.Second

// Answer sends a document as JSON.
func Answer(w http.ResponseWriter, status int, doc any) {
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err) // every document here can be encoded
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the peer may have closed the connection
}

// Refusal is an error with the HTTP status to answer with.
type Refusal struct {
	Status int
	Code   string // tells programs why, if the status does not
	Reason string
	Why    error // what errors.Is finds; it may be nil
}

func (r *Refusal) Error() string { return r.Reason }
func (r *Refusal) Unwrap() error { return r.Why }

// Refuse returns a [Refusal].
func Refuse(status int, format string, args ...any) error {
	return &Refusal{Status: status, Reason: fmt.Sprintf(format, args...)}
}

// Limits of a request, in bytes.
const (
	MaxHead = 8 << 10 // before the body
	MaxBody = 4 << 10
)

// readBody reads a request's body. It is read even if nobody needs it: only then does net/http notice that
// the peer has closed the connection.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, Refuse(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", MaxBody)
	}
	return nil, Refuse(http.StatusBadRequest, "cannot read the request body: %v", err)
}
