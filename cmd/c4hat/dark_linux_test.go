package main

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// c4hat dark clears the picture of a killed service, but not the picture of a program that has
// locked the HAT.
func TestDark(t *testing.T) {
	t.Parallel()
	h := newFileHAT(t)
	config := filepath.Join(t.TempDir(), "config.toml")
	text := "[machine]\nfb = \"" + h.fb + "\"\n[game]\npoints = 9\n" // dark ignores this mistake
	must(t, os.WriteFile(config, []byte(text), 0o644))
	other, err := os.Open(h.fb)
	must(t, err)
	must(t, unix.Flock(int(other.Fd()), unix.LOCK_EX))
	left := h.leds(t)
	darken := func(args ...string) {
		p := start(t, nil, append([]string{"c4hat", "dark"}, args...)...)
		if err := p.Wait(); err != nil || p.errs.Len() > 0 {
			t.Errorf("dark %v: %v\n%s", args, err, p.errs.String())
		}
	}
	darken("--fb", h.fb)
	if h.leds(t) != left {
		t.Error("cleared another program's picture")
	}
	// Unlock before closing: a process that another test is starting may have the file open too.
	must(t, unix.Flock(int(other.Fd()), unix.LOCK_UN))
	other.Close()
	darken("--config", config)
	if h.leds(t) != dark {
		t.Errorf("left\n%s", unpacked(h.leds(t)))
	}
	darken("--fb", filepath.Join(t.TempDir(), "none"))
}

func TestDarkAfterKill(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	h := d.fileHAT
	h.lights(t, d.program)
	d.kill(t)
	if h.leds(t) == dark {
		t.Fatal("the killed service left no picture")
	}
	if err := start(t, nil, "c4hat", "dark", "--fb", h.fb).Wait(); err != nil || h.leds(t) != dark {
		t.Errorf("%v\n%s", err, unpacked(h.leds(t)))
	}
}
