package hatpanel

import (
	"context"
	"errors"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

// Devices waits for a HAT's matrix and its joystick, as [hat.AwaitMatrix] and
// [hat.AwaitJoystick] do.
type Devices interface {
	AwaitMatrix(context.Context, *hat.Opts, func(error)) (*hat.Matrix, error)
	AwaitJoystick(context.Context, *hat.Opts, func(error)) (*hat.Joystick, error)
}

// kernel opens the devices of this machine.
type kernel struct{}

func (kernel) AwaitMatrix(ctx context.Context, o *hat.Opts, report func(error)) (*hat.Matrix, error) {
	return hat.AwaitMatrix(ctx, o, report)
}

func (kernel) AwaitJoystick(ctx context.Context, o *hat.Opts, report func(error)) (*hat.Joystick, error) {
	return hat.AwaitJoystick(ctx, o, report)
}

// openMatrix waits for the matrix and returns it.
func (p *Panel) openMatrix() (*hat.Matrix, error) {
	p.mu.Lock()
	m := p.matrix
	p.mu.Unlock()
	if m != nil {
		return m, nil
	}
	for {
		m, err := p.devices.AwaitMatrix(p.ctx, p.opts, p.report(&p.screen))
		switch {
		case err == nil:
			return m, p.own(m)
		case p.ctx.Err() != nil || !p.everOwned:
			return nil, err
		}
		// The matrix has worked before, so it may work again.
		if !p.lost(&p.screen, err) {
			return nil, p.ctx.Err()
		}
	}
}

// device is an open matrix or joystick.
type device interface {
	Rotate(degrees int) error
	Close() error
}

// keep stores an open device in *place, or closes the device if the panel is already closed.
func keep[D device](p *Panel, place *D, d D) error {
	p.mu.Lock()
	err := p.ctx.Err()
	if err == nil {
		if p.rotate >= 0 {
			_ = d.Rotate(p.rotate) // the next frame reports an error
		}
		*place = d
	}
	p.mu.Unlock()
	if err != nil {
		d.Close()
	}
	return err
}

func (p *Panel) own(m *hat.Matrix) error {
	p.shown = light.Frame{}
	if err := keep(p, &p.matrix, m); err != nil {
		return err
	}
	if !p.everOwned {
		p.everOwned = true
		close(p.owned)
	}
	p.watch(m)
	p.sense(func() { p.there = true })
	p.found(&p.screen, m)
	return nil
}

// openJoystick waits for the joystick and returns it.
func (p *Panel) openJoystick() (*hat.Joystick, error) {
	p.mu.Lock()
	s := p.joystick
	p.mu.Unlock()
	if s != nil {
		return s, nil
	}
	select {
	case <-p.owned:
	case <-p.ctx.Done():
		return nil, p.ctx.Err()
	}
	s, err := p.devices.AwaitJoystick(p.ctx, p.opts, p.report(&p.keys))
	if err != nil {
		return nil, err
	}
	if err := keep(p, &p.joystick, s); err != nil {
		return nil, err
	}
	p.found(&p.keys, s)
	return s, nil
}

// outage records the failures of a device. A faulty device may open, fail at once, and do so again
// and again.
type outage struct {
	what    string
	began   time.Time     // when the device was opened; zero after it has failed
	backoff time.Duration // the wait before the last opening
	told    time.Time     // when its failure was last logged
	there   bool          // the last log line says that the device is there
}

const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 3 * time.Second
)

// lost logs that a device has failed, at most once a minute, and waits before the next opening.
// Each time that the device fails soon after it was opened, the wait gets longer. lost returns
// false if the panel is closed.
func (p *Panel) lost(o *outage, err error) bool {
	if time.Since(o.told) >= time.Minute {
		o.told = time.Now()
		p.waiting(o, "reason", err)
	}
	if !o.began.IsZero() && time.Since(o.began) > 2*maxBackoff {
		o.backoff = 0
	}
	o.began, o.backoff = time.Time{}, min(max(2*o.backoff, minBackoff), maxBackoff)
	select {
	case <-time.After(o.backoff):
		return true
	case <-p.ctx.Done():
		return false
	}
}

func (p *Panel) waiting(o *outage, why ...any) {
	o.there = false
	p.log.Warn("waiting for the "+o.what, why...)
}

// report returns a function that logs why the panel still waits for the device.
func (p *Panel) report(o *outage) func(error) {
	return func(err error) { p.waiting(o, "reason", err, "more", "c4hat doctor") }
}

// found logs that the device is there, unless the last line about it says so.
func (p *Panel) found(o *outage, device any) {
	o.began = time.Now()
	if !o.there {
		o.there = true
		p.log.Info("the "+o.what+" is there", "device", device)
	}
}

// watch restores the picture if the matrix is unplugged and plugged back in while there is
// nothing new to show.
func (p *Panel) watch(m *hat.Matrix) {
	ctx, cancel := context.WithCancel(p.ctx)
	p.mu.Lock()
	p.unwatch = cancel
	p.mu.Unlock()
	go func() {
		if m.AwaitGone(ctx) != nil {
			return
		}
		p.showing <- struct{}{}
		defer func() { <-p.showing }()
		p.mu.Lock()
		ours := p.matrix == m
		p.mu.Unlock()
		if !ours { // Show noticed first that the matrix was disconnected
			return
		}
		p.closeMatrix()
		if !p.lost(&p.screen, hat.ErrGone) {
			return
		}
		if err := p.show(p.last, true); err != nil && p.ctx.Err() == nil {
			p.complain("cannot show a frame", err)
		}
	}()
}

// Next waits for the joystick's next event. If there is no joystick, it waits for one.
func (p *Panel) Next(ctx context.Context) (game.Event, error) {
	defer context.AfterFunc(ctx, p.hangUp)()
	for {
		s, err := p.openJoystick()
		if err != nil {
			return nil, err
		}
		ev, err := s.ReadEvent()
		switch {
		case err == nil:
			press := game.Press{Key: gameKeys[ev.Key], Action: gameActions[ev.Action]}
			p.down = press.Key
			if press.Action == game.Released {
				p.down = 0
			}
			return press, nil
		case p.ctx.Err() != nil:
			return nil, context.Canceled
		case !errors.Is(err, hat.ErrGone):
			return nil, err
		}
		p.closeJoystick()
		if !p.lost(&p.keys, err) {
			return nil, context.Canceled
		}
		if p.down != 0 { // the key of a disconnected joystick counts as released
			released := game.Press{Key: p.down, Action: game.Released}
			p.down = 0
			return released, nil
		}
	}
}

var (
	gameKeys    = [...]game.Key{hat.Up: game.Up, hat.Down: game.Down, hat.Left: game.Left, hat.Right: game.Right, hat.Middle: game.Middle}
	gameActions = [...]game.Action{hat.Press: game.Pressed, hat.Hold: game.Held, hat.Release: game.Released}
)
