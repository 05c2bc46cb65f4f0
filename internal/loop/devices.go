package loop

import (
	"context"
	"errors"

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
		h.complain("waiting for the matrix", hat.ErrGone)
		h.closeMatrix()
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
		m, err := h.devices.AwaitMatrix(h.ctx, h.opts, func(err error) { h.log.Warn("waiting for the matrix", "reason", err, "more", "c4hat doctor") })
		switch {
		case err == nil:
			return m, h.own(m)
		case h.ctx.Err() != nil || !h.everOwned():
			return nil, err
		}
		// It worked once, so it may again.
		h.complain("waiting for the matrix", err)
		if !h.breathe() {
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
	h.log.Info("the matrix is there", "device", m)
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
	s, err := h.devices.AwaitStick(h.ctx, h.opts, func(err error) { h.log.Warn("waiting for the joystick", "reason", err, "more", "c4hat doctor") })
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
	h.log.Info("the joystick is there", "device", s)
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
