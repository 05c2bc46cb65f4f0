package web

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/internal/httplimit"
	"github.com/c4hat/c4hat/internal/socket"
)

// route is a request that the page makes.
type route struct {
	may    func(*Server, *http.Request) bool
	answer func(*Server, http.ResponseWriter, *http.Request, []byte) error
}

func anybody(*Server, *http.Request) bool { return true }

var (
	watch = (*Server).mayWatch
	press = (*Server).mayPress
)

// routes has the paths of doc/socket.md that the page uses, and two that the socket does not have:
// analyse and pair.
var routes = map[string]map[string]route{
	"/v1/events":  {"GET": {watch, (*Server).events}},
	"/v1/matches": {"GET": {watch, (*Server).matches}},
	"/v1/press":   {"POST": {press, (*Server).forward}},
	"/v1/match":   {"POST": {press, (*Server).forward}, "DELETE": {press, (*Server).forward}},
	"/v1/seat":    {"POST": {press, (*Server).forward}, "DELETE": {press, (*Server).forward}},
	"/v1/analyse": {"POST": {watch, (*Server).analyse}},
	"/v1/pair":    {"POST": {anybody, (*Server).pair}},
}

// handle answers a request that guard accepts.
func (s *Server) handle(w http.ResponseWriter, r *http.Request, body []byte, unread error) error {
	defer s.begin()()
	head(w.Header())
	if err := cmp.Or(unread, s.guard(r)); err != nil {
		return err
	}
	methods, ok := routes[r.URL.Path]
	if !ok {
		methods = s.assets[r.URL.Path]
	}
	if len(methods) == 0 || r.URL.RawPath != "" {
		return httplimit.Refuse(http.StatusNotFound, "there is no such page")
	}
	to, ok := methods[r.Method]
	switch {
	case !ok:
		allowed := strings.Join(slices.Sorted(maps.Keys(methods)), ", ")
		w.Header().Set("Allow", allowed)
		return httplimit.Refuse(http.StatusMethodNotAllowed, "want %s", allowed)
	case !to.may(s, r):
		return httplimit.Refuse(http.StatusUnauthorized, "this browser is not paired with the HAT")
	}
	return to.answer(s, w, r, body)
}

// status returns the HTTP status for an error that is not a [httplimit.Refusal]. The page shows the
// text of the error.
func status(_ *http.Request, err error) int {
	if errors.Is(err, socket.ErrNoDaemon) || errors.Is(err, socket.ErrLost) {
		return http.StatusServiceUnavailable
	}
	return http.StatusBadGateway
}

// forward passes a request to the game's socket, and the answer back to the browser. The socket
// checks the body.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, body []byte) error {
	if r.URL.RawQuery != "" {
		return httplimit.Refuse(http.StatusBadRequest, "%s takes no query", r.URL.Path)
	}
	done, err := s.ask(r)
	if err != nil {
		return err
	}
	defer done()
	client := browserOf(r).game.Seated(r.Header.Get(socket.TokenHeader))
	got, err := client.Forward(r.Context(), r.Method, r.URL.Path, body)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(got.StatusCode)
	_, _ = io.Copy(w, got.Body) // either end may have closed its connection
	return nil
}
