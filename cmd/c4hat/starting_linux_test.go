package main

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/store"
)

// While the disk hangs at the start, the LEDs show that the service is starting, and a signal
// ends it.
func TestStarting(t *testing.T) {
	opening := make(chan struct{})
	openSaver = func(ctx context.Context, _ string, _ *slog.Logger) (*store.Saver, error) {
		close(opening)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	t.Cleanup(func() { openSaver = store.OpenSaver })
	ctx, cancel := context.WithCancelCause(t.Context())
	h := newFileHAT(t)
	picture := game.Starting()
	go func() {
		defer cancel(cli.Signalled{Signal: syscall.SIGTERM})
		<-opening
		h.shows(t, light.New(light.Night, light.Full).Frame(&picture))
	}()
	dir := t.TempDir()
	var said strings.Builder
	args := []string{"daemon", "--state", dir, "--socket", filepath.Join(dir, "s"), "--fb", h.fb, "--stick", h.stick, "--palette", "night"}
	if status := run(ctx, args, strings.NewReader(""), io.Discard, &said); status != 0 || !strings.Contains(said.String(), "msg=stopping") {
		t.Errorf("exit status %d: %s", status, said.String())
	}
	if h.leds(t) != dark {
		t.Error("the LEDs stay lit")
	}
}
