package control

import (
	"net/http"
	"time"

	"github.com/c4hat/c4hat/internal/limit"
)

// maxStreams leaves eight connections for other requests.
const maxStreams = maxConns - 8

// events is GET /v1/events. Between two events it waits without a timer; the request's
// context ends when the reader closes the connection.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ []byte) error {
	leave, ok := s.streams.Take(connOf(r).User)
	if !ok {
		return limit.Refuse(http.StatusServiceUnavailable, "%d programs are watching already, or %d of yours: end one of them", maxStreams, s.streams.Share())
	}
	defer leave()
	// Join first, then ask for the current view, so that no change is missed.
	reader := s.hub.join()
	defer s.hub.leave(reader)
	v, gone, err := s.attend(r)
	if err != nil {
		return err
	}
	defer gone()
	first, err := encode(v)
	if err != nil {
		return err
	}

	rc := http.NewResponseController(w)
	// The final write must not wait for the reader either.
	defer func() { _ = rc.SetWriteDeadline(time.Now().Add(patience)) }()
	send := func(e *shown) error {
		_ = rc.SetWriteDeadline(time.Now().Add(patience)) // a Unix socket has one
		if _, err := w.Write(e.event); err != nil {
			return err
		}
		if err := rc.Flush(); err != nil {
			return err
		}
		return rc.SetWriteDeadline(time.Time{}) // no timer runs while nothing changes
	}

	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if send(first) != nil {
		return nil // the peer closed the connection
	}
	for _, e := range reader.after(v) {
		if send(e) != nil {
			return nil
		}
		v = e.view
	}
	for {
		select {
		case <-r.Context().Done():
			return nil
		case <-reader.lost:
			s.Log.Debug("a reader of the control socket's events was too slow and was dropped")
			return nil
		case e := <-reader.queue:
			if e.view == v {
				continue // the first view, shown only now
			}
			if send(e) != nil {
				return nil
			}
			v = e.view
		}
	}
}
