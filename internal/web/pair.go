package web

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/httplimit"
)

// An address may ask askBurst times, and then once per askTime, in seconds. A request that nobody admits counts
// as missCost more: after three of these the address must wait ten minutes.
const (
	askBurst = 12
	askTime  = 180
	missCost = 4
)

// pair handles POST /v1/pair: somebody at the HAT admits the browser by choosing the digit that the
// page shows, and the browser gets a cookie. If the browser disconnects, the HAT stops asking.
func (s *Server) pair(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	digit, err := api.ReadAdmit(body)
	address := browserOf(r).User
	switch {
	case err != nil:
		return nil, httplimit.Refuse(http.StatusBadRequest, "%v", err)
	case !s.Joystick:
		return nil, httplimit.Refuse(http.StatusConflict, "there is no HAT to pair at: open the link that c4hat web printed")
	case !s.asked.Of(address).Allow():
		return nil, httplimit.Refuse(http.StatusTooManyRequests, "nobody has admitted this browser: try again in ten minutes")
	}
	if !s.pairing.TryLock() {
		return nil, httplimit.Refuse(http.StatusConflict, "%v", game.ErrAdmitting)
	}
	defer s.pairing.Unlock()
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // an answer may take half a minute; Answer sets a new deadline
	admitted, err := s.Game.Admit(r.Context(), digit, func() { s.tell("asks", int64(digit)) })
	if err != nil && r.Context().Err() == nil {
		return nil, err
	}
	if !admitted {
		s.asked.Of(address).ReserveN(time.Now(), missCost)
		return nil, httplimit.Refuse(http.StatusForbidden, "this browser was not admitted: another digit was chosen, or nobody answered within 30 seconds")
	}
	s.asked.Forget(address)
	if err := s.issue(w, r); err != nil {
		return nil, err
	}
	return map[string]bool{"paired": true}, nil
}

func (s *Server) issue(w http.ResponseWriter, r *http.Request) error {
	cookie, err := s.Pairings.issue()
	if err != nil {
		return err
	}
	s.Log.Info("a browser is paired", "address", addressOf(browserOf(r)))
	http.SetCookie(w, cookie)
	return nil
}

// link returns the path of the next link, if key is that of the last one.
func (s *Server) link(key string) (path string, valid bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Invite == nil || subtle.ConstantTimeCompare([]byte(key), []byte(s.secret)) != 1 {
		return "", false
	}
	s.secret = rand.Text()
	return "/?key=" + s.secret, true
}

// enter pairs a browser that opens a link, and leads it to the page. Other browsers get
// the page at once.
func (s *Server) enter(page httplimit.Handler) httplimit.Handler {
	return func(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
		key := r.URL.Query().Get("key")
		if key == "" {
			return page(w, r, body)
		}
		if path, valid := s.link(key); valid {
			if err := s.issue(w, r); err != nil {
				return nil, err
			}
			_ = s.Invite(path) // the first browser has its link
		}
		w.Header().Set("Location", "/")
		w.WriteHeader(http.StatusSeeOther)
		return nil, nil
	}
}
