package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/socket"
)

// running is the service on a HAT simulated by files.
type running struct {
	*fileHAT
	state, socket string
	args, env     []string
	client        *socket.Client
	rng           *rand.Rand

	program *program
	views   chan game.View // the latest view
	view    game.View
	gone    context.CancelFunc
	dead    chan struct{} // closed when the program has ended
	told    chan struct{} // closed when views has the program's last view
	winners map[string]board.Disc
}

func newRunning(t testing.TB, args ...string) *running {
	t.Helper()
	h := newFileHAT(t)
	dir := socketdir.New(t)
	d := &running{fileHAT: h, state: filepath.Join(dir, "state"), socket: filepath.Join(dir, "s"), winners: map[string]board.Disc{}}
	d.client = socket.Dial(d.socket)
	d.args = append([]string{"c4hat", "daemon", "--fb", h.fb, "--stick", h.stick, "--state", d.state, "--socket", d.socket}, args...)
	return d
}

// start starts the service and waits for its first view.
func (d *running) start(t testing.TB) {
	t.Helper()
	d.program = start(t, d.env, d.args...)
	ctx, cancel := context.WithCancel(t.Context())
	d.gone = cancel
	d.views = make(chan game.View, 1)
	d.dead, d.told = make(chan struct{}), make(chan struct{})
	views, dead, told := d.views, d.dead, d.told
	go func() {
		defer close(told)
		for ctx.Err() == nil {
			select {
			case <-dead:
				return
			default:
			}
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
	case <-time.After(patience):
		t.Fatalf("the service does not answer:\n%s", d.program.errs.String())
	}
}

// latest returns the last view that the service showed.
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
	eventually(t, func() bool { return ok(d.latest()) }, func() string {
		return fmt.Sprintf("%s does not come: it is %v after %q", what, d.view.Phase, d.view.Game.String())
	})
}

// secondTap is how long after a disc has landed the next drop of the same person does nothing.
const secondTap = 250 * time.Millisecond

// aims waits until the moves are played and saved, and the next disc may be dropped.
func (d *running) aims(t testing.TB, moves string) {
	t.Helper()
	d.until(t, "the turn after "+moves, func(v game.View) bool {
		return v.Phase == game.Aim && !v.Unsaved && v.Game.String() == moves
	})
	time.Sleep(secondTap)
}

// press sends an event through the socket. It retries while other clients use all connections.
func (d *running) press(t testing.TB, ev game.Event) {
	t.Helper()
	var err error
	eventually(t, func() bool {
		_, err = d.client.Do(t.Context(), ev)
		return err == nil || !strings.Contains(err.Error(), "connections are open already")
	}, func() string { return err.Error() })
	must(t, err)
}

// stop ends the service with SIGTERM.
func (d *running) stop(t testing.TB) {
	t.Helper()
	_ = d.program.Process.Signal(syscall.SIGTERM)
	if err := d.program.Wait(); err != nil {
		t.Errorf("%v\n%s", err, d.program.errs.String())
	}
	close(d.dead)
	<-d.told
	d.gone()
}

// kill kills the service and returns its last view.
func (d *running) kill(t testing.TB) game.View {
	t.Helper()
	must(t, d.program.Process.Kill())
	_ = d.program.Wait()
	close(d.dead)
	<-d.told
	v := d.latest()
	d.gone()
	return v
}
