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

// tally is a colour and how many pixels have it.
type tally struct {
	rgb    [3]uint8
	pixels int64
}

func newColours(pictures []picture) *colours {
	pixels := map[[3]uint8]int64{}
	for _, p := range pictures {
		for _, c := range p {
			pixels[c]++
		}
	}
	var all []tally
	for c, n := range pixels {
		all = append(all, tally{c, n})
	}
	slices.SortFunc(all, func(a, b tally) int { return slices.Compare(a.rgb[:], b.rgb[:]) })
	c := &colours{color.Palette{color.RGBA{}}, map[[3]uint8]uint8{}}
	for _, b := range cut(all, 255) {
		for _, t := range b.tallies {
			c.nearest[t.rgb] = uint8(len(c.palette))
		}
		c.palette = append(c.palette, color.RGBA{b.mean[0], b.mean[1], b.mean[2], 255})
	}
	return c
}

// box has some of the colours, their mean, the channel in which they vary most, and how much: the sum
// of the squared distances from the mean.
type box struct {
	tallies []tally
	mean    [3]uint8
	channel int
	spread  int64
}

func newBox(tallies []tally) box {
	b := box{tallies: tallies}
	for ch := range b.mean {
		var sum, pixels, spread int64
		for _, t := range tallies {
			sum += int64(t.rgb[ch]) * t.pixels
			pixels += t.pixels
		}
		b.mean[ch] = uint8((sum + pixels/2) / pixels)
		for _, t := range tallies {
			away := int64(t.rgb[ch]) - int64(b.mean[ch])
			spread += away * away * t.pixels
		}
		if spread > b.spread {
			b.channel, b.spread = ch, spread
		}
	}
	return b
}

// cut splits colours into at most n boxes.
func cut(all []tally, n int) []box {
	boxes := []box{newBox(all)}
	for len(boxes) < n {
		widest := 0
		for i, b := range boxes {
			if b.spread > boxes[widest].spread {
				widest = i
			}
		}
		tallies, ch := boxes[widest].tallies, boxes[widest].channel
		if boxes[widest].spread == 0 {
			break // every box is one colour
		}
		slices.SortStableFunc(tallies, func(a, b tally) int { return cmp.Compare(a.rgb[ch], b.rgb[ch]) })
		middle := median(tallies)
		boxes[widest] = newBox(tallies[:middle])
		boxes = append(boxes, newBox(tallies[middle:]))
	}
	return boxes
}

// median returns the index that splits colours with half of their pixels on either side; neither side
// is empty.
func median(tallies []tally) int {
	var all, sum int64
	for _, t := range tallies {
		all += t.pixels
	}
	for i, t := range tallies[:len(tallies)-1] {
		if sum += t.pixels; 2*sum >= all {
			return i + 1
		}
	}
	return len(tallies) - 1
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
