package hattest

import (
	"sync"
	"syscall"
)

// fault is an error for the next calls.
type fault struct {
	left int // for how many calls; negative: for all
	err  error
}

func (f *fault) next() bool {
	if f.left == 0 {
		return false
	}
	if f.left > 0 {
		f.left--
	}
	return true
}

// FailWrites makes the next n writes to the matrix fail with err, such as syscall.ENOSPC: all
// writes if n is negative, none if it is 0.
func (h *HAT) FailWrites(n int, err error) { set(&h.mu, &h.fail, fault{n, err}) }

// ShortWrites makes the next n writes to the matrix stop halfway.
func (h *HAT) ShortWrites(n int) { set(&h.mu, &h.short, n) }

// FailReads makes the next n reads of the joystick fail with err, such as syscall.EINTR: all reads
// if n is negative, none if it is 0. A blocked read fails at once; unread events are kept.
func (h *HAT) FailReads(n int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failRead = fault{n, err}
	if h.keys != nil {
		signal(h.keys.ready)
	}
}

// BlockWrites makes writes to the matrix hang, as if the kernel were stuck, until release is called
// or the matrix is unplugged.
func (h *HAT) BlockWrites() (release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.blocked == nil {
		h.blocked = make(chan struct{})
	}
	blocked := h.blocked
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.blocked == blocked {
			h.blocked = nil
			close(blocked)
		}
	}
}

// BlockCloses makes Close of the matrix that is now open hang until release is called, as if the
// kernel had deleted the device while it was open.
func (h *HAT) BlockCloses() (release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	hang := make(chan struct{})
	if h.screen != nil {
		h.screen.hang = hang
	}
	return sync.OnceFunc(func() { close(hang) })
}

// SetGamma sets the driver's gamma table, as another program may. With a table of zeros every LED
// is dark, whatever [HAT.Frame] says. A HAT from New starts with hat.DefaultGamma.
func (h *HAT) SetGamma(table [32]byte) { set(&h.mu, &h.gamma, table) }

// Gamma returns the driver's gamma table.
func (h *HAT) Gamma() [32]byte { return get(&h.mu, &h.gamma) }

// Reseat lifts the HAT off and puts it back: its LEDs go dark without an error, because the
// kernel's driver ignores bus errors.
func (h *HAT) Reseat() { set(&h.mu, &h.leds, [128]byte{}) }

// UnplugMatrix removes the matrix: writes fail with ENODEV, which the driver reports as
// hat.ErrGone, and OpenMatrix fails.
func (h *HAT) UnplugMatrix() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.noMatrix = true
	h.leds = [128]byte{}
	if h.screen != nil {
		close(h.screen.gone)
		h.screen = nil
	}
}

// UnplugJoystick removes the joystick: a blocked read and all later ones fail with ENODEV,
// which the driver reports as hat.ErrGone, and OpenJoystick fails.
func (h *HAT) UnplugJoystick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.noJoystick = true
	if h.keys != nil {
		h.keys.end(syscall.ENODEV)
	}
}

// PlugMatrix plugs the matrix in again. Its LEDs are dark, and it must be opened again.
func (h *HAT) PlugMatrix() { set(&h.mu, &h.noMatrix, false) }

// PlugJoystick plugs the joystick in again. It must be opened again.
func (h *HAT) PlugJoystick() { set(&h.mu, &h.noJoystick, false) }
