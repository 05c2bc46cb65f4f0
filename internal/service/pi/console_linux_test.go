package pi

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The text console leaves the matrix, whatever the order in which the framebuffers came, and stays
// on a screen.
func TestPlaceConsole(t *testing.T) {
	const matrix = "RPi-Sense FB"
	refused := errors.New("refused")
	for _, test := range []struct {
		name         string
		framebuffers []string // by number; empty: missing
		bind         string
		at           int // the framebuffer with the console; below 0 the kernel refuses to tell
		want         string
	}{
		{"no screen", []string{matrix}, "1\n", 0, "bind 0"},
		{"no screen, not bound", []string{matrix}, "0\n", 0, "bind 0"},
		{"the screen came later", []string{matrix, "vc4drmfb"}, "0\n", 0, "bind 0, moved to 1"},
		{"the matrix took the console", []string{matrix, "vc4drmfb"}, "1\n", 0, "bind 0, moved to 1"},
		{"the kernel does not tell", []string{matrix, "vc4drmfb"}, "1\n", -1, "bind 0, moved to 1"},
		{"on the screen", []string{matrix, "vc4drmfb"}, "1\n", 1, "bind 1"},
		{"the screen came first", []string{"vc4drmfb", matrix}, "1\n", 0, "bind 1"},
		{"a screen with a fixed number", []string{"", matrix, "vc4drmfb", "other"}, "0\n", 1, "bind 0, moved to 2"},
		{"no matrix", []string{"vc4drmfb"}, "0\n", 0, "bind 0"},
		{"no console", []string{matrix, "vc4drmfb"}, "", 0, "bind "},
	} {
		root := t.TempDir()
		put := func(text string, path ...string) {
			file := filepath.Join(append([]string{root, "sys/class"}, path...)...)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		for n, name := range test.framebuffers {
			if name != "" {
				put(name+"\n", "graphics", fmt.Sprint("fb", n), "name")
			}
		}
		put("(S) dummy device\n", "vtconsole/vtcon0/name")
		put("1\n", "vtconsole/vtcon0/bind")
		if test.bind != "" {
			put("(M) frame buffer device\n", "vtconsole/vtcon1/name")
			put(test.bind, "vtconsole/vtcon1/bind")
		}
		moved := ""
		c := consoles{root,
			func(int) (int, error) {
				if test.at < 0 {
					return 0, refused
				}
				return test.at, nil
			},
			func(screen int) error { moved += fmt.Sprint(", moved to ", screen); return nil },
		}
		if err := c.place(matrix); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		bind, _ := os.ReadFile(filepath.Join(root, "sys/class/vtconsole/vtcon1/bind"))
		if got := "bind " + string(bind[:min(1, len(bind))]) + moved; got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		c.move = func(int) error { return refused }
		if err := c.place(matrix); moved != "" && !errors.Is(err, refused) {
			t.Errorf("%s: a failure is %v", test.name, err)
		}
	}
}
