package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/words"
)

// Limits of a request, in bytes.
const (
	MaxHead = 8 << 10 // before the body
	MaxBody = 4 << 10
)

// Handler answers a request. It returns a document to answer with, or nil if it has sent an answer
// itself, or an error.
type Handler func(w http.ResponseWriter, r *http.Request, body []byte) (answer any, err error)

// Mux passes requests to their handlers, and answers in JSON.
type Mux struct {
	http.ServeMux
	Log    *slog.Logger
	Failed int // the status of an error that is neither a [Refusal] nor [api.Invalid]
}

// NewMux returns a Mux without handlers.
func NewMux(log *slog.Logger, failed int) *Mux {
	m := &Mux{Log: log, Failed: failed}
	m.Answer("/", func(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
		return nil, Refuse(http.StatusNotFound, "there is no %s %s", r.Method, words.Quote(r.URL.Path))
	})
	return m
}

// Answer registers the handler of a pattern, such as "GET /v1/status".
func (m *Mux) Answer(pattern string, h Handler) {
	m.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var answer any
		if err == nil {
			answer, err = h(w, r, body)
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
	if _, invalid := errors.AsType[api.Invalid](err); invalid {
		refused = &Refusal{Status: http.StatusBadRequest}
	} else if !ok {
		refused = &Refusal{Status: m.Failed}
		m.Log.Debug("a request failed", "request", r.Method+" "+words.Quote(r.URL.Path), "error", err)
	}
	Answer(w, refused.Status, struct {
		Code  string `json:"code,omitempty"`
		Error string `json:"error"`
	}{refused.Code, err.Error()})
}

// Answer sends a document as JSON.
func Answer(w http.ResponseWriter, status int, doc any) {
	text := encode(doc)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the peer may have closed the connection
}

func encode(doc any) []byte {
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err) // every document here can be encoded
	}
	return text
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

// Serve answers a request, or refuses it with the error that check returns. It reads the body even if nobody needs
// it: only then does net/http notice that the peer has closed the connection.
func (m *Mux) Serve(w http.ResponseWriter, r *http.Request, check func() error) {
	rc := http.NewResponseController(w)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	w = patientWriter{w, rc}
	if err != nil {
		err = Refuse(http.StatusBadRequest, "cannot read the request body: %v", err)
	} else {
		_ = rc.SetReadDeadline(time.Time{}) // otherwise it would end the request's context
		r.Body = io.NopCloser(bytes.NewReader(body))
		if err = ConnOf(r).full; err == nil {
			err = check()
		} else {
			w.Header().Set("Connection", "close")
		}
	}
	if err != nil {
		m.Refuse(w, r, err)
		return
	}
	m.ServeHTTP(w, r)
}

// patientWriter gives the peer readTime for each part of the answer.
type patientWriter struct {
	http.ResponseWriter
	rc *http.ResponseController
}

// readTime is how long a peer may take to read an answer, or the next part of a long one.
const readTime = 10 * time.Second

// Write is called by handlers.
func (w patientWriter) Write(text []byte) (int, error) {
	_ = w.rc.SetWriteDeadline(time.Now().Add(readTime))
	return w.ResponseWriter.Write(text)
}

// Unwrap lets [http.ResponseController] find the connection.
func (w patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// heartbeat is how often a stream says that the process is alive.
const heartbeat = 5 * time.Second

// sendEvents answers with server-sent events, those that events passes to send, and with comments that say that the
// process is alive. It ends when events returns, or if the peer has gone or does not read: then send is false. Nothing
// is answered before the first event: sendEvents reports whether there was one.
func sendEvents(w http.ResponseWriter, r *http.Request, beat func() []byte, events func(ctx context.Context, send func([]byte) bool)) bool {
	ctx, cancel := context.WithCancel(r.Context())
	texts := make(chan []byte)
	defer func() {
		for range texts { // until events has returned
		}
	}()
	defer cancel()
	go func() {
		defer close(texts)
		events(ctx, func(text []byte) bool {
			select {
			case texts <- text:
			case <-ctx.Done():
			}
			return ctx.Err() == nil
		})
	}()
	text, more := <-texts
	if !more {
		return false
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	beats := time.NewTicker(heartbeat)
	defer beats.Stop()
	for text = slices.Concat(text, beat()); more; {
		if _, err := w.Write(text); err != nil || http.NewResponseController(w).Flush() != nil {
			break
		}
		select {
		case text, more = <-texts:
		case <-beats.C:
			text = beat()
		case <-ctx.Done():
			more = false
		}
	}
	return true
}

// eventOf returns a document that is encoded as an event of a stream.
func eventOf(doc []byte) []byte { return slices.Concat([]byte("data: "), doc, []byte("\n\n")) }
