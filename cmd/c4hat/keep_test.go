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
	"github.com/c4hat/c4hat/internal/store"
)

// A disk that hangs at the start does not keep the service from ending.
func TestEndWhileOpening(t *testing.T) {
	opening := make(chan struct{})
	openSaver = func(ctx context.Context, _ string, _ *slog.Logger) (*store.Saver, error) {
		close(opening)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	t.Cleanup(func() { openSaver = store.OpenSaver })
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-opening
		cancel(cli.Signalled{Signal: syscall.SIGTERM})
	}()
	dir := t.TempDir()
	var said strings.Builder
	args := []string{"daemon", "--state", dir, "--socket", filepath.Join(dir, "s"), "--config", ""}
	if status := run(ctx, args, strings.NewReader(""), io.Discard, &said); status != 0 || !strings.Contains(said.String(), "msg=stopping") {
		t.Errorf("exit status %d: %s", status, said.String())
	}
}
