package httplimit

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Backlog is how many events a reader may be behind, not counting those that the kernel buffers. In
// a lively game, that many events take a few seconds.
const Backlog = 64

// Reader gets events through its queue.
type Reader[E any] struct {
	Queue chan E
	Lost  chan struct{} // closed when the reader is too far behind
}

// Readers is a set of readers that get the same events.
type Readers[E any] struct {
	mu  sync.Mutex
	all map[*Reader[E]]bool
}

// Join adds a reader. The caller must pass it to Leave later.
func (rs *Readers[E]) Join() *Reader[E] {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.all == nil {
		rs.all = map[*Reader[E]]bool{}
	}
	r := &Reader[E]{make(chan E, Backlog), make(chan struct{})}
	rs.all[r] = true
	return r
}

// Leave removes a reader. It does nothing if Send has dropped the reader.
func (rs *Readers[E]) Leave(r *Reader[E]) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	delete(rs.all, r)
}

// Count returns how many readers there are.
func (rs *Readers[E]) Count() int {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return len(rs.all)
}

// Send passes an event to every reader, and never waits: it drops a reader that is too far
// behind, and closes the reader's Lost.
func (rs *Readers[E]) Send(event E) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for r := range rs.all {
		select {
		case r.Queue <- event:
		default:
			delete(rs.all, r)
			close(r.Lost)
		}
	}
}

// Event returns a document as an event of a stream. If kind is empty, the event has no type.
func Event(kind string, doc []byte) []byte {
	event := make([]byte, 0, len(kind)+len(doc)+24)
	if kind != "" {
		event = append(event, "event: "...)
		event = append(event, kind...)
		event = append(event, '\n')
	}
	event = append(event, "data: "...)
	event = append(event, doc...)
	return append(event, "\n\n"...)
}

// Stream is an answer that consists of events.
type Stream struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
}

// NewStream begins an answer that is a stream of events. The peer must read each event within
// patience.
func NewStream(w http.ResponseWriter, patience time.Duration) *Stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	return &Stream{w, http.NewResponseController(w), patience}
}

// Send sends an event that [Event] has encoded.
func (s *Stream) Send(event []byte) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.patience)) // every connection here supports deadlines
	if _, err := s.w.Write(event); err != nil {
		return err
	}
	if err := s.control.Flush(); err != nil {
		return err
	}
	return s.control.SetWriteDeadline(time.Time{}) // no timer runs while nothing changes
}

// Follow sends a reader's events, as text encodes them, until the peer closes the connection or
// the reader is too far behind; lost is then true. It skips events for which text returns nil. No
// timer runs between events.
func Follow[E any](ctx context.Context, s *Stream, r *Reader[E], text func(E) []byte) (lost bool) {
	// The server must not wait forever for the peer to read the last bytes either.
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
