// Package hatpanel is the panel of the Sense HAT: it shows a view's frame on the LEDs, and turns presses
// of the joystick into events.
package hatpanel

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

// Panel is a Sense HAT as a session.Panel. Its matrix and its joystick may each be missing, in use by
// another process, or unplugged at any time: the panel waits for them. It logs each change once.
type Panel struct {
	ctx    context.Context
	cancel context.CancelFunc
	opts   *hat.Opts
	log    *slog.Logger

	devices Devices
	colours atomic.Pointer[light.Colours]

	sensing sync.Mutex // guards the next four
	upright sensor
	room    sensor
	phase   game.Phase // the phase that is shown
	there   bool       // there is a matrix

	// owned is closed once the matrix is ours. Until then the panel does not open the joystick:
	// another program may be about to open the HAT, and would fail if the joystick were in use.
	owned chan struct{}

	mu       sync.Mutex // guards the next four
	rotate   int        // as set by Rotate; -1: as in the options
	matrix   *hat.Matrix
	unwatch  context.CancelFunc // ends watch, which watches the matrix
	joystick *hat.Joystick

	closing sync.WaitGroup // waits while hangUp closes the joystick

	// showing is held by the goroutine that shows, with the five below: a channel of capacity one,
	// because testing/synctest treats a goroutine that waits for a Mutex as running.
	showing    chan struct{}
	everOwned  bool // owned is closed
	last       game.View
	shown      light.Frame
	complained time.Time
	screen     outage

	// Only Next uses these.
	down game.Key // pressed and not yet released
	keys outage
}

// New returns a panel for the HAT that the options name. The panel uses and closes the open
// devices m and s. If m or s is nil, the panel waits for that device.
func New(o *hat.Opts, m *hat.Matrix, s *hat.Joystick, log *slog.Logger) *Panel {
	return NewOf(kernel{}, o, m, s, log)
}

// NewOf is New for devices other than this machine's HAT, such as the emulator's.
func NewOf(d Devices, o *hat.Opts, m *hat.Matrix, s *hat.Joystick, log *slog.Logger) *Panel {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Panel{
		ctx: ctx, cancel: cancel, opts: o, log: log, joystick: s,
		owned: make(chan struct{}), showing: make(chan struct{}, 1),
		rotate: -1, phase: game.Over, devices: d, screen: outage{what: "matrix"}, keys: outage{what: "joystick"},
	}
	p.SetColours(light.New(light.Classic, light.Full))
	if m != nil {
		p.screen.there = true // the caller knows this, so it is not logged
		_ = p.own(m)          // it fails only after Close
	}
	return p
}

// SetColours sets the colours of the LEDs from the next frame on; at first they are the classic
// ones.
func (p *Panel) SetColours(c *light.Colours) { p.colours.Store(c) }

// Show writes the view's frame. If again is true, Show writes the frame even if the LEDs already
// show it. Without a matrix, Show waits for one; during the wait, the loop keeps the latest view.
// Show fails only if the first matrix cannot be opened and waiting does not help.
func (p *Panel) Show(v game.View, again bool) error {
	p.sense(func() { p.phase = v.Phase })
	p.showing <- struct{}{}
	defer func() { <-p.showing }()
	return p.show(v, again)
}

// show is Show with showing held.
func (p *Panel) show(v game.View, again bool) error {
	p.last = v
	for {
		m, err := p.openMatrix()
		if err != nil {
			return err
		}
		frame := p.colours.Load().Frame(&p.last.Frame)
		if again && m.RestoreGamma() {
			p.complain("the gamma table of the matrix was restored", errors.New("another program had changed it"))
		}
		switch {
		case again && frame == p.shown && p.last.Frame == (game.Frame{}):
			err = m.Check() // dark LEDs need no repetition, and the bus no traffic
		case again && frame == p.shown:
			err = m.Refresh()
		default:
			err = m.WriteFrame(&frame)
		}
		p.shown = frame
		if !errors.Is(err, hat.ErrGone) {
			if err != nil && p.ctx.Err() == nil {
				p.complain("cannot show a frame", err)
			}
			return nil
		}
		p.closeMatrix()
		if !p.lost(&p.screen, err) {
			return p.ctx.Err()
		}
	}
}

// complain logs a problem that may recur with every frame, at most once a minute.
func (p *Panel) complain(what string, err error) {
	if time.Since(p.complained) >= time.Minute {
		p.complained = time.Now()
		p.log.Warn(what, "reason", err)
	}
}

// darkTimeout is how long Close waits for the LEDs to go dark. A stuck bus must not keep the
// program from exiting.
const darkTimeout = 50 * time.Millisecond

// Close turns the LEDs off and closes the devices.
func (p *Panel) Close() {
	p.cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.closeMatrix()
	}()
	p.closeJoystick()
	p.closing.Wait() // hangUp may be closing the joystick
	select {
	case <-done:
	case <-time.After(darkTimeout):
		p.log.Error("the matrix is stuck: its LEDs may stay lit")
	}
}

// hangUp ends a blocked Show and Next.
func (p *Panel) hangUp() {
	p.cancel()
	p.closeJoystick()
}

// closeMatrix turns the LEDs off, if possible, and closes the matrix.
func (p *Panel) closeMatrix() {
	p.mu.Lock()
	m, unwatch := p.matrix, p.unwatch
	p.matrix, p.unwatch = nil, nil
	p.mu.Unlock()
	if unwatch != nil {
		unwatch()
	}
	if m == nil {
		return
	}
	p.sense(func() { p.there = false })
	if err := m.Close(); err != nil && !errors.Is(err, hat.ErrGone) {
		p.log.Error("the LEDs could not be turned off", "reason", err)
	}
}

func (p *Panel) closeJoystick() {
	p.mu.Lock()
	s := p.joystick
	p.joystick = nil
	if s != nil {
		p.closing.Add(1)
		defer p.closing.Done()
	}
	p.mu.Unlock()
	if s != nil {
		s.Close()
	}
}

// Present reports whether the matrix and the joystick are open. Until the matrix is, the joystick waits.
func (p *Panel) Present() (matrix, joystick bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.matrix != nil, p.joystick != nil
}
