package hatpanel

import (
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

// room makes the brightness follow the light of the room. While the LEDs are dark, nothing is read.
type room struct {
	mu      sync.Mutex
	ask     func() (room float64, err error) // nil: no sensor
	palette string
	lit     bool // the LEDs are not dark for long
	there   bool // there is a matrix
	asks    bool // the timer is set, or its goroutine is running
	timer   *time.Timer
	is      int  // the brightness; 0: unknown
	told    bool // the sensor's failure was logged
}

// The light of a room changes in seconds or in hours, and LEDs that change often are a nuisance. So the
// sensor is read as often as the watchdog is told that the service lives. The brightness changes by
// stepBrightness at most, and not at all by less than leastChange.
const (
	roomInterval   = 15 * time.Second
	roomBackoff    = 5 * time.Minute // after a failure: most HATs have no sensor
	stepBrightness = 20
	leastChange    = 5
)

// Dim makes the brightness of a palette follow the light that ask returns, see [light.Brightness]. It
// calls ask every 15 s while the LEDs are lit. Dim(nil, "") stops these calls.
func (p *Panel) Dim(ask func() (room float64, err error), palette string) {
	r := &p.room
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ask, r.palette, r.is, r.told = ask, palette, 0, false
	p.startDimming()
}

// dim notes a change of what decides whether the sensor is read.
func (p *Panel) dim(change func(*room)) {
	r := &p.room
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
	p.startDimming()
}

// isLit notes which phase is shown.
func (p *Panel) isLit(phase game.Phase) {
	p.dim(func(r *room) { r.lit = phase != game.Dark && phase != game.Over })
}

// startDimming starts to read the sensor, or stops it. room.mu must be held.
func (p *Panel) startDimming() {
	switch r := &p.room; {
	case r.wanted() && !r.asks:
		r.asks = true
		r.timer = time.AfterFunc(0, p.askRoom)
	case !r.wanted() && r.asks && r.timer.Stop():
		r.asks, r.is = false, 0
	}
}

func (r *room) wanted() bool { return r.ask != nil && r.there && r.lit }

// askRoom reads the sensor, and schedules itself again while r.wanted.
func (p *Panel) askRoom() {
	r := &p.room
	r.mu.Lock()
	ask, wanted := r.ask, r.wanted()
	r.mu.Unlock()
	var roomLight float64
	var err error
	if wanted {
		roomLight, err = ask()
	}
	changed := false
	r.mu.Lock()
	if !wanted || !r.wanted() || p.ctx.Err() != nil {
		r.asks, r.is = false, 0 // after the dark, the next reading counts at once
		r.mu.Unlock()
		return
	}
	wait := roomInterval
	if err != nil {
		wait = roomBackoff
		if !r.told {
			p.log.Warn("the brightness does not follow the room", "reason", err)
		}
	} else if changed = r.adapt(light.Brightness(roomLight)); changed {
		p.SetColours(light.New(r.palette, r.is))
	}
	r.told = err != nil
	r.timer = time.AfterFunc(wait, p.askRoom)
	r.mu.Unlock() // show may find out that the matrix is gone, and needs the lock then
	if changed {
		p.showAgain()
	}
}

// adapt changes the brightness towards another one, the first time at once.
func (r *room) adapt(to int) (changed bool) {
	change := to - r.is
	if r.is > 0 {
		change = min(max(change, -stepBrightness), stepBrightness)
		if max(change, -change) < leastChange {
			return false
		}
	}
	r.is += change
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
