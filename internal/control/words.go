package control

import (
	"encoding/hex"
	"fmt"
	"image/color"
	"strings"

	"github.com/c4hat/c4hat/internal/game"
)

// How the small things of a view are written.

func readPhase(name string) (game.Phase, error) {
	for p := game.Attract; p <= game.Over; p++ {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("phase: %q is none", name)
}

// namesColumn says whether a notice is about a column.
func namesColumn(k game.NoticeKind) bool {
	return k == game.NoticeFull || k == game.NoticeNoColumn
}

// writeFrame gives the rows of a picture. Every LED of it is opaque.
func writeFrame(f game.Frame) (rows [8]string) {
	const digits = "0123456789abcdef"
	for y := range rows {
		row := make([]byte, 0, 8*7)
		for _, c := range f[8*y : 8*y+8] {
			if len(row) > 0 {
				row = append(row, ' ')
			}
			for _, v := range [3]uint8{c.R, c.G, c.B} {
				row = append(row, digits[v>>4], digits[v&15])
			}
		}
		rows[y] = string(row)
	}
	return rows
}

func readFrame(rows [8]string) (f game.Frame, err error) {
	for y, row := range rows {
		words := strings.Split(row, " ")
		if len(words) != 8 {
			return f, fmt.Errorf("frame: row %d: want 8 words RRGGBB", y+1)
		}
		for x, word := range words {
			rgb, err := hex.DecodeString(word)
			if err != nil || len(rgb) != 3 {
				return f, fmt.Errorf("frame: row %d: %q, want RRGGBB", y+1, word)
			}
			f[8*y+x] = color.RGBA{rgb[0], rgb[1], rgb[2], 255}
		}
	}
	return f, nil
}
