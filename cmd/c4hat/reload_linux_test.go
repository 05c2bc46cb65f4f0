package main

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

// After a reload during a match, the match continues. The LEDs change at once, and the rules change
// with the next match. A mistake in the configuration is reported with its line, and changes
// nothing.
func TestReload(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	configure := func(doc string) {
		t.Helper()
		must(t, os.WriteFile(file, []byte(doc), 0o644))
	}
	configure("")
	d := newRunning(t, "--config", file, "--first", "yellow")
	d.start(t)
	reload := func() {
		t.Helper()
		must(t, d.program.Process.Signal(syscall.SIGHUP))
	}
	if _, err := d.client.Do(t.Context(), game.Press{Key: game.Left}); err != nil { // opens the menu
		t.Fatal(err)
	}
	if _, err := d.client.Do(t.Context(), game.Press{Key: game.Middle}); err != nil {
		t.Fatal(err)
	}
	d.aims(t, "")
	time.Sleep(300 * time.Millisecond) // an earlier drop would be taken for the repeat of a held key
	if _, err := d.client.Do(t.Context(), game.Column{Col: 3}); err != nil {
		t.Fatal(err)
	}
	d.aims(t, "4")
	id := d.view.ID
	lit := func(palette string, brightness, degrees int) {
		t.Helper()
		v := d.latest()
		f := light.New(palette, brightness).Frame(&v.Frame)
		for range degrees / 90 {
			var turned light.Frame
			for i, c := range f {
				turned[8*(i%8)+7-i/8] = c
			}
			f = turned
		}
		d.shows(t, f)
	}

	lit(light.Classic, light.Full, 0)
	configure("[screen]\npalette = \"colourblind\"\nbrightness = 30\nrotate = 90\n[game]\npoints = 3\nfirst = \"red\"\nlevel = \"hard\"\n")
	reload()
	lit(light.Colourblind, 30, 90)
	d.tap(t, keyUp) // left, in the rotated picture
	d.until(t, "the cursor", func(v game.View) bool { return v.Cursor == 2 })

	configure("[screen]\npalette = \"night\"\nbrightness = 300\n")
	reload()
	d.program.says(t, file+":3: brightness")
	lit(light.Colourblind, 30, 90)
	if d.view.ID != id || d.view.Game.String() != "4" || d.view.Match.Target() != 2 {
		t.Errorf("the match is %s after %s to %d points", d.view.ID, d.view.Game.String(), d.view.Match.Target())
	}

	if _, err := d.client.Do(t.Context(), game.End{}); err != nil {
		t.Fatal(err)
	}
	d.until(t, "the menu", func(v game.View) bool {
		return v.Phase == game.Menu && slices.Contains(v.Choices.Names[:], "computer: hard")
	})
	if _, err := d.client.Do(t.Context(), game.Press{Key: game.Middle}); err != nil {
		t.Fatal(err)
	}
	d.until(t, "the next match", func(v game.View) bool { return v.ID != id && v.Phase == game.Aim })
	if first := d.view.Game.Position().Turn(); d.view.Match.Target() != 3 || first.String() != "yellow" {
		t.Errorf("played to %d points, and %v starts; want 3 from the file, and yellow from the command line", d.view.Match.Target(), first)
	}
	id = d.view.ID
	c, err := net.Dial("unix", d.socket) // a request that leaves everything to the configuration
	must(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "POST /v1/match HTTP/1.1\r\nHost: c4hat\r\nContent-Length: 14\r\n\r\n{\"force\":true}")
	must(t, err)
	d.until(t, "a match by request", func(v game.View) bool { return v.ID != id && v.Match.Target() == 3 })
	d.stop(t)
}

// While a reload hangs, SIGTERM still ends the program.
func TestReloadStuckMatrix(t *testing.T) {
	heedHangUp()
	ctx, stop := cli.WithSignals(t.Context())
	defer stop()
	began, wait := make(chan struct{}), make(chan struct{})
	defer close(wait)
	cli.AtHangUp(ctx, func() {
		close(began)
		<-wait
	})
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		must(t, syscall.Kill(os.Getpid(), s))
		if s == syscall.SIGHUP {
			<-began
		}
	}
	select {
	case <-ctx.Done():
	case <-time.After(patience):
		t.Error("SIGTERM was ignored")
	}
}
