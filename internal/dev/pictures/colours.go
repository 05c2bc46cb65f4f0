package main

import (
	"cmp"
	"image"
	"image/color"
	"image/gif"
	"slices"
	"time"
)

// colours is a palette for pictures. Entry 0 is transparent.
type colours struct {
	palette color.Palette
	nearest map[[3]uint8]uint8 // the entry for each colour of the pictures
}

// newColours chooses a colour for each group of similar ones, of the largest groups.
func newColours(pictures []picture) *colours {
	groups := map[[3]uint8]map[[3]uint8]int{} // how many pixels of each have each colour
	for _, p := range pictures {
		for _, c := range p {
			const step = 12
			group := [3]uint8{c[0] / step, c[1] / step, c[2] / step}
			if groups[group] == nil {
				groups[group] = map[[3]uint8]int{}
			}
			groups[group][c]++
		}
	}
	var all []tally
	for _, group := range groups {
		var chosen, sum tally
		for c, n := range group {
			sum.pixels += n
			if n > chosen.pixels || n == chosen.pixels && slices.Compare(c[:], chosen.rgb[:]) < 0 {
				chosen = tally{c, n}
			}
		}
		all = append(all, tally{chosen.rgb, sum.pixels})
	}
	slices.SortFunc(all, func(a, b tally) int {
		return cmp.Or(b.pixels-a.pixels, slices.Compare(a.rgb[:], b.rgb[:]))
	})
	c := &colours{color.Palette{color.RGBA{}}, map[[3]uint8]uint8{}}
	for _, t := range all[:min(255, len(all))] {
		c.palette = append(c.palette, rgba(t.rgb))
	}
	for _, group := range groups {
		for rgb := range group {
			c.nearest[rgb] = uint8(1 + c.palette[1:].Index(rgba(rgb)))
		}
	}
	return c
}

// tally is a colour and a number of pixels.
type tally struct {
	rgb    [3]uint8
	pixels int
}

func rgba(c [3]uint8) color.RGBA { return color.RGBA{c[0], c[1], c[2], 255} }

// paletted returns a picture in these colours: all of it, or the part that differs from the picture
// before, with unchanged pixels transparent.
func (c *colours) paletted(p, before picture) *image.Paletted {
	part := image.Rect(0, 0, size, size)
	if before != nil {
		part = p.changed(before)
	}
	img := image.NewPaletted(part, c.palette)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			i := y*size + x
			if entry := c.nearest[p[i]]; before == nil || c.nearest[before[i]] != entry {
				img.SetColorIndex(x, y, entry)
			}
		}
	}
	return img
}

// changed returns the smallest rectangle with all pixels in which two pictures differ. At least one
// pixel must differ.
func (p picture) changed(q picture) (part image.Rectangle) {
	for i := range p {
		if p[i] != q[i] {
			part = part.Union(image.Rect(i%size, i/size, i%size+1, i/size+1))
		}
	}
	return part
}

// film returns the shots in order as an endless loop.
func film(shots []shot) *gif.GIF {
	var pictures []picture
	led := newGlow()
	for _, s := range shots {
		pictures = append(pictures, led.paint(&s.frame))
	}
	c := newColours(pictures)
	g := &gif.GIF{}
	var before picture
	for i, p := range pictures {
		g.Image = append(g.Image, c.paletted(p, before))
		g.Delay = append(g.Delay, int(shots[i].lasts/(10*time.Millisecond)))
		g.Disposal = append(g.Disposal, gif.DisposalNone)
		before = p
	}
	return g
}
