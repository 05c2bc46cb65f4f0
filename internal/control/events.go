package control

import (
	"net/http"

	"github.com/c4hat/c4hat/internal/server"
)

// maxStreams is how many streams may be open. It leaves eight connections for other requests.
const maxStreams = maxConns - 8

// events handles GET /v1/events.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ []byte) error {
	leave, ok := s.streams.Take(server.ConnOf(r).User)
	if !ok {
		return server.Refuse(http.StatusServiceUnavailable, "%d programs are watching already, or %d of yours: end one of them", maxStreams, s.streams.Share())
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
	stream := server.NewStream(w, patience)
	for _, e := range append([]*shown{first}, after(reader, v)...) {
		if stream.Send(e.event) != nil {
			return nil // the peer closed the connection
		}
		v = e.view
	}
	lost := server.Follow(r.Context(), stream, reader, func(e *shown) []byte {
		if e.view == v {
			return nil // the first view again, from the queue
		}
		v = e.view
		return e.event
	})
	if lost {
		s.Log.Debug("a reader of the control socket's events was too slow and was dropped")
	}
	return nil
}
