package main

import (
	"bytes"
	"image/png"
	"strings"
	"testing"
)

// The PNG and the SVG show the same discs, and their corners are transparent.
func TestIcon(t *testing.T) {
	file, err := iconPNG(3 * iconSize)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	svg := string(iconSVG())
	for row, letters := range iconRows {
		for col := range letters {
			want := iconColours[letters[col]]
			x, y := iconEdge+col*iconPitch, iconEdge+row*iconPitch
			if r, g, b, a := img.At(3*x, 3*y).RGBA(); uint8(r) != want.R || uint8(g) != want.G || uint8(b) != want.B || uint8(a) != 255 {
				t.Errorf("the hole at %d, %d is %d, %d, %d, %d; want %v", col, row, uint8(r), uint8(g), uint8(b), uint8(a), want)
			}
		}
	}
	for letter, want := range map[string]int{"#e52b26": strings.Count(strings.Join(iconRows[:], ""), "R"), "#ffd21f": strings.Count(strings.Join(iconRows[:], ""), "Y")} {
		if got := strings.Count(svg, letter); got != want {
			t.Errorf("%d circles are %s, want %d", got, letter, want)
		}
	}
	if _, _, _, a := img.At(0, 0).RGBA(); a != 0 {
		t.Error("the corner is not clear")
	}
}
