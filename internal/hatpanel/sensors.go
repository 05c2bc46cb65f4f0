package hatpanel

import (
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

// sensor is a sensor of the HAT that is read now and then, but only in some phases and never without
// a matrix.
type sensor struct {
	mu      sync.Mutex
	plan    plan
	once    bool // read it once in any phase
	phase   bool // the phase is one in which it is read
	there   bool // there is a matrix
	asks    bool // the timer is set, or its goroutine is running
	timer   *time.Timer
	is      int  // what the last reading led to; -1: unknown
	failing bool // the last reading failed, which was logged
}

// plan says how a sensor is read.
type plan struct {
	ask            func() (float64, error)          // nil: there is no sensor
	use            func(value float64) (again bool) // says whether to show the picture again; called with sensor.mu held
	every, backoff time.Duration                    // after a reading, and after one that failed
	failure        string                           // for the log
}

// The HAT's orientation is read every uprightInterval. The light of a room changes in seconds or in
// hours, and LEDs that change often are a nuisance. So the light is read as often as the watchdog is
// told that the service lives. The brightness changes by stepBrightness at most, and not at all by less
// than leastChange.
const (
	uprightInterval = time.Second
	uprightBackoff  = 10 * time.Second
	roomInterval    = 15 * time.Second
	roomBackoff     = 5 * time.Minute // most HATs have no sensor
	stepBrightness  = 20
	leastChange     = 5
)

// Follow rotates the picture and the joystick by the angle that ask returns. It calls ask once in
// any phase, then once a second while the phase is game.Attract or game.Menu, and never without a
// matrix: a bump against the table, or handing the HAT to another player, must not rotate the picture
// during a match. Follow(nil) stops these calls; until then, further calls of Follow are ignored.
func (p *Panel) Follow(ask func() (degrees int, err error)) {
	s := &p.upright
	s.change(p, func() {
		switch {
		case ask == nil:
			s.set(plan{})
		case s.plan.ask == nil:
			s.once = true
			s.set(plan{
				ask: func() (float64, error) { degrees, err := ask(); return float64(degrees), err },
				use: func(degrees float64) bool {
					if s.is != int(degrees) {
						s.is = int(degrees)
						p.Rotate(s.is) // with the lock held: until Rotate returns, no match starts and no reload rotates the picture
					}
					return false
				},
				every: uprightInterval, backoff: uprightBackoff, failure: "cannot rotate the picture automatically",
			})
		}
	})
}

// Dim makes the brightness of a palette follow the light that ask returns, see [light.Brightness]. It
// calls ask every 15 s while the LEDs are lit. Dim(nil, "") stops these calls.
func (p *Panel) Dim(ask func() (room float64, err error), palette string) {
	s := &p.room
	s.change(p, func() {
		s.set(plan{
			ask: ask,
			use: func(room float64) bool {
				if !s.adapt(light.Brightness(room)) {
					return false
				}
				p.SetColours(light.New(palette, s.is))
				return true
			},
			every: roomInterval, backoff: roomBackoff, failure: "the brightness does not follow the room",
		})
	})
}

// sense notes which phase is shown.
func (p *Panel) sense(phase game.Phase) {
	p.upright.change(p, func() { p.upright.phase = phase == game.Attract || phase == game.Menu })
	p.room.change(p, func() { p.room.phase = phase != game.Dark && phase != game.Over })
}

// seen notes whether there is a matrix.
func (p *Panel) seen(there bool) {
	for _, s := range []*sensor{&p.upright, &p.room} {
		s.change(p, func() { s.there = there })
	}
}

// set changes how the sensor is read. mu must be held.
func (s *sensor) set(to plan) { s.plan, s.is, s.failing = to, -1, false }

// change changes what decides whether the sensor is read, and starts to read it, or stops.
func (s *sensor) change(p *Panel, change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	switch {
	case s.wanted() && !s.asks:
		s.asks = true
		s.timer = time.AfterFunc(0, func() { s.read(p) })
	case !s.wanted() && s.asks && s.timer.Stop():
		s.rest()
	}
}

func (s *sensor) wanted() bool { return s.plan.ask != nil && s.there && (s.phase || s.once) }

// rest ends the readings; the next one counts at once.
func (s *sensor) rest() { s.asks, s.is = false, -1 }

// read reads the sensor, and schedules itself again while s.wanted.
func (s *sensor) read(p *Panel) {
	s.mu.Lock()
	plan := s.plan
	if !s.wanted() || p.ctx.Err() != nil {
		s.rest()
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	value, err := plan.ask()
	s.mu.Lock()
	again, wait := false, plan.every
	switch {
	case err != nil:
		wait = plan.backoff
		if !s.failing {
			p.log.Warn(plan.failure, "reason", err)
		}
	case s.wanted() && p.ctx.Err() == nil: // a match may have begun
		again = s.plan.use(value)
	}
	s.once, s.failing = false, err != nil
	if s.wanted() && p.ctx.Err() == nil {
		s.timer = time.AfterFunc(wait, func() { s.read(p) })
	} else {
		s.rest()
	}
	s.mu.Unlock() // show may find out that the matrix is gone, and needs the lock then
	if again {
		p.showAgain()
	}
}

// adapt changes the brightness towards another one, the first time at once.
func (s *sensor) adapt(to int) (changed bool) {
	change := to - s.is
	if s.is >= 0 {
		change = min(max(change, -stepBrightness), stepBrightness)
		if max(change, -change) < leastChange {
			return false
		}
	}
	s.is += change
	return true
}

// showAgain shows the last frame in the present colours, unless another frame is being shown.
func (p *Panel) showAgain() {
	select {
	case p.showing <- struct{}{}:
		if p.everOwned {
			_ = p.show(p.last, false) // the next frame reports an error
		}
		<-p.showing
	default:
	}
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
