package hat

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzFind checks that only the device with the HAT's name is found among devices with any names.
func FuzzFind(f *testing.F) {
	f.Fuzz(func(t *testing.T, zero, one, two string) {
		s := newTree(t)
		want := ""
		for entry, name := range []string{zero, one, two} {
			s.name(t, fmt.Sprintf("graphics/fb%d/name", entry), name)
			if want == "" && strings.TrimSpace(name) == "RPi-Sense FB" {
				want = filepath.Join(s.dev, fmt.Sprintf("fb%d", entry))
			}
		}
		switch got, err := s.find(matrixPart()); {
		case want == "":
			line(t, err, "dtoverlay=rpi-sense")
			kinds(t, err, ErrNotFound, fs.ErrNotExist)
		case err != nil || got != want:
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
	})
}
