package server

import (
	"context"
	"net/http"
	"time"
)

// Backlog is how many events a reader may be behind: some seconds of a lively game, not
// counting what the kernel buffers.
const Backlog = 64

type Reader[E any] struct {
	Queue chan E
	Lost  chan struct{} // closed when the reader is too far behind
}

type Readers[E any] map[*Reader[E]]bool

func (rs *Readers[E]) Join() *Reader[E] {
	if *rs == nil {
		*rs = Readers[E]{}
	}
	r := &Reader[E]{make(chan E, Backlog), make(chan struct{})}
	(*rs)[r] = true
	return r
}

// Send passes an event to every reader, and never waits: it drops a reader that is too far
// behind, and closes its Lost.
func (rs Readers[E]) Send(event E) {
	for r := range rs {
		select {
		case r.Queue <- event:
		default:
			delete(rs, r)
			close(r.Lost)
		}
	}
}

type Stream struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
}

// NewStream begins an answer with a stream of events. The peer has patience to read each one.
func NewStream(w http.ResponseWriter, patience time.Duration) *Stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	return &Stream{w, http.NewResponseController(w), patience}
}

func (s *Stream) Send(event []byte) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.patience)) // every connection here has a deadline
	if _, err := s.w.Write(event); err != nil {
		return err
	}
	if err := s.control.Flush(); err != nil {
		return err
	}
	return s.control.SetWriteDeadline(time.Time{}) // no timer runs while nothing changes
}

// Follow sends a reader's events, as text encodes them, until the peer closes the connection or
// the reader is lost. It skips events for which text returns nil. No timer runs between events.
func Follow[E any](ctx context.Context, s *Stream, r *Reader[E], text func(E) []byte) (lost bool) {
	// The last bytes of the answer must not wait for the peer for ever either.
	defer func() { _ = s.control.SetWriteDeadline(time.Now().Add(s.patience)) }()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-r.Lost:
			return true
		case e := <-r.Queue:
			if event := text(e); event != nil && s.Send(event) != nil {
				return false
			}
		}
	}
}
