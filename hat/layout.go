package hat

import (
	"encoding/binary"
	"fmt"
	"image/color"
)

// side is the matrix's width and height.
const side = 8

// channel is where one colour lies within a pixel, as in struct fb_bitfield of the kernel's
// include/uapi/linux/fb.h: the offset is counted from the lowest bit.
type channel struct{ offset, length uint32 }

// layout is the memory layout of a framebuffer of 8×8 pixels of 16 bits. The Sense HAT's is
// rgb565; the kernel's test framebuffer (vfb) has red and blue swapped.
type layout struct {
	red, green, blue channel
	line             int // bytes from one row to the next
}

// rgb565 is the HAT's layout in drivers/video/fbdev/rpisense-fb.c.
func rgb565() layout {
	return layout{red: channel{11, 5}, green: channel{5, 6}, blue: channel{0, 5}, line: 2 * side}
}

// size returns the number of bytes from the first pixel to the end of the last.
func (l layout) size() int { return (side-1)*l.line + 2*side }

// check rejects a layout that pack cannot write. The numbers come from a driver, so they are not
// trusted.
func (l layout) check() error {
	for _, c := range []channel{l.red, l.green, l.blue} {
		if c.length < 1 || c.length > 8 || c.offset > 16-c.length {
			return fmt.Errorf("a colour of %d bits at bit %d of a 16-bit pixel", c.length, c.offset)
		}
	}
	if l.line < 2*side || l.line > 1<<16 {
		return fmt.Errorf("rows of %d bytes", l.line)
	}
	return nil
}

// bits returns the top bits of v at their place in a pixel.
func (c channel) bits(v uint8) uint16 { return uint16(v>>(8-c.length)) << c.offset }

// pack fills dst, which has size bytes, so that the device's pixel i shows frame pixel
// from[i]. It ignores alpha: colours are premultiplied, and the background is black.
func (l layout) pack(dst []byte, frame *[64]color.RGBA, from *[64]uint8) {
	for y := range side {
		row := dst[y*l.line:][:2*side]
		for x := range side {
			c := frame[from[y*side+x]&63]
			p := l.red.bits(c.R) | l.green.bits(c.G) | l.blue.bits(c.B)
			binary.NativeEndian.PutUint16(row[2*x:], p)
		}
	}
}

// turned returns, for each pixel of the device, the pixel of the frame that it shows when the
// picture is rotated clockwise by the given quarter turns.
func turned(quarters int) (from [64]uint8) {
	for y := range side {
		for x := range side {
			dx, dy := x, y
			for range quarters {
				dx, dy = side-1-dy, dx
			}
			from[dy*side+dx] = uint8(y*side + x)
		}
	}
	return from
}

// gamma is the default gamma table of the kernel's driver (rpisense-fb.c, gamma_default): the index
// is a channel's highest 5 bits, the value goes to the board's register.
var gamma = [32]byte{0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 18, 20, 21, 23, 25, 27, 29, 31}

// Brightness returns the brightness of an LED, 0 to 31 in equal steps of light, for a value of a
// channel (red, green or blue), 0 to 255. It follows the default gamma table of the kernel's driver
// (rpisense-fb.c, gamma_default), which [I2C] uses too. Values below 48 are dark.
func Brightness(channel uint8) int { return int(gamma[channel>>3]) }

// DefaultGamma returns the gamma table that the kernel's driver starts with. [Gamma] reads the
// driver's current table, and describes the format.
func DefaultGamma() [32]byte { return gamma }
