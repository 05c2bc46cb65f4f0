package httplimit

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// Backlog is how many events a reader may be behind, not counting those that the kernel buffers. In
// a lively game, that many events take a few seconds.
const Backlog = 64

// Readers is a set of readers that get the same events. Each has a queue, which is closed when the
// reader is too far behind.
type Readers[E any] struct {
	mu  sync.Mutex
	all map[chan E]bool
}

// Join adds a reader. The caller must pass its queue to Leave later.
func (rs *Readers[E]) Join() (queue chan E) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.all == nil {
		rs.all = map[chan E]bool{}
	}
	queue = make(chan E, Backlog)
	rs.all[queue] = true
	return queue
}

// Leave removes a reader. It does nothing if Send has dropped the reader.
func (rs *Readers[E]) Leave(queue chan E) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	delete(rs.all, queue)
}

// Count returns how many readers there are.
func (rs *Readers[E]) Count() int {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return len(rs.all)
}

// Send passes an event to every reader, and never waits: it drops a reader that is too far behind.
func (rs *Readers[E]) Send(event E) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for queue := range rs.all {
		select {
		case queue <- event:
		default:
			delete(rs.all, queue)
			close(queue)
		}
	}
}

// Event returns a document as an event of a stream. If kind is empty, the event has no type.
func Event(kind string, doc []byte) []byte {
	head := "data: "
	if kind != "" {
		head = "event: " + kind + "\n" + head
	}
	return slices.Concat([]byte(head), doc, []byte("\n\n"))
}

// Stream answers with a stream of events: first, and then those of a reader's queue, as text encodes
// them. It skips events for which text returns nil. It ends when the peer closes the connection,
// does not read an event within patience, or is too far behind; lost is then true. No timer runs
// between events.
func Stream[E any](w http.ResponseWriter, r *http.Request, patience time.Duration, first []byte, queue <-chan E, text func(E) []byte) (lost bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	rc := http.NewResponseController(w)
	// Every connection here supports deadlines. The peer must read the last bytes in time too.
	limit := func() { _ = rc.SetWriteDeadline(time.Now().Add(patience)) }
	defer limit()
	for event := first; ; {
		if event != nil {
			limit()
			if _, err := w.Write(event); err != nil || rc.Flush() != nil || rc.SetWriteDeadline(time.Time{}) != nil {
				return false
			}
		}
		select {
		case <-r.Context().Done():
			return false
		case e, more := <-queue:
			if !more {
				return true
			}
			event = text(e)
		}
	}
}
