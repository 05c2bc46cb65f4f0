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
	wrong := invalid(`frame: must be eight rows of eight colours, as in "f80000 000000 …"`)
	if len(p) != 8 {
		return f, wrong
	}
	for y, row := range p {
		cells := strings.Split(row, " ")
		if len(cells) != 8 {
			return f, wrong
		}
		for x, cell := range cells {
			rgb, err := hex.DecodeString(cell)
			if err != nil || len(rgb) != 3 {
				return f, wrong
			}
			f[8*y+x] = color.RGBA{R: rgb[0], G: rgb[1], B: rgb[2], A: 255}
		}
	}
	return f, nil
}
