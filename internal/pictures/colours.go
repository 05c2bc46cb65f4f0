package main

import (
	"cmp"
	"image"
	"image/color"
	"image/gif"
	"slices"
	"time"
)

// colours is a palette for pictures, made by median cut: it splits the colours into boxes, the one
// with the greatest spread first, at its median (Heckbert, Color image quantization for frame
// buffer display, SIGGRAPH 1982). Entry 0 is transparent.
type colours struct {
	palette color.Palette
	nearest map[[3]uint8]uint8
}

const entries = 256

// tally is a colour and how many pixels have it.
type tally struct {
	rgb    [3]uint8
	pixels int
}

func newColours(pictures []picture) *colours {
	pixels := map[[3]uint8]int{}
	for _, p := range pictures {
		for _, c := range p {
			pixels[c]++
		}
	}
	var cloud []tally
	for c, n := range pixels {
		cloud = append(cloud, tally{c, n})
	}
	slices.SortFunc(cloud, func(a, b tally) int { return slices.Compare(a.rgb[:], b.rgb[:]) })
	c := &colours{color.Palette{color.RGBA{}}, map[[3]uint8]uint8{}}
	for _, box := range cut(cloud, entries-1) {
		for _, t := range box {
			c.nearest[t.rgb] = uint8(len(c.palette))
		}
		m := mean(box)
		c.palette = append(c.palette, color.RGBA{m[0], m[1], m[2], 255})
	}
	return c
}

// cut splits a cloud into at most n boxes.
func cut(cloud []tally, n int) [][]tally {
	boxes := [][]tally{cloud}
	spreads := []spread{measure(cloud)}
	for len(boxes) < n {
		worst := 0
		for i, s := range spreads {
			if s.is > spreads[worst].is {
				worst = i
			}
		}
		if spreads[worst].is == 0 {
			break // every box is one colour
		}
		box, ch := boxes[worst], spreads[worst].channel
		slices.SortStableFunc(box, func(a, b tally) int { return cmp.Compare(a.rgb[ch], b.rgb[ch]) })
		middle := median(box)
		boxes[worst], spreads[worst] = box[:middle], measure(box[:middle])
		boxes, spreads = append(boxes, box[middle:]), append(spreads, measure(box[middle:]))
	}
	return boxes
}

// spread is the channel in which a box's colours vary most, and how much: the sum of the squared
// distances from the mean.
type spread struct {
	channel int
	is      int64
}

func measure(box []tally) (widest spread) {
	m := mean(box)
	for ch := range m {
		s := spread{channel: ch}
		for _, t := range box {
			away := int64(t.rgb[ch]) - int64(m[ch])
			s.is += away * away * int64(t.pixels)
		}
		if s.is > widest.is {
			widest = s
		}
	}
	return widest
}

// median returns the index that splits a box with half of its pixels on either side; neither side
// is empty.
func median(box []tally) int {
	all := 0
	for _, t := range box {
		all += t.pixels
	}
	sum := 0
	for i, t := range box[:len(box)-1] {
		if sum += t.pixels; 2*sum >= all {
			return i + 1
		}
	}
	return len(box) - 1
}

func mean(box []tally) (m [3]uint8) {
	var sum [3]int64
	var pixels int64
	for _, t := range box {
		pixels += int64(t.pixels)
		for ch, v := range t.rgb {
			sum[ch] += int64(v) * int64(t.pixels)
		}
	}
	for ch := range sum {
		m[ch] = uint8((sum[ch] + pixels/2) / pixels)
	}
	return m
}

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
