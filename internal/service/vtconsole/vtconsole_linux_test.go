package vtconsole

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/c4hat/c4hat/hat"
)

// The text console leaves the matrix, whatever the order in which the framebuffers came, and stays
// on a screen.
func TestPlace(t *testing.T) {
	const matrix = hat.MatrixName
	refused := errors.New("refused")
	for _, test := range []struct {
		name         string
		framebuffers []string // by number; empty: missing
		bind         string
		at           int // the framebuffer with the console; below 0 the kernel refuses to tell
		want         string
	}{
		{"no screen", []string{matrix}, "1\n", 0, "0"},
		{"no screen, not bound", []string{matrix}, "0\n", 0, "0\n"},
		{"the screen came later", []string{matrix, "vc4drmfb"}, "0\n", 0, "0\n, moved to 1"},
		{"the matrix took the console", []string{matrix, "vc4drmfb"}, "1\n", 0, "0, moved to 1"},
		{"the kernel does not tell", []string{matrix, "vc4drmfb"}, "1\n", -1, "0, moved to 1"},
		{"on the screen", []string{matrix, "vc4drmfb"}, "1\n", 1, "1\n"},
		{"the screen came first", []string{"vc4drmfb", matrix}, "1\n", 0, "1\n"},
		{"a screen with a fixed number", []string{"", matrix, "vc4drmfb", "other"}, "0\n", 1, "0\n, moved to 2"},
		{"no matrix", []string{"vc4drmfb"}, "0\n", 0, "0\n"},
		{"no console", []string{matrix, "vc4drmfb"}, "", 0, ""},
	} {
		drivers := t.TempDir()
		put := func(driver, name, bind string) {
			d := filepath.Join(drivers, driver)
			if err := errors.Join(os.Mkdir(d, 0o755), os.WriteFile(d+"/name", []byte(name), 0o644), os.WriteFile(d+"/bind", []byte(bind), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		put("vtcon0", "(S) dummy device\n", "1\n")
		if test.bind != "" {
			put("vtcon1", "(M) frame buffer device\n", test.bind)
		}
		var framebuffers []hat.Device
		for n, name := range test.framebuffers {
			if name != "" {
				framebuffers = append(framebuffers, hat.Device{Name: name, Path: fmt.Sprint("/dev/fb", n)})
			}
		}
		moved := ""
		c := console{drivers,
			func(int) (int, error) {
				if test.at < 0 {
					return 0, refused
				}
				return test.at, nil
			},
			func(screen int) error { moved += fmt.Sprint(", moved to ", screen); return nil },
		}
		if err := c.place(framebuffers); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		bind, _ := os.ReadFile(filepath.Join(drivers, "vtcon1/bind"))
		if got := string(bind) + moved; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		c.move = func(int) error { return refused }
		if err := c.place(framebuffers); moved != "" && !errors.Is(err, refused) {
			t.Errorf("%s: a failure is %v", test.name, err)
		}
	}
}
