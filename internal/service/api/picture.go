package api

import (
	"encoding/hex"
	"image/color"
	"strings"

	"github.com/c4hat/c4hat/internal/front/hatpanel"
)

// Picture has the colours of the LEDs: eight rows from the top, each of eight words RRGGBB from the left.
type Picture []string

// NewPicture returns the colours of a frame.
func NewPicture(f hatpanel.Frame) Picture {
	p := make(Picture, 8)
	for y := range p {
		row := make([]byte, 0, 8*len("RRGGBB "))
		for _, c := range f[8*y : 8*y+8] {
			row = append(hex.AppendEncode(row, []byte{c.R, c.G, c.B}), ' ')
		}
		p[y] = string(row[:len(row)-1])
	}
	return p
}

// Frame returns the frame with these colours. The error is [Invalid].
func (p Picture) Frame() (f hatpanel.Frame, err error) {
	for y := range 8 {
		var rgb []byte
		if len(p) == 8 {
			rgb, _ = hex.DecodeString(strings.ReplaceAll(p[y], " ", "")) // up to what is wrong
		}
		if len(rgb) != 3*8 {
			return f, invalid(`frame: must be eight rows of eight colours, as in "f80000 000000 …"`)
		}
		for x := range 8 {
			f[8*y+x] = color.RGBA{R: rgb[3*x], G: rgb[3*x+1], B: rgb[3*x+2], A: 255}
		}
	}
	return f, nil
}
