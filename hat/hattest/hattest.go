// Package hattest provides a Sense HAT in memory, for tests of programs that use package hat. A test can press its
// keys, read its LEDs and make it fail.
//
// Its *hat.Matrix and *hat.Joystick values are real ones, over devices in memory that answer as the kernel does,
// including errors. [HAT] simulates the kernel's devices, [Board] the board on its I²C bus. Everything works with
// testing/synctest; create the HAT inside the bubble.
package hattest

import (
	"encoding/binary"
	"fmt"
	"image/color"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/c4hat/c4hat/hat"
)

// HAT is a Sense HAT in memory. [New] returns one with both devices plugged in. The methods may be called from any
// goroutine.
type HAT struct {
	mu      sync.Mutex
	changed sync.Cond // anything that a blocked call waits for

	screen      *screen // the open one, or nil
	noMatrix    bool
	leds        [128]byte
	frames      [][64]color.RGBA
	failWrites  error
	stuckWrites bool
	stuckCloses bool

	keys       *keys // the open ones, or nil
	noJoystick bool
	failReads  error
}

// New returns a HAT with its LEDs dark.
func New() *HAT {
	h := &HAT{}
	h.changed.L = &h.mu
	return h
}

// set changes the HAT, and lets blocked calls see it.
func (h *HAT) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
	h.changed.Broadcast()
}

// OpenMatrix is hat.OpenMatrix for this HAT. It fails with hat.ErrNotFound while the matrix is unplugged, with
// hat.ErrBusy while another matrix is open.
func (h *HAT) OpenMatrix() (m *hat.Matrix, err error) {
	s := &screen{hat: h}
	h.set(func() {
		if err = available("matrix", h.noMatrix, h.screen != nil); err == nil {
			h.screen = s
		}
	})
	if err != nil {
		return nil, err
	}
	if m, err = hat.NewMatrix(s); err != nil {
		h.set(func() { h.screen = nil })
	}
	return m, err
}

// OpenJoystick is hat.OpenJoystick for this HAT, with the errors of OpenMatrix.
func (h *HAT) OpenJoystick() (*hat.Joystick, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := available("joystick", h.noJoystick, h.keys != nil); err != nil {
		return nil, err
	}
	h.keys = &keys{hat: h}
	return hat.NewJoystick(h.keys), nil
}

// broken returns the kernel's error for an open device, if it has one.
func broken(closed, gone bool, failing error) error {
	switch {
	case closed:
		return os.ErrClosed
	case gone:
		return syscall.ENODEV
	}
	return failing
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

// UnplugMatrix removes the matrix: writes fail with ENODEV, which package hat reports as hat.ErrGone, and OpenMatrix
// fails.
func (h *HAT) UnplugMatrix() {
	h.set(func() { h.noMatrix, h.screen, h.leds = true, nil, [128]byte{} })
}

// PlugMatrix plugs the matrix in again. Its LEDs are dark, and it must be opened again.
func (h *HAT) PlugMatrix() { h.set(func() { h.noMatrix = false }) }

// UnplugJoystick removes the joystick: a blocked read and all later ones fail with ENODEV, and OpenJoystick fails.
func (h *HAT) UnplugJoystick() { h.set(func() { h.noJoystick, h.keys = true, nil }) }

// PlugJoystick plugs the joystick in again. It must be opened again.
func (h *HAT) PlugJoystick() { h.set(func() { h.noJoystick = false }) }

// Reseat lifts the HAT off and puts it back: its LEDs go dark without an error, because the kernel's driver ignores
// bus errors.
func (h *HAT) Reseat() { h.set(func() { h.leds = [128]byte{} }) }

// FailWrites makes writes to the matrix fail with err, such as syscall.EIO, until it is called with nil.
func (h *HAT) FailWrites(err error) { h.set(func() { h.failWrites = err }) }

// FailReads makes reads of the joystick fail with err, also a blocked one, until it is called with nil. Unread events
// are kept.
func (h *HAT) FailReads(err error) { h.set(func() { h.failReads = err }) }

// BlockWrites makes writes to the matrix hang, as if the kernel were stuck, until release is called or the matrix is
// unplugged.
func (h *HAT) BlockWrites() (release func()) {
	h.set(func() { h.stuckWrites = true })
	return func() { h.set(func() { h.stuckWrites = false }) }
}

// BlockCloses makes Close of a matrix hang until release is called, as if the kernel had deleted the device while it
// was open.
func (h *HAT) BlockCloses() (release func()) {
	h.set(func() { h.stuckCloses = true })
	return func() { h.set(func() { h.stuckCloses = false }) }
}

// screen is the open device of the matrix.
type screen struct {
	hat    *HAT
	closed bool
}

// WriteAt writes to the LEDs as pwrite writes to a framebuffer.
func (s *screen) WriteAt(p []byte, off int64) (int, error) {
	h := s.hat
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.stuckWrites && h.screen == s {
		h.changed.Wait()
	}
	if err := broken(s.closed, h.screen != s, h.failWrites); err != nil {
		return 0, err
	}
	if int(off)+len(p) > len(h.leds) {
		return 0, syscall.ENOSPC
	}
	copy(h.leds[off:], p)
	h.frames = append(h.frames, unpack(&h.leds))
	return len(p), nil
}

func (s *screen) Close() error {
	h := s.hat
	h.mu.Lock()
	defer h.mu.Unlock()
	s.closed = true
	if h.screen == s {
		h.screen = nil
	}
	for h.stuckCloses {
		h.changed.Wait()
	}
	return nil
}

// Name is what package hat's errors call the device.
func (s *screen) Name() string { return "in memory" }

// Frame returns what the LEDs show: pixel (x, y) of the HAT in its usual orientation is Frame()[y*8+x], whatever its
// rotation is. Full brightness is (248, 252, 248).
func (h *HAT) Frame() [64]color.RGBA {
	h.mu.Lock()
	defer h.mu.Unlock()
	return unpack(&h.leds)
}

// Frames returns all frames written so far, in order. Repeated frames and the dark frames of opening and closing are
// included, failed writes are not.
func (h *HAT) Frames() [][64]color.RGBA {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.frames)
}

// ForgetFrames clears [HAT.Frames], for long tests.
func (h *HAT) ForgetFrames() { h.set(func() { h.frames = nil }) }

// unpack decodes RGB565 in the format that hat.NewMatrix documents.
func unpack(leds *[128]byte) (frame [64]color.RGBA) {
	for i := range frame {
		p := binary.NativeEndian.Uint16(leds[2*i:])
		frame[i] = color.RGBA{R: uint8(p>>11) << 3, G: uint8(p>>5) << 2, B: uint8(p) << 3, A: 255}
	}
	return frame
}

// Letters returns [HAT.Frame] as text; see the function [Letters].
func (h *HAT) Letters() string {
	f := h.Frame()
	return Letters(&f)
}

// Letters draws a frame as 8 lines of 8 letters: '.' for dark; R, G, B, Y, M (magenta), C (cyan) and W for the nearest
// pure colour. Letters are in lower case below half of full brightness.
func Letters(frame *[64]color.RGBA) string {
	var b strings.Builder
	for i, c := range frame {
		most, letters, colour := max(c.R, c.G, c.B), ".RGYBMCW", 0
		if most < 128 {
			letters = ".rgybmcw"
		}
		// A channel is part of the colour if it is more than half as strong as the strongest one.
		for bit, v := range []uint8{c.R, c.G, c.B} {
			if v > most/2 {
				colour |= 1 << bit
			}
		}
		b.WriteByte(letters[colour])
		if i%8 == 7 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// recordSize is the size of the kernel's struct input_event: two words of time, then type, code and value.
const recordSize = 2*strconv.IntSize/8 + 8

// keys is the open device of the joystick.
type keys struct {
	hat    *HAT
	queue  []byte // the records not yet read
	closed bool
}

// Read returns whole records, as evdev does.
func (k *keys) Read(p []byte) (int, error) {
	h := k.hat
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.keys == k && h.failReads == nil && len(k.queue) == 0 {
		h.changed.Wait()
	}
	if err := broken(k.closed, h.keys != k, h.failReads); err != nil {
		return 0, err
	}
	n := copy(p[:len(p)/recordSize*recordSize], k.queue)
	k.queue = k.queue[n:]
	return n, nil
}

func (k *keys) Close() error {
	k.hat.set(func() {
		k.closed = true
		if k.hat.keys == k {
			k.hat.keys = nil
		}
	})
	return nil
}

// Name is what package hat's errors call the device.
func (k *keys) Name() string { return "in memory" }

// Press presses keys and leaves them down. They are named as on a HAT in its usual orientation; the events of a
// rotated joystick have the rotated names. As with the kernel, presses are lost while no joystick is open.
func (h *HAT) Press(keys ...hat.Key) { h.send(1, keys) }

// Hold sends one autorepeat of each of the keys.
func (h *HAT) Hold(keys ...hat.Key) { h.send(2, keys) }

// Release releases keys.
func (h *HAT) Release(keys ...hat.Key) { h.send(0, keys) }

// Tap presses and releases each of the keys in turn.
func (h *HAT) Tap(keys ...hat.Key) {
	for _, k := range keys {
		h.Press(k)
		h.Release(k)
	}
}

// codes are the keys' codes in Raspberry Pi OS.
var codes = map[hat.Key]uint16{hat.Up: 103, hat.Left: 105, hat.Right: 106, hat.Down: 108, hat.Middle: 28}

// send queues for each key a packet of its event (EV_KEY) and a SYN_REPORT, whose value is 1 after a repeat.
func (h *HAT) send(value uint32, pressed []hat.Key) {
	h.set(func() {
		for _, key := range pressed {
			if h.keys != nil {
				h.keys.put(1, codes[key], value)
				h.keys.put(0, 0, value/2)
			}
		}
	})
}

// put queues a record, without a time.
func (k *keys) put(kind, code uint16, value uint32) {
	k.queue = append(k.queue, make([]byte, recordSize-8)...)
	k.queue = binary.NativeEndian.AppendUint16(k.queue, kind)
	k.queue = binary.NativeEndian.AppendUint16(k.queue, code)
	k.queue = binary.NativeEndian.AppendUint32(k.queue, value)
}
