package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/spf13/pflag"
)

// While the disk hangs at the start, the LEDs show that the service is starting, and a signal still
// ends the service.
func TestStarting(t *testing.T) {
	opening := make(chan struct{})
	openSaver = func(ctx context.Context, _ string, _ *slog.Logger) (*store.Saver, error) {
		close(opening)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	t.Cleanup(func() { openSaver = store.OpenSaver })
	fb := filepath.Join(t.TempDir(), "fb")
	if err := os.WriteFile(fb, bytes.Repeat([]byte{0xff}, 128), 0o666); err != nil {
		t.Fatal(err)
	}
	s, flags := settings.New(), pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Add(flags, settings.Daemon)
	if err := flags.Parse([]string{"--fb", fb, "--palette", "night"}); err != nil {
		t.Fatal(err)
	}
	hourglass := game.Starting()
	var want []byte
	for _, c := range hatpanel.NewColours(hatpanel.Night, hatpanel.Full).Frame(&hourglass) {
		want = binary.NativeEndian.AppendUint16(want, uint16(c.R>>3)<<11|uint16(c.G>>2)<<5|uint16(c.B>>3))
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	signal := errors.New("a signal")
	go func() {
		defer cancel(signal)
		<-opening
		var leds []byte
		for began := time.Now(); !bytes.Equal(leds, want); time.Sleep(time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Errorf("the LEDs show\n%x, want\n%x", leds, want)
				return
			}
			leds, _ = os.ReadFile(fb)
		}
	}()
	if err := (&service{log: slog.New(slog.DiscardHandler)}).onHAT(ctx, s, flags); !errors.Is(err, signal) {
		t.Error(err)
	}
	if leds, err := os.ReadFile(fb); !bytes.Equal(leds, make([]byte, 128)) {
		t.Errorf("the LEDs stay lit: %x, %v", leds, err)
	}
}
