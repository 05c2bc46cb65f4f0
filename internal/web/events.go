package web

import (
	"encoding/json"
	"net/http"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/httplimit"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/socket"
)

// events handles GET /v1/events. It first sends an event that says what the browser may do, and
// then the events of the game's socket. While nothing changes, it sends only the keep-alive.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ []byte) error {
	leave, ok := s.streams.Take(browserOf(r).User)
	if !ok {
		return httplimit.Refuse(http.StatusServiceUnavailable, "too many pages are open: close one, and reload this one")
	}
	defer leave()
	f := s.feed
	if token := r.Header.Get(socket.TokenHeader); token != "" { // this stream keeps a seat
		select {
		case s.seated <- struct{}{}:
			defer func() { <-s.seated }()
		default:
			return httplimit.Refuse(http.StatusServiceUnavailable, "too many browsers hold a seat")
		}
		f = &feed{client: browserOf(r).game.Seated(token)}
	}
	reader := f.join()
	defer f.leave(reader)

	stream := httplimit.NewStream(w, patience)
	may := s.mayPress(r)
	first, _ := json.Marshal(api.You{Press: may, Pair: !may, Alone: s.Pairings == nil, Host: s.host, Levels: levels.Names()})
	if stream.Send(httplimit.Event("you", first)) == nil {
		httplimit.Follow(r.Context(), stream, reader, func(event []byte) []byte { return event })
	}
	return nil // a browser whose stream ends reconnects
}
