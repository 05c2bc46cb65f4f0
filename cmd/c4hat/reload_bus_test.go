package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/spf13/pflag"
)

// A configuration that is read again has the accelerometer asked on the bus that is in
// use already, which counts its errors.
func TestReloadAsksOnTheSameBus(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte("[screen]\nrotate = \"auto\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		var said printed
		log := slog.New(slog.NewTextHandler(&said, nil))
		s := newSettings()
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		s.addDaemon(flags)
		if err := flags.Parse([]string{"--config", file, "--i2c", "/dev/i2c-99"}); err != nil {
			t.Fatal(err)
		}
		s.direct = b.I2C() // in the place of that
		state, err := game.New(game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}, Attract: true}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		r := reloader{settings: s, flags: flags, panel: loop.NewHATOf(b, s.hat(), nil, nil, log), requests: make(loop.Requests), log: log}
		r.panel.Paint = r.paint
		r.look.Store(s.look())
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = loop.Run(ctx, state, loop.Options{Panels: []loop.Panel{r.panel}, Requests: r.requests})
			r.panel.Close()
		}()
		time.Sleep(2 * time.Second)
		if n := b.Asked(); n != 0 {
			t.Errorf("asked %d times before", n)
		}
		r.reload(ctx)
		time.Sleep(2 * time.Second)
		if b.Asked() == 0 || strings.Contains(said.String(), "not turned") {
			t.Errorf("asked %d times; said:\n%s", b.Asked(), said.String())
		}
		cancel()
		<-done
	})
}
