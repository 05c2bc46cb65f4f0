package main

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/c4hat/c4hat/internal/front/hatpanel"
)

const folder = "../../../doc/pictures"

// frame is one picture of a file and its duration in hundredths of a second.
type frame struct {
	pixels []uint8 // RGBA
	delay  int
}

// decode returns a file's frames. Another release of Go may encode the same pictures differently,
// so the test compares pixels.
func decode(t *testing.T, name string, file []byte) (all []frame) {
	t.Helper()
	screen := image.NewRGBA(image.Rect(0, 0, size, size))
	show := func(img image.Image, delay int) {
		draw.Draw(screen, img.Bounds(), img, img.Bounds().Min, draw.Over)
		all = append(all, frame{slices.Clone(screen.Pix), delay})
	}
	if filepath.Ext(name) != ".gif" {
		img, _, err := image.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(name, err)
		}
		show(img, 0)
		return all
	}
	film, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(name, err)
	}
	for i, img := range film.Image {
		show(img, film.Delay[i])
	}
	return all
}

// The pictures in doc match the program. After a change, run make pictures and look at the result.
func TestPictures(t *testing.T) {
	most := map[string]int{".gif": 150_000, ".png": 30_000, ".svg": 60_000}
	var names []string
	for _, s := range scenes {
		names = append(names, s.name)
		is, err := s.file()
		if err != nil {
			t.Fatal(s.name, err)
		}
		if most := most[filepath.Ext(s.name)]; len(is) > most {
			t.Errorf("%s is %d bytes long, want %d at most", s.name, len(is), most)
		}
		was, err := os.ReadFile(filepath.Join(folder, s.name))
		if err != nil {
			t.Error(err)
			continue
		}
		if filepath.Ext(s.name) == ".svg" {
			if !bytes.Equal(was, is) {
				t.Errorf("%s is not what the program shows: make pictures, and look at them", s.name)
			}
			continue
		}
		before, now := decode(t, s.name, was), decode(t, s.name, is)
		if len(before) != len(now) {
			t.Errorf("%s has %d frames, the program shows %d: make pictures, and look at them", s.name, len(before), len(now))
			continue
		}
		for i := range now {
			if before[i].delay != now[i].delay || !bytes.Equal(before[i].pixels, now[i].pixels) {
				t.Errorf("%s, frame %d, is not what the program shows: make pictures, and look at them", s.name, i)
				break
			}
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, f.Name()) {
			t.Errorf("%s: no scene has that name", f.Name())
		}
	}
}

// An LED lights up in its colour and place, and the others stay dark.
func TestPaint(t *testing.T) {
	var f hatpanel.Frame
	f[8*2+5] = color.RGBA{G: 255, A: 255}
	p := newGlow().paint(&f)
	at := func(x, y int) [3]uint8 { return p[(edge+y*pitch+pitch/2)*size+edge+x*pitch+pitch/2] }
	if c := at(5, 2); c[1] < 250 || c[0] > 128 || c[2] > 128 {
		t.Errorf("the green LED is %v", c)
	}
	if c, d := at(2, 5), at(7, 7); c != d || max(c[0], c[1], c[2]) > 60 {
		t.Errorf("dark LEDs are %v and %v", c, d)
	}
	dim := f
	dim[8*2+5].G = 63
	if c := newGlow().paint(&dim)[(edge+2*pitch+pitch/2)*size+edge+5*pitch+pitch/2]; c[1] < 110 || c[1] > 160 {
		t.Errorf("a quarter of the light is %v, want about half of the value", c)
	}
}
