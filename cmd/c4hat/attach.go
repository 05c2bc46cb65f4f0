package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/panel/term"
	"github.com/c4hat/c4hat/internal/plain"
	"github.com/spf13/cobra"
)

// attach plays on the daemon's HAT, with this terminal beside it if it is one.
func (p *playing) attach(cmd *cobra.Command, client *control.Client, status control.Status, c game.Config, tty bool) error {
	for _, name := range []string{"i2c", "rotate", "brightness", "palette"} {
		if cmd.Flags().Changed(name) {
			return cli.Usagef("--%s: the daemon has the HAT, and its configuration decides: leave it out", name)
		}
	}
	id, err := p.join(cmd.Context(), client, status, c)
	if err != nil {
		return err
	}
	m := mirror{client: client, keys: true, until: func(v game.View) bool {
		return !c.Forever && (v.ID != id || v.Phase == game.Menu || v.Phase == game.Attract)
	}}
	if !tty {
		m.follow = plain.Follow(cmd.OutOrStdout())
	}
	last, err := m.run(cmd.Context(), tty, attachedHelp)
	text := ""
	switch {
	case err != nil && !detached(err):
		return err
	case droppedLine(err): // nobody reads it, and to write it might take for ever
	case last.ID == id && last.Match.Winner() != board.Empty:
		if tty { // else it has been told
			return printResult(cmd, last)
		}
	case err != nil && last.UnderWay:
		text = "the match goes on at the HAT: c4hat play --continue joins it again"
	case err != nil: // left a menu
	case last.ID != id:
		text = "another match has taken its place on the HAT"
	default:
		text = "the match was ended at the HAT"
	}
	if text != "" {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
		return err
	}
	return nil
}

// join starts the match, or joins the one under way, and gives its ID.
func (p *playing) join(ctx context.Context, client *control.Client, status control.Status, c game.Config) (id string, err error) {
	if p.continues {
		v, err := client.View(status.State)
		switch {
		case err != nil:
			return "", err
		case !v.UnderWay:
			return "", errors.New("no match is under way on the HAT: start one without --continue")
		case v.Phase == game.Dark: // a key only wakes it
			_, err = client.Press(ctx, game.Press{Key: game.Middle})
		}
		return v.ID, err
	}
	r := c.Rules
	want := control.MatchRequest{
		Board: fmt.Sprintf("%dx%d", r.Columns, r.Rows), Connect: r.Connect, Points: c.Points,
		First: c.First.String(), Position: c.Opening, Level: c.Level, Seed: c.Seed, Force: p.force,
	}
	if c.First == board.FirstYellow {
		want.First = r.Name(board.Yellow)
	}
	if c.Computer != board.Empty {
		want.Computer = r.Name(c.Computer)
	}
	state, err := client.Start(ctx, want)
	if err != nil {
		return "", err
	}
	v, err := client.View(state)
	return v.ID, err
}

func attachedHelp(v *game.View) [2]string {
	lines := term.PlayHelp(v)
	if lines[1] != "" {
		lines[1] = lines[1][:len(lines[1])-len("q quit")] + "q leave"
	}
	return lines
}

// detached says whether somebody only left: with q, with Ctrl-C, or because the
// line was dropped.
func detached(err error) bool {
	return errors.Is(err, errLeft) || errors.Is(err, loop.ErrInterrupted) || droppedLine(err)
}

func droppedLine(err error) bool {
	var s cli.Signalled
	return errors.Is(err, term.ErrClosed) || errors.As(err, &s) && s.Signal == syscall.SIGHUP
}

// errLeft says that somebody pressed q.
var errLeft = errors.New("left")

// mirror shows a daemon's game in the terminal.
type mirror struct {
	client *control.Client
	keys   bool                  // go to the daemon; else only those that leave
	until  func(game.View) bool  // there is nothing more to see
	follow func(game.View) error // shows the game where there is no terminal
	waits  atomic.Bool           // the daemon is away, and may be back in a moment
}

// run mirrors until there is nothing more to see, which gives the last view, or
// until somebody leaves, which is an error that is [detached].
func (m *mirror) run(ctx context.Context, tty bool, help term.Help) (game.View, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	show := m.follow
	if tty {
		panel, err := term.Open(func(v *game.View) [2]string {
			if m.waits.Load() {
				return [2]string{"the service is away: waiting for it", "q leave"}
			}
			return help(v)
		})
		if err != nil {
			return game.View{}, err
		}
		defer panel.Close()
		show = func(v game.View) error { return panel.Show(v, false) }
		go func() {
			cancel(loop.Guard(func() error { return m.listen(ctx, panel) }))
		}()
	}
	var last atomic.Pointer[game.View]
	last.Store(new(game.View))
	go func() {
		cancel(loop.Guard(func() error {
			return m.watch(ctx, func(v game.View) error {
				last.Store(&v)
				if err := show(v); err != nil {
					return err
				}
				if m.until != nil && m.until(v) {
					return errSeen
				}
				return nil
			})
		}))
	}()
	<-ctx.Done() // and not the panel: a terminal may take no more output
	if err := context.Cause(ctx); !errors.Is(err, errSeen) {
		return *last.Load(), err
	}
	return *last.Load(), nil
}

// errSeen ends a mirror that has nothing more to see.
var errSeen = errors.New("seen")

// A daemon that has died is back within seconds if systemd looks after it, with
// the match where it was.
const (
	comeBack  = 10 * time.Second
	lookAgain = 200 * time.Millisecond
)

// away says whether a daemon may be back in a moment.
func away(err error) bool {
	return errors.Is(err, control.ErrNoDaemon) || errors.Is(err, control.ErrLost)
}

// watch shows what the daemon shows, also after it has been away for a moment.
func (m *mirror) watch(ctx context.Context, show func(game.View) error) error {
	var (
		gone time.Time
		last *game.View
	)
	for {
		for v, err := range m.client.Events(ctx) {
			if err != nil {
				if !away(err) {
					return err
				}
				if gone.IsZero() {
					gone = time.Now()
					if last != nil {
						m.waits.Store(true)
						if err := show(*last); err != nil {
							return err
						}
					}
				}
				if ctx.Err() != nil || time.Since(gone) > comeBack {
					return fmt.Errorf("the daemon is gone: %w", err)
				}
				break
			}
			gone, last = time.Time{}, &v
			m.waits.Store(false)
			if err := show(v); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookAgain):
		}
	}
}

// listen hands the terminal's keys to the daemon. The mouse passing over a column
// moves nothing: nobody's cursor is to be pulled away.
func (m *mirror) listen(ctx context.Context, panel loop.Panel) error {
	for {
		ev, err := panel.Next(ctx)
		if err != nil {
			return err
		}
		switch ev := ev.(type) {
		case game.Quit:
			if ev.Interrupted {
				return loop.ErrInterrupted
			}
			return errLeft
		case game.Point:
		default:
			if !m.keys {
				break
			}
			// While the daemon is away its keys do nothing.
			if _, err := m.client.Press(ctx, ev); err != nil && !away(err) {
				return err
			}
		}
	}
}
