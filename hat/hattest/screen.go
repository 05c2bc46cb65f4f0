package hattest

import (
	"encoding/binary"
	"image/color"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/c4hat/c4hat/hat"
)

// screen is the open device of the matrix.
type screen struct {
	hat  *HAT
	gone chan struct{} // closed when unplugged
	hang chan struct{} // if not nil, Close waits until this channel is closed
}

// WriteAt writes to the LEDs as pwrite writes to a framebuffer.
func (s *screen) WriteAt(p []byte, off int64) (int, error) {
	h := s.hat
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.blocked != nil && !isClosed(s.gone) {
		blocked := h.blocked
		h.mu.Unlock()
		select {
		case <-blocked:
		case <-s.gone:
		}
		h.mu.Lock()
	}
	switch {
	case isClosed(s.gone):
		return 0, syscall.ENODEV
	case h.screen != s:
		return 0, os.ErrClosed
	case h.fail.next():
		return 0, h.fail.err
	case off >= int64(len(h.leds)):
		return 0, syscall.ENOSPC
	}
	if h.short > 0 {
		h.short--
		return copy(h.leds[off:], p[:len(p)/2]), nil
	}
	n := copy(h.leds[off:], p)
	if n < len(p) {
		return n, syscall.EFBIG
	}
	h.frames = append(h.frames, unpack(&h.leds))
	return n, nil
}

func (s *screen) ResetGamma() error {
	s.hat.SetGamma(hat.DefaultGamma())
	return nil
}

func (s *screen) Close() error {
	h := s.hat
	h.mu.Lock()
	hang := s.hang
	if h.screen == s {
		h.screen = nil
	}
	h.mu.Unlock()
	if hang != nil {
		<-hang
	}
	return nil
}

// Name is what package hat's errors call the device.
func (s *screen) Name() string { return "in memory" }

// Frame returns what the LEDs show: pixel (x, y) of the HAT in its usual orientation is
// Frame()[y*8+x], whatever Rotate is. Full brightness is (248, 252, 248).
func (h *HAT) Frame() [64]color.RGBA {
	leds := get(&h.mu, &h.leds)
	return unpack(&leds)
}

// Letters returns [HAT.Frame] as text; see the function [Letters].
func (h *HAT) Letters() string {
	f := h.Frame()
	return Letters(&f)
}

// Frames returns all frames written so far, in order. Repeated frames and the dark frames of
// opening and closing are included, failed writes are not.
func (h *HAT) Frames() [][64]color.RGBA { return slices.Clone(get(&h.mu, &h.frames)) }

// ForgetFrames clears [HAT.Frames], for long tests.
func (h *HAT) ForgetFrames() { set(&h.mu, &h.frames, nil) }

// Letters draws a frame as 8 lines of 8 letters: '.' for dark; R, G, B, Y, M (magenta), C (cyan)
// and W for the nearest pure colour. Letters are in lower case below half of full brightness.
func Letters(frame *[64]color.RGBA) string {
	var b strings.Builder
	for i, c := range frame {
		b.WriteByte(letter(c))
		if i%8 == 7 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func letter(c color.RGBA) byte {
	most := max(c.R, c.G, c.B)
	if most == 0 {
		return '.'
	}
	letters, i := ".RGYBMCW", 0
	if most < 128 {
		letters = ".rgybmcw"
	}
	// A channel is part of the colour if it is more than half as strong as the strongest one.
	for bit, v := range []uint8{c.R, c.G, c.B} {
		if v > most/2 {
			i |= 1 << bit
		}
	}
	return letters[i]
}

// unpack decodes RGB565 in the format that hat.NewMatrix documents.
func unpack(leds *[128]byte) (frame [64]color.RGBA) {
	for i := range frame {
		p := binary.NativeEndian.Uint16(leds[2*i:])
		frame[i] = color.RGBA{
			R: uint8(p>>11&31) << 3,
			G: uint8(p>>5&63) << 2,
			B: uint8(p&31) << 3,
			A: 255,
		}
	}
	return frame
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
