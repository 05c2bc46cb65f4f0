package hat

import (
	"encoding/binary"
	"image/color"
	"math/rand/v2"
	"slices"
	"testing"
)

// naivePixel builds the pixel bit by bit: it copies the top bits of each colour, from the highest
// bit down, to the places that the layout gives.
func naivePixel(l layout, c color.RGBA) (p uint16) {
	place := func(v uint8, at channel) {
		for i := range at.length {
			if v&(0x80>>i) != 0 {
				p |= 1 << (at.offset + at.length - 1 - i)
			}
		}
	}
	place(c.R, l.red)
	place(c.G, l.green)
	place(c.B, l.blue)
	return p
}

// naiveClockwise rotates the picture by a quarter turn: columns, read from the bottom up, become
// rows.
func naiveClockwise(f [64]color.RGBA) (turned [64]color.RGBA) {
	i := 0
	for x := range 8 {
		for y := 7; y >= 0; y-- {
			turned[i] = f[y*8+x]
			i++
		}
	}
	return turned
}

func randomFrame(r *rand.Rand) (f [64]color.RGBA) {
	for i := range f {
		f[i] = color.RGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32())}
	}
	return f
}

func TestPack(t *testing.T) {
	layouts := map[string]layout{
		"Sense HAT":   rgb565(),
		"vfb":         {channel{0, 5}, channel{5, 6}, channel{11, 5}, 16},
		"15 bits":     {channel{10, 5}, channel{5, 5}, channel{0, 5}, 16},
		"padded rows": {channel{11, 5}, channel{5, 6}, channel{0, 5}, 64},
		"8, 4, 4":     {channel{8, 8}, channel{4, 4}, channel{0, 4}, 16},
	}
	for name, l := range layouts {
		t.Run(name, func(t *testing.T) {
			if err := l.check(); err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			for quarters := range 4 {
				for range 50 {
					frame := randomFrame(r)
					from := turned(quarters)
					got := make([]byte, l.size())
					l.pack(got, &frame, &from)

					want := make([]byte, l.size())
					seen := frame
					for range quarters {
						seen = naiveClockwise(seen)
					}
					for i, c := range seen {
						binary.NativeEndian.PutUint16(want[i/8*l.line+i%8*2:], naivePixel(l, c))
					}
					if !slices.Equal(got, want) {
						t.Fatalf("turned %d times:\n got %x\nwant %x", quarters, got, want)
					}
				}
			}
		})
	}
}

func TestPackKnownColours(t *testing.T) {
	for _, test := range []struct {
		c    color.RGBA
		want uint16
	}{
		{color.RGBA{248, 0, 0, 255}, 0xf800},
		{color.RGBA{255, 0, 0, 255}, 0xf800},
		{color.RGBA{248, 252, 0, 255}, 0xffe0},
		{color.RGBA{0, 0, 248, 255}, 0x001f},
		{color.RGBA{7, 3, 7, 255}, 0},
		{color.RGBA{8, 4, 8, 0}, 0x0821},
	} {
		frame, from, got := [64]color.RGBA{9: test.c}, turned(0), make([]byte, 128)
		rgb565().pack(got, &frame, &from)
		if p := binary.NativeEndian.Uint16(got[18:]); p != test.want {
			t.Errorf("%v: got %#04x, want %#04x", test.c, p, test.want)
		}
	}
}

func TestLayoutCheck(t *testing.T) {
	for name, l := range map[string]layout{
		"nothing":          {},
		"no green":         {channel{11, 5}, channel{5, 0}, channel{0, 5}, 16},
		"nine bits of red": {channel{7, 9}, channel{4, 3}, channel{0, 4}, 16},
		"above the pixel":  {channel{12, 5}, channel{5, 6}, channel{0, 5}, 16},
		"offset overflows": {channel{1<<32 - 1, 5}, channel{5, 6}, channel{0, 5}, 16},
		"overlapping":      {channel{11, 5}, channel{4, 6}, channel{0, 5}, 16},
		"rows too short":   {channel{11, 5}, channel{5, 6}, channel{0, 5}, 15},
		"rows too long":    {channel{11, 5}, channel{5, 6}, channel{0, 5}, 1 << 30},
	} {
		if err := l.check(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
