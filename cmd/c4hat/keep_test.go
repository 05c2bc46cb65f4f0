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
	"github.com/c4hat/c4hat/internal/store"
)

// A disk that hangs at the start does not keep the daemon from ending.
func TestEndWhileOpening(t *testing.T) {
	opening, hangs := make(chan struct{}), make(chan struct{})
	openStore = func(string, *slog.Logger) (*store.Store, error) {
		close(opening)
		<-hangs
		return nil, io.EOF
	}
	t.Cleanup(func() {
		close(hangs)
		openStore = store.Open
	})
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

// Nobody ends matches quicker than the disk takes them.
func TestEndsWaitForRoom(t *testing.T) {
	busy := false
	k := kept{room: func(context.Context) error {
		if busy {
			return game.ErrBusy
		}
		return nil
	}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nobody plays
	do := k.do(nil)
	for _, ev := range []game.Event{game.Start{}, game.End{}, game.Tick{}, game.Column{}} {
		for _, busy = range []bool{false, true} {
			want := context.Canceled
			switch ev.(type) {
			case game.Start, game.End:
				if busy {
					want = game.ErrBusy
				}
			}
			if _, err := do(ctx, ev, 0); err != want {
				t.Errorf("%T, busy %v: %v", ev, busy, err)
			}
		}
	}
}
