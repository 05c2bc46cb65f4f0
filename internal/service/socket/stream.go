package socket

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// heartbeat is how often a stream says that the process is alive.
const heartbeat = 5 * time.Second

// stream answers with server-sent events. Between them, comments say that the process is alive. The stream ends
// with the events or the context, or when the peer does not read.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, first []byte, events <-chan []byte) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	rc := http.NewResponseController(w)
	beats := time.NewTicker(heartbeat)
	defer beats.Stop()
	for event, more := append(first, s.beat()...), true; more; {
		if _, err := w.Write(event); err != nil || rc.Flush() != nil {
			return
		}
		select {
		case event, more = <-events:
		case <-beats.C:
			event = s.beat()
		case <-ctx.Done():
			return
		}
	}
}

// beat returns a heartbeat: a comment with the time on the server's clock.
func (s *Server) beat() []byte { return fmt.Appendf(nil, ": %d\n\n", s.now()) }
