package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
)

// running is a daemon on a HAT of files.
type running struct {
	*fileHAT
	state, socket string
	args, env     []string
	client        *control.Client
	rng           *rand.Rand

	program *program
	views   chan game.View // the latest
	view    game.View
	gone    context.CancelFunc
	winners map[string]board.Disc
}

func newRunning(t testing.TB, args ...string) *running {
	t.Helper()
	h := newFileHAT(t)
	dir, err := os.MkdirTemp("", "c4") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	d := &running{fileHAT: h, state: filepath.Join(dir, "state"), socket: filepath.Join(dir, "s"), winners: map[string]board.Disc{}}
	d.client = control.Dial(d.socket)
	d.args = append([]string{"c4hat", "daemon", "--fb", h.fb, "--stick", h.stick, "--state", d.state, "--socket", d.socket}, args...)
	return d
}

// start starts the daemon and waits for its first view.
func (d *running) start(t testing.TB) {
	t.Helper()
	d.program = start(t, d.env, d.args...)
	ctx, cancel := context.WithCancel(t.Context())
	d.gone = cancel
	d.views = make(chan game.View, 1)
	views := d.views
	go func() {
		for ctx.Err() == nil {
			for v, err := range d.client.Events(ctx) {
				if err != nil {
					break
				}
				select {
				case <-views:
				default:
				}
				views <- v
			}
			time.Sleep(time.Millisecond)
		}
	}()
	select {
	case d.view = <-d.views:
	case <-time.After(20 * time.Second):
		t.Fatalf("the daemon does not answer:\n%s", d.program.errs.String())
	}
}

// latest is the view that the daemon showed last.
func (d *running) latest() game.View {
	select {
	case d.view = <-d.views:
	default:
	}
	if winner := d.view.Match.Winner(); winner != board.Empty {
		d.winners[d.view.ID] = winner
	}
	return d.view
}

// until waits for a view.
func (d *running) until(t testing.TB, what string, ok func(game.View) bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(d.latest()); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not come: it is %v after %q", what, d.view.Phase, d.view.Game.String())
		}
	}
}

// aims waits until somebody aims after the moves, and a disc may be dropped.
func (d *running) aims(t testing.TB, moves string) {
	t.Helper()
	d.until(t, "the turn after "+moves, func(v game.View) bool {
		return v.Phase == game.Aim && v.Game.String() == moves
	})
	time.Sleep(10 * time.Millisecond)
}

// kill kills it, and gives the last view that it showed.
func (d *running) kill(t testing.TB) game.View {
	t.Helper()
	if err := d.program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = d.program.Wait()
	time.Sleep(10 * time.Millisecond) // what is on its way
	v := d.latest()
	d.gone()
	return v
}
