package main

import (
	"bytes"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/front/hatpanel"
)

const folder = "../../../doc/pictures"

// The pictures in doc match the program. After a change, run make pictures and look at the result.
func TestPictures(t *testing.T) {
	var names []string
	for _, s := range scenes {
		names = append(names, s.name)
		is, err := s.file()
		if err != nil {
			t.Fatal(s.name, err)
		}
		if len(is) > 60_000 {
			t.Errorf("%s is %d bytes long", s.name, len(is))
		}
		if was, err := os.ReadFile(filepath.Join(folder, s.name)); err != nil || !bytes.Equal(was, is) {
			t.Errorf("%s is not what the program shows, %v: make pictures, and look at them", s.name, err)
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

// An LED changes its colour in its place when the shot changes, and the others stay as they are.
func TestFilm(t *testing.T) {
	var dark, lit hatpanel.Frame
	lit[8*2+5] = color.RGBA{G: 255, A: 255}
	svg := string(film([]shot{{frame: dark, lasts: 3 * time.Second}, {frame: lit, lasts: time.Second}}))
	want := `<circle cx="216" cy="108" r="13" fill="#1b1b1b"><animate attributeName="fill" calcMode="discrete" dur="4000ms" ` +
		`repeatCount="indefinite" keyTimes="0;0.75" values="#1b1b1b;#32ff32"/></circle>`
	if !strings.Contains(svg, want) || strings.Count(svg, `fill="#1b1b1b"/>`) != 63 {
		t.Errorf("want %s in\n%s", want, svg)
	}
}
