package web

import (
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/httplimit"
)

const (
	maxMisses = 3                // requests from one address that nobody has admitted
	missTime  = 10 * time.Minute // how long that address must then wait
	maxMissed = 1000             // addresses that are remembered
)

// pair handles POST /v1/pair: the LEDs show the digit that the page shows, and a press of the
// joystick admits the browser, which then gets a cookie. If the browser disconnects, the LEDs stop
// showing the digit.
func (s *Server) pair(w http.ResponseWriter, r *http.Request, body []byte) error {
	digit, err := api.ReadAdmit(body)
	switch {
	case err != nil:
		return httplimit.Refuse(http.StatusBadRequest, "%v", err)
	case s.Pairings == nil:
		return httplimit.Refuse(http.StatusConflict, "no pairing is needed here")
	}
	address := browserOf(r).address
	if wait := s.misses.wait(address, time.Now()); wait > 0 {
		return httplimit.Refuse(http.StatusTooManyRequests, "nobody has admitted this browser: try again in %d min", int(wait.Minutes())+1)
	}
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Time{}) // a press may take half a minute; Answer sets a new deadline
	admitted, err := browserOf(r).game.Admit(r.Context(), digit)
	if err != nil && r.Context().Err() == nil {
		return err
	}
	if !admitted {
		s.misses.add(address, time.Now())
		return httplimit.Refuse(http.StatusForbidden, "this browser was not admitted")
	}
	s.misses.forget(address)
	cookie, err := s.Pairings.issue()
	if err != nil {
		return err
	}
	s.Log.Info("a browser is paired", "address", address)
	http.SetCookie(w, cookie)
	s.http.Answer(w, http.StatusOK, map[string]bool{"paired": true})
	return nil
}

// misses counts, for each address, the requests that nobody has admitted.
type misses struct {
	mu sync.Mutex
	of map[netip.Addr]miss
}

type miss struct {
	count int
	last  time.Time
}

// wait returns how long an address must wait before its next request.
func (m *misses) wait(a netip.Addr, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of[a].count < maxMisses {
		return 0
	}
	return m.of[a].last.Add(missTime).Sub(now)
}

func (m *misses) add(a netip.Addr, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.of[a]
	if now.Sub(old.last) >= missTime {
		old.count = 0
	}
	if len(m.of) >= maxMissed {
		maps.DeleteFunc(m.of, func(_ netip.Addr, m miss) bool { return now.Sub(m.last) >= missTime })
	}
	if m.of == nil {
		m.of = map[netip.Addr]miss{}
	}
	if len(m.of) < maxMissed { // if the table is full, only the game's own pauses between requests limit this address
		m.of[a] = miss{old.count + 1, now}
	}
}

func (m *misses) forget(a netip.Addr) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of, a)
}
