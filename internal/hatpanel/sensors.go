package hatpanel

import (
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

// sensor is a sensor of the HAT that is read now and then, but only in some phases and never without
// a matrix.
type sensor struct {
	plan
	once    bool // read it once in any phase
	asks    bool // the timer is set, or its goroutine is running
	timer   *time.Timer
	is      int  // what the last reading led to; -1: unknown
	failing bool // the last reading failed, which was logged
}

// plan says how a sensor is read.
type plan struct {
	ask            func() (float64, error)          // nil: there is no sensor
	use            func(value float64) (again bool) // says whether to show the picture again; called with sensing held
	in             func(game.Phase) bool            // the phases in which it is read
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
	p.sense(func() {
		switch {
		case ask == nil:
			s.set(plan{})
		case s.ask == nil:
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
				in:    func(phase game.Phase) bool { return phase == game.Attract || phase == game.Menu },
				every: uprightInterval, backoff: uprightBackoff, failure: "cannot rotate the picture automatically",
			})
		}
	})
}

// Dim makes the brightness of a palette follow the light that ask returns, see [light.Brightness]. It
// calls ask every 15 s while the LEDs are lit. Dim(nil, "") stops these calls.
func (p *Panel) Dim(ask func() (room float64, err error), palette string) {
	s := &p.room
	p.sense(func() {
		s.set(plan{
			ask: ask,
			use: func(room float64) bool {
				if !s.adapt(light.Brightness(room)) {
					return false
				}
				p.SetColours(light.New(palette, s.is))
				return true
			},
			in:    func(phase game.Phase) bool { return phase != game.Dark && phase != game.Over },
			every: roomInterval, backoff: roomBackoff, failure: "the brightness does not follow the room",
		})
	})
}

// set changes how the sensor is read.
func (s *sensor) set(to plan) { s.plan, s.is, s.failing = to, -1, false }

// sense changes what decides whether the sensors are read, and starts to read them, or stops.
func (p *Panel) sense(change func()) {
	p.sensing.Lock()
	defer p.sensing.Unlock()
	change()
	for _, s := range []*sensor{&p.upright, &p.room} {
		switch wanted := p.wants(s); {
		case wanted && !s.asks:
			s.asks = true
			s.timer = time.AfterFunc(0, func() { p.read(s) })
		case !wanted && s.asks && s.timer.Stop():
			s.rest()
		}
	}
}

func (p *Panel) wants(s *sensor) bool {
	return s.ask != nil && p.there && (s.once || s.in(p.phase)) && p.ctx.Err() == nil
}

// rest ends the readings; the next one counts at once.
func (s *sensor) rest() { s.asks, s.is = false, -1 }

// read reads a sensor, and schedules itself again while that is wanted.
func (p *Panel) read(s *sensor) {
	p.sensing.Lock()
	plan := s.plan
	if !p.wants(s) {
		s.rest()
		p.sensing.Unlock()
		return
	}
	p.sensing.Unlock()
	value, err := plan.ask()
	p.sensing.Lock()
	again, wait := false, plan.every
	switch {
	case err != nil:
		wait = plan.backoff
		if !s.failing {
			p.log.Warn(plan.failure, "reason", err)
		}
	case p.wants(s): // a match may have begun
		again = s.use(value)
	}
	s.once, s.failing = false, err != nil
	if p.wants(s) {
		s.timer = time.AfterFunc(wait, func() { p.read(s) })
	} else {
		s.rest()
	}
	p.sensing.Unlock() // show may find out that the matrix is gone, and needs the lock then
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
