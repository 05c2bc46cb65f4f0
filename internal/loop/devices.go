package loop

import (
	"context"
	"errors"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/light"
)

// Devices are where a HAT's matrix and its joystick are waited for, as
// [hat.AwaitMatrix] and [hat.AwaitStick] do.
type Devices interface {
	AwaitMatrix(context.Context, *hat.Opts, func(error)) (*hat.Matrix, error)
	AwaitStick(context.Context, *hat.Opts, func(error)) (*hat.Stick, error)
}

// kernel has the devices of this machine.
type kernel struct{}

func (kernel) AwaitMatrix(ctx context.Context, o *hat.Opts, report func(error)) (*hat.Matrix, error) {
	return hat.AwaitMatrix(ctx, o, report)
}

func (kernel) AwaitStick(ctx context.Context, o *hat.Opts, report func(error)) (*hat.Stick, error) {
	return hat.AwaitStick(ctx, o, report)
}

// outage is what is to be remembered of a device that comes and goes: one may open and
// fail at once, again and again.
type outage struct {
	what  string
	began time.Time     // the device was opened then; zero since it failed
	pause time.Duration // before the last opening
	told  time.Time     // that it has failed
	there bool          // was told, and nothing since
}

const (
	shortPause = 100 * time.Millisecond
	longPause  = 3 * time.Second
)

// lost tells of a device that has failed, at most once a minute, and waits a little before
// it is opened again: longer each time that it fails soon. False means that the panel is
// closed.
func (h *HAT) lost(o *outage, err error) bool {
	if o.told.IsZero() || time.Since(o.told) >= time.Minute {
		o.told = time.Now()
		h.waiting(o, "reason", err)
	}
	if !o.began.IsZero() && time.Since(o.began) > 2*longPause {
		o.pause = 0
	}
	o.began, o.pause = time.Time{}, min(max(2*o.pause, shortPause), longPause)
	select {
	case <-time.After(o.pause):
		return true
	case <-h.ctx.Done():
		return false
	}
}

func (h *HAT) waiting(o *outage, why ...any) {
	o.there = false
	h.log.Warn("waiting for the "+o.what, why...)
}

// report is for what the device is waited for, if it lasts.
func (h *HAT) report(o *outage) func(error) {
	return func(err error) { h.waiting(o, "reason", err, "more", "c4hat doctor") }
}

// found tells that the device is there, unless that was told last.
func (h *HAT) found(o *outage, device any) {
	o.began = time.Now()
	if !o.there {
		o.there = true
		h.log.Info("the "+o.what+" is there", "device", device)
	}
}

// watch brings the picture back when the matrix goes away and comes back while
// there is nothing new to show.
func (h *HAT) watch(m *hat.Matrix) {
	ctx, cancel := context.WithCancel(h.ctx)
	h.mu.Lock()
	h.unwatch = cancel
	h.mu.Unlock()
	go func() {
		if m.AwaitGone(ctx) != nil {
			return
		}
		h.showing <- struct{}{}
		defer func() { <-h.showing }()
		h.mu.Lock()
		ours := h.matrix == m
		h.mu.Unlock()
		if !ours { // a frame noticed first
			return
		}
		h.closeMatrix()
		if !h.lost(&h.screen, hat.ErrGone) {
			return
		}
		if err := h.show(h.last, true); err != nil && h.ctx.Err() == nil {
			h.complain("a frame was not shown", err)
		}
	}()
}

// openMatrix is the matrix, once there is one.
func (h *HAT) openMatrix() (*hat.Matrix, error) {
	h.mu.Lock()
	m := h.matrix
	h.mu.Unlock()
	if m != nil {
		return m, nil
	}
	for {
		m, err := h.devices.AwaitMatrix(h.ctx, h.opts, h.report(&h.screen))
		switch {
		case err == nil:
			return m, h.own(m)
		case h.ctx.Err() != nil || !h.everOwned():
			return nil, err
		}
		// It worked once, so it may again.
		if !h.lost(&h.screen, err) {
			return nil, h.ctx.Err()
		}
	}
}

// own takes a matrix that was opened. One that comes when the panel is closed
// already is let go.
func (h *HAT) own(m *hat.Matrix) error {
	h.mu.Lock()
	err := h.ctx.Err()
	if err == nil {
		if h.rotate >= 0 {
			_ = m.Rotate(h.rotate) // what is wrong with it shows with the next frame
		}
		h.matrix, h.shown = m, light.Frame{}
	}
	h.mu.Unlock()
	if err != nil {
		m.Close()
		return err
	}
	if !h.everOwned() {
		close(h.owned)
	}
	h.watch(m)
	h.seen(true)
	h.found(&h.screen, m)
	return nil
}

func (h *HAT) everOwned() bool {
	select {
	case <-h.owned:
		return true
	default:
		return false
	}
}

// openStick is the joystick, once there is one.
func (h *HAT) openStick() (*hat.Stick, error) {
	h.mu.Lock()
	s := h.stick
	h.mu.Unlock()
	if s != nil {
		return s, nil
	}
	select {
	case <-h.owned:
	case <-h.ctx.Done():
		return nil, h.ctx.Err()
	}
	s, err := h.devices.AwaitStick(h.ctx, h.opts, h.report(&h.keys))
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	err = h.ctx.Err()
	if err == nil {
		if h.rotate >= 0 {
			_ = s.Rotate(h.rotate) // which Rotate has checked
		}
		h.stick = s
	}
	h.mu.Unlock()
	if err != nil {
		s.Close() // nothing was written
		return nil, err
	}
	h.found(&h.keys, s)
	return s, nil
}

// closeMatrix leaves the LEDs dark, if it can, and lets the matrix go.
func (h *HAT) closeMatrix() {
	h.mu.Lock()
	m, unwatch := h.matrix, h.unwatch
	h.matrix, h.unwatch = nil, nil
	h.mu.Unlock()
	if unwatch != nil {
		unwatch()
	}
	if m == nil {
		return
	}
	h.seen(false)
	if err := m.Close(); err != nil && !errors.Is(err, hat.ErrGone) {
		h.log.Error("the matrix was not left dark", "reason", err)
	}
}

func (h *HAT) closeStick() {
	h.mu.Lock()
	s := h.stick
	h.stick = nil
	if s != nil {
		h.closing.Add(1)
		defer h.closing.Done()
	}
	h.mu.Unlock()
	if s != nil {
		s.Close() // nothing was written
	}
}
