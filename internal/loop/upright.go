package loop

import (
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// upright has the picture turned by what knows which way is up. A table that is bumped,
// or a HAT that is handed over, must not turn a match: it is asked where nobody plays.
type upright struct {
	mu    sync.Mutex
	ask   func() (degrees int, err error) // nil: nobody
	once  bool                            // whatever is shown: nothing is known yet
	rests bool                            // attract or the menu is shown
	there bool                            // and there is a matrix to show it
	asks  bool                            // a timer is set, or its goroutine runs
	is    int
	told  bool // that nobody knows
}

// askEvery is the time between two questions, and askAgain that after one which nobody
// could answer.
const (
	askEvery = time.Second
	askAgain = 10 * time.Second
)

// Follow turns picture and joystick from now on as ask says: at once, and then once a
// second while attract or the menu is shown, never in a match, nor where there is no
// matrix. nil ends that; until then another ask changes nothing.
func (h *HAT) Follow(ask func() (degrees int, err error)) {
	u := &h.upright
	u.mu.Lock()
	defer u.mu.Unlock()
	if ask != nil && u.ask != nil {
		return
	}
	u.ask, u.once, u.is, u.told = ask, ask != nil, -1, false
	h.setOff()
}

// follow is told what is shown.
func (h *HAT) follow(p game.Phase) {
	u := &h.upright
	u.mu.Lock()
	defer u.mu.Unlock()
	u.rests = p == game.Attract || p == game.Menu
	h.setOff()
}

// seen is told whether there is a matrix.
func (h *HAT) seen(there bool) {
	u := &h.upright
	u.mu.Lock()
	defer u.mu.Unlock()
	u.there = there
	h.setOff()
}

// setOff begins to ask, if that is wanted. upright.mu is held.
func (h *HAT) setOff() {
	if u := &h.upright; u.wanted() && !u.asks {
		u.asks = true
		time.AfterFunc(0, h.askUp)
	}
}

func (u *upright) wanted() bool { return u.ask != nil && u.there && (u.rests || u.once) }

// askUp asks, and comes again while that is wanted.
func (h *HAT) askUp() {
	u := &h.upright
	u.mu.Lock()
	ask := u.ask
	if !u.wanted() || h.ctx.Err() != nil {
		u.asks = false
		u.mu.Unlock()
		return
	}
	u.mu.Unlock()
	degrees, err := ask()
	u.mu.Lock()
	defer u.mu.Unlock()
	wait := askEvery
	switch {
	case err != nil:
		wait = askAgain
		if !u.told {
			u.told = true
			h.log.Warn("the picture is not turned by itself", "reason", err)
		}
	case u.wanted() && degrees != u.is: // a match may have begun
		u.is = degrees
		h.Rotate(degrees) // with the lock held: no match begins meanwhile, nor does a reload turn it
	}
	u.once = false
	time.AfterFunc(wait, h.askUp)
}
