package hat

import (
	"encoding/binary"
	"image/color"
)

// side is the matrix's width and height.
const side = 8

// frameSize is the number of bytes of a frame: 8×8 pixels of 16 bits, RGB565 (rpisense-fb.c).
const frameSize = 2 * side * side

// pack fills dst so that the device's pixel i shows frame pixel from[i]. It ignores alpha: colours are
// premultiplied, and the background is black.
func pack(dst []byte, frame *[64]color.RGBA, from *[64]uint8) {
	for i := range from {
		c := frame[from[i]&63]
		pixel := uint16(c.R>>3)<<11 | uint16(c.G>>2)<<5 | uint16(c.B>>3)
		binary.NativeEndian.PutUint16(dst[2*i:], pixel)
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
