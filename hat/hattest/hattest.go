// Package hattest provides a Sense HAT in memory, for tests of programs that use package hat. A
// test can press its keys, read its LEDs and make it fail.
//
// Its *hat.Matrix and *hat.Joystick values are real ones, over devices in memory that answer as the
// kernel does, including errors. [HAT] simulates the kernel's devices, [Board] the board on its I²C
// bus. Everything that waits does so on channels, so testing/synctest works; create the HAT inside
// the bubble.
package hattest

import (
	"fmt"
	"image/color"
	"sync"

	"github.com/c4hat/c4hat/hat"
)

// HAT is a Sense HAT in memory. [New] returns one with both devices plugged in. The zero value is
// usable too, but its gamma table is all zeros. The methods may be called from any goroutine.
type HAT struct {
	mu sync.Mutex

	screen   *screen // the open one, or nil
	noMatrix bool
	leds     [128]byte
	frames   [][64]color.RGBA
	fail     fault
	gamma    [32]byte
	short    int           // how many writes are still to stop halfway
	blocked  chan struct{} // closed when writes may continue, nil if they are not blocked

	keys       *keys // the open ones, or nil
	noJoystick bool
	failRead   fault
}

// New returns a HAT with its LEDs dark.
func New() *HAT {
	return &HAT{gamma: hat.DefaultGamma()}
}

// OpenMatrix is hat.OpenMatrix for this HAT. It fails with hat.ErrNotFound while the matrix is
// unplugged, with hat.ErrBusy while another matrix is open.
func (h *HAT) OpenMatrix() (*hat.Matrix, error) {
	s := &screen{hat: h, gone: make(chan struct{})}
	h.mu.Lock()
	err := available("matrix", h.noMatrix, h.screen != nil)
	if err == nil {
		h.screen = s
	}
	h.mu.Unlock()
	if err != nil {
		return nil, err
	}
	m, err := hat.NewMatrix(s)
	if err != nil {
		set(&h.mu, &h.screen, nil)
	}
	return m, err
}

// OpenJoystick is hat.OpenJoystick for this HAT, with the errors of OpenMatrix.
func (h *HAT) OpenJoystick() (*hat.Joystick, error) {
	k := &keys{hat: h, ready: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := available("joystick", h.noJoystick, h.keys != nil); err != nil {
		return nil, err
	}
	h.keys = k
	return hat.NewJoystick(k), nil
}

func available(what string, missing, inUse bool) error {
	switch {
	case missing:
		return fmt.Errorf("hattest: the %s is unplugged: %w", what, hat.ErrNotFound)
	case inUse:
		return fmt.Errorf("hattest: the %s is open already: %w", what, hat.ErrBusy)
	}
	return nil
}

// get reads a value that the mutex guards.
func get[T any](mu *sync.Mutex, from *T) T {
	mu.Lock()
	defer mu.Unlock()
	return *from
}

// set writes a value that the mutex guards.
func set[T any](mu *sync.Mutex, to *T, value T) {
	mu.Lock()
	defer mu.Unlock()
	*to = value
}

// signal makes a channel of capacity one ready to receive from.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
