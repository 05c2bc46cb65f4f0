package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"time"

	"github.com/c4hat/c4hat/board"
)

// These are the sizes of the matrix's parts, in pixels.
const (
	side   = board.MaxSide
	pitch  = 36 // from one LED to the next
	radius = 13 // of an LED
	edge   = 18 // of the board around the LEDs
	size   = side*pitch + 2*edge
)

// film returns the shots as SVG, in an endless loop if there are several. Each LED is a circle that changes its
// colour; a blurred copy of all LEDs is their glow.
func film(shots []shot) []byte {
	var whole time.Duration
	for _, s := range shots {
		whole += s.lasts
	}
	var svg bytes.Buffer
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[1]d" viewBox="0 0 %[1]d %[1]d">
<filter id="glow"><feGaussianBlur stdDeviation="%d"/><feMerge><feMergeNode/><feMergeNode in="SourceGraphic"/></feMerge></filter>
<rect width="%[1]d" height="%[1]d" fill="#0e0e10"/>
<g filter="url(#glow)">
`, size, radius/2)
	for i := range shots[0].frame {
		var fills, times string
		var last color.RGBA
		var at time.Duration
		for n, s := range shots {
			if c := s.frame[i]; n == 0 || c != last {
				fills += ";" + fill(c)
				times += fmt.Sprintf(";%.4g", float64(at)/float64(max(whole, 1)))
				last = c
			}
			at += s.lasts
		}
		fmt.Fprintf(&svg, `<circle cx="%d" cy="%d" r="%d" fill="%s"`, edge+i%side*pitch+pitch/2, edge+i/side*pitch+pitch/2, radius, fill(shots[0].frame[i]))
		if times == ";0" {
			svg.WriteString("/>\n")
			continue
		}
		fmt.Fprintf(&svg, `><animate attributeName="fill" calcMode="discrete" dur="%dms" repeatCount="indefinite" keyTimes="%s" values="%s"/></circle>
`, whole.Milliseconds(), times[1:], fills[1:])
	}
	svg.WriteString("</g>\n</svg>\n")
	return svg.Bytes()
}

// fill returns the colour of an LED on a screen, whose gamma is about 2. An LED reflects a little of the room's light,
// and its middle is too bright for a camera.
func fill(c color.RGBA) string {
	white := 3 + int(max(c.R, c.G, c.B))/32
	on := func(v uint8) int { return int(math.Sqrt(float64(min(int(v)+white, 255) * 255))) }
	return fmt.Sprintf("#%02x%02x%02x", on(c.R), on(c.G), on(c.B))
}
