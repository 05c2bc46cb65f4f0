package hatpanel

import (
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// upright rotates the picture by an orientation sensor. After the first reading the sensor is read
// only between matches: a bump against the table, or handing the HAT to another player, must not
// rotate the picture during a match.
type upright struct {
	mu    sync.Mutex
	ask   func() (degrees int, err error) // nil: no sensor
	once  bool                            // the sensor has not been read: read it in any phase
	rests bool                            // the phase is game.Attract or game.Menu
	there bool                            // there is a matrix
	asks  bool                            // a timer is set, or its goroutine is running
	is    int                             // the rotation in degrees; -1: unknown
	told  bool                            // the sensor's failure was logged
}

// askInterval is the time between two readings, and askBackoff the time after a failed one.
const (
	askInterval = time.Second
	askBackoff  = 10 * time.Second
)

// Follow rotates the picture and the joystick by the angle that ask returns. It calls ask once in
// any phase, then once a second while the phase is game.Attract or game.Menu, and never without a
// matrix. Follow(nil) stops these calls; until then, further calls of Follow are ignored.
func (p *Panel) Follow(ask func() (degrees int, err error)) {
	u := &p.upright
	u.mu.Lock()
	defer u.mu.Unlock()
	if ask != nil && u.ask != nil {
		return
	}
	u.ask, u.once, u.is, u.told = ask, ask != nil, -1, false
	p.startAsking()
}

// follow notes which phase is shown.
func (p *Panel) follow(phase game.Phase) {
	u := &p.upright
	u.mu.Lock()
	defer u.mu.Unlock()
	u.rests = phase == game.Attract || phase == game.Menu
	p.startAsking()
}

// seen notes whether there is a matrix.
func (p *Panel) seen(there bool) {
	u := &p.upright
	u.mu.Lock()
	defer u.mu.Unlock()
	u.there = there
	p.startAsking()
	p.dim(func(r *room) { r.there = there })
}

// startAsking starts to read the sensor, if u.wanted. upright.mu must be held.
func (p *Panel) startAsking() {
	if u := &p.upright; u.wanted() && !u.asks {
		u.asks = true
		time.AfterFunc(0, p.askUpright)
	}
}

func (u *upright) wanted() bool { return u.ask != nil && u.there && (u.rests || u.once) }

// askUpright reads the sensor, and schedules itself again while u.wanted.
func (p *Panel) askUpright() {
	u := &p.upright
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.wanted() || p.ctx.Err() != nil {
		u.asks = false
		return
	}
	ask := u.ask
	u.mu.Unlock()
	degrees, err := ask()
	u.mu.Lock()
	wait := askInterval
	switch {
	case err != nil:
		wait = askBackoff
		if !u.told {
			u.told = true
			p.log.Warn("cannot rotate the picture automatically", "reason", err)
		}
	case u.wanted() && degrees != u.is: // a match may have begun
		u.is = degrees
		p.Rotate(degrees) // with the lock held: until Rotate returns, no match starts and no reload rotates the picture
	}
	u.once = false
	time.AfterFunc(wait, p.askUpright)
}

// Rotate sets the rotation of the picture and the joystick to 0, 90, 180 or 270 degrees; see
// [hat.Opts]. While a write to the matrix hangs, Rotate waits.
func (p *Panel) Rotate(degrees int) {
	p.mu.Lock()
	p.rotate = degrees
	m, s := p.matrix, p.joystick
	p.mu.Unlock()
	if s != nil {
		_ = s.Rotate(degrees)
	}
	if m != nil {
		_ = m.Rotate(degrees) // the next frame reports an error
	}
}
