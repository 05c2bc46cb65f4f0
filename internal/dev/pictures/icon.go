package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
)

// The desktop icon is a blue plate with sixteen holes, on which red has four in a diagonal line. It
// is drawn on a grid of 48 units, the size of icons in most menus.
const (
	iconSize   = 48
	iconCorner = 8
	iconEdge   = 9  // the middle of the first hole
	iconPitch  = 10 // from one hole to the next
	iconHole   = 4  // radius
)

var iconRows = [4]string{"..YR", ".RRY", ".RYY", "RYRY"}

var iconColours = map[byte]color.RGBA{
	'.': {0x0b, 0x1f, 0x4d, 0xff}, 'R': {0xe5, 0x2b, 0x26, 0xff}, 'Y': {0xff, 0xd2, 0x1f, 0xff},
	'#': {0x1f, 0x5f, 0xd6, 0xff},
}

// iconAt returns what is at a point of the icon: a hole's letter, # for the plate, 0 outside the
// plate.
func iconAt(x, y float64) byte {
	dx, dy := max(iconCorner-x, x-(iconSize-iconCorner), 0), max(iconCorner-y, y-(iconSize-iconCorner), 0)
	if dx*dx+dy*dy > iconCorner*iconCorner {
		return 0
	}
	for row, letters := range iconRows {
		for col := range letters {
			dx, dy := x-float64(iconEdge+col*iconPitch), y-float64(iconEdge+row*iconPitch)
			if dx*dx+dy*dy <= iconHole*iconHole {
				return letters[col]
			}
		}
	}
	return '#'
}

// iconPNG draws the icon in pixels, each the mean of 8×8 points.
func iconPNG(size int) ([]byte, error) {
	const points = 8
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	scale := float64(iconSize) / float64(size*points)
	for y := range size {
		for x := range size {
			var r, g, b, n int
			for i := range points * points {
				at := iconAt((float64(x*points+i%points)+0.5)*scale, (float64(y*points+i/points)+0.5)*scale)
				if at != 0 {
					c := iconColours[at]
					r, g, b, n = r+int(c.R), g+int(c.G), b+int(c.B), n+1
				}
			}
			if n > 0 {
				img.SetNRGBA(x, y, color.NRGBA{uint8(r / n), uint8(g / n), uint8(b / n), uint8(255 * n / (points * points))})
			}
		}
	}
	var file bytes.Buffer
	err := png.Encode(&file, img)
	return file.Bytes(), err
}

// iconSVG draws the icon as vectors.
func iconSVG() []byte {
	hex := func(letter byte) string {
		c := iconColours[letter]
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	var svg bytes.Buffer
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %[1]d" width="%[1]d" height="%[1]d">`+"\n", iconSize)
	fmt.Fprintf(&svg, `<rect width="%d" height="%[1]d" rx="%d" fill="%s"/>`+"\n", iconSize, iconCorner, hex('#'))
	for row, letters := range iconRows {
		for col := range letters {
			fmt.Fprintf(&svg, `<circle cx="%d" cy="%d" r="%d" fill="%s"/>`+"\n", iconEdge+col*iconPitch, iconEdge+row*iconPitch, iconHole, hex(letters[col]))
		}
	}
	svg.WriteString("</svg>\n")
	return svg.Bytes()
}

// writeIcons writes the icon into a folder of icons, in the layout of the theme hicolor.
func writeIcons(folder string) error {
	files := map[string][]byte{"scalable/apps/c4hat.svg": iconSVG()}
	for _, size := range []int{16, 24, 32, 48, 64, 128, 256} {
		file, err := iconPNG(size)
		if err != nil {
			return err
		}
		files[fmt.Sprintf("%dx%[1]d/apps/c4hat.png", size)] = file
	}
	for name, file := range files {
		path := filepath.Join(folder, "hicolor", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, file, 0o666); err != nil {
			return err
		}
	}
	return nil
}
