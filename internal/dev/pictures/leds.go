package main

import (
	"image/color"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
)

// These are the sizes of the matrix's parts, in pixels.
const (
	side   = board.MaxSide
	pitch  = 36 // from one LED to the next
	radius = 13 // of an LED
	reach  = 40 // of its glow
	edge   = 18 // of the board around the LEDs
	size   = side*pitch + 2*edge
)

// Light is an integer from 0 to bright, on a linear scale, so that all machines render the
// same pixels.
const bright = 1 << 12

// The board and a dark LED reflect a little of the room's light.
var (
	dull  = [3]int{12, 13, 18}
	shiny = [3]int{48, 50, 60}
)

// picture has a screen's red, green and blue values for each pixel of the square.
type picture [][3]uint8

// glow holds how much of an LED's light each pixel around the LED's middle shows.
type glow struct {
	tint  [2 * reach][2 * reach]int // in its own colour
	white [2 * reach][2 * reach]int // in white: the middle is too bright for a camera
	body  [2 * reach][2 * reach]int // how much of the pixel is LED
}

func newGlow() *glow {
	var g glow
	for y := range 2 * reach {
		for x := range 2 * reach {
			// Twice the distance from the middle, which lies between pixels, squared.
			dx, dy := 2*(x-reach)+1, 2*(y-reach)+1
			d2 := dx*dx + dy*dy
			body := covered(x-reach, y-reach)
			g.body[y][x] = body
			g.tint[y][x] = body*(2*falloff(d2, 2*radius+8, 1)+bright)/(3*bright) + falloff(d2, 2*reach, 3)/9
			g.white[y][x] = body * falloff(d2, 2*radius, 2) / bright / 10
		}
	}
	return &g
}

// falloff returns (1-d²/r²) to a power, or 0 beyond r.
func falloff(d2, r, power int) int {
	v := bright
	for range power {
		v = v * max(0, r*r-d2) / (r * r)
	}
	return v
}

// covered returns how much of a pixel an LED covers: the count of the pixel's 8×8 subpixels.
func covered(x, y int) (n int) {
	for sub := range 64 {
		dx, dy := 16*x+2*(sub%8)+1, 16*y+2*(sub/8)+1
		if dx*dx+dy*dy <= 256*radius*radius {
			n++
		}
	}
	return n * bright / 64
}

// paint renders the board with a frame on its LEDs. Light adds up.
func (g *glow) paint(f *hatpanel.Frame) picture {
	light := make([][3]int, size*size)
	for i := range light {
		light[i] = dull
	}
	for i, c := range f {
		left, top := edge+i%side*pitch+pitch/2-reach, edge+i/side*pitch+pitch/2-reach
		for y := max(0, -top); y < min(2*reach, size-top); y++ {
			for x := max(0, -left); x < min(2*reach, size-left); x++ {
				g.add(&light[(top+y)*size+left+x], x, y, c)
			}
		}
	}
	p := make(picture, size*size)
	for i, l := range light {
		for ch, v := range l {
			p[i][ch] = onScreen(v)
		}
	}
	return p
}

// add adds an LED's light to a pixel.
func (g *glow) add(l *[3]int, x, y int, c color.RGBA) {
	strongest := int(max(c.R, c.G, c.B))
	for ch, v := range [3]uint8{c.R, c.G, c.B} {
		l[ch] += g.tint[y][x]*int(v)/255 + g.white[y][x]*strongest/255 +
			g.body[y][x]*(shiny[ch]-dull[ch])/bright
	}
}

// onScreen returns the value with which a screen shows an amount of light: its square root, for a
// gamma of 2.
func onScreen(light int) uint8 {
	want := min(light, bright) * 255 * 255 / bright
	v := 0
	for step := 128; step > 0; step /= 2 {
		if (v+step)*(v+step) <= want {
			v += step
		}
	}
	return uint8(v)
}
