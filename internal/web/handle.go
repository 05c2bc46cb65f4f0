package web

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/server"
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

// routes are the paths of doc/socket.md that the page uses, and its own.
var routes = map[string]map[string]route{
	"/v1/events":  {"GET": {watch, (*Server).events}},
	"/v1/matches": {"GET": {watch, (*Server).matches}},
	"/v1/press":   {"POST": {press, (*Server).forward}},
	"/v1/match":   {"POST": {press, (*Server).forward}, "DELETE": {press, (*Server).forward}},
	"/v1/seat":    {"POST": {press, (*Server).forward}, "DELETE": {press, (*Server).forward}},
	"/v1/analyse": {"POST": {watch, (*Server).analyse}},
	"/v1/pair":    {"POST": {anybody, (*Server).pair}},
}

// handle answers every request.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	defer s.begin()()
	defer server.Recover(s.Log, "the page", r)
	head(w.Header())
	if s.pace.Wait(r.Context(), browserOf(r).User) != nil {
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
	body, err := server.ReadBody(w, r, patience)
	if err == nil {
		err = s.guard(r)
	}
	if err == nil {
		err = s.route(w, r, body)
	}
	if err != nil && r.Context().Err() == nil {
		fail(w, err)
	}
}

func (s *Server) route(w http.ResponseWriter, r *http.Request, body []byte) error {
	methods, ok := routes[r.URL.Path]
	if !ok {
		methods = s.assets[r.URL.Path]
	}
	if len(methods) == 0 || r.URL.RawPath != "" {
		return server.Refuse(http.StatusNotFound, "there is no such page")
	}
	to, ok := methods[r.Method]
	switch {
	case !ok:
		allowed := strings.Join(slices.Sorted(maps.Keys(methods)), ", ")
		w.Header().Set("Allow", allowed)
		return server.Refuse(http.StatusMethodNotAllowed, "want %s", allowed)
	case !to.may(s, r):
		return server.Refuse(http.StatusUnauthorized, "this browser is not paired with the HAT")
	}
	return to.answer(s, w, r, body)
}

// fail answers with an error. What the game's socket says is for people too.
func fail(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	switch {
	case errors.Is(err, game.ErrAdmitSoon):
		status = http.StatusTooManyRequests
	case errors.Is(err, game.ErrAdmitting), errors.Is(err, game.ErrAdmitMatch):
		status = http.StatusConflict
	case errors.Is(err, control.ErrNoDaemon), errors.Is(err, control.ErrLost):
		status = http.StatusServiceUnavailable
	}
	server.Fail(w, answerTime, status, err)
}

// forward passes a request to the game's socket, and its answer back. The socket checks
// what is in it.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, body []byte) error {
	if r.URL.RawQuery != "" {
		return server.Refuse(http.StatusBadRequest, "%s takes no query", r.URL.Path)
	}
	done, err := s.ask(r)
	if err != nil {
		return err
	}
	defer done()
	client := browserOf(r).game
	if token := r.Header.Get(control.TokenHeader); token != "" {
		client = client.Seated(token)
	}
	got, err := client.Forward(r.Context(), r.Method, r.URL.Path, body)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(got.StatusCode)
	_, _ = io.Copy(w, got.Body) // either end may have gone
	return nil
}
