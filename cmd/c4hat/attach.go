package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/spf13/cobra"
)

// attach plays on the daemon's HAT, with this terminal beside it if it is one.
func (p *playing) attach(cmd *cobra.Command, client *control.Client, status control.Status, c game.Config, tty bool) error {
	if cmd.Flags().Changed("rotate") {
		return usagef("--rotate: the daemon has the HAT, and its configuration decides: leave it out")
	}
	id, err := p.join(cmd.Context(), client, status, c)
	if err != nil {
		return err
	}
	m := mirror{client: client, keys: true, until: func(v game.View) bool {
		return !c.Forever && (v.ID != id || v.Phase == game.Menu || v.Phase == game.Attract)
	}}
	last, err := m.run(cmd.Context(), tty, attachedHelp)
	switch {
	case detached(err):
		fmt.Fprintln(cmd.OutOrStdout(), "the match goes on at the HAT: c4hat play --continue joins it again")
		return nil
	case err != nil:
		return err
	case last.ID == id && last.Match.Winner() != board.Empty:
		return printResult(cmd, last)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), "the match was ended at the HAT")
	return err
}

// join starts the match, or joins the one under way, and gives its ID.
func (p *playing) join(ctx context.Context, client *control.Client, status control.Status, c game.Config) (id string, err error) {
	if p.continues {
		v, err := status.View()
		if err == nil && !v.UnderWay {
			err = errors.New("no match is under way on the HAT: start one without --continue")
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
	v, err := state.View()
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
	var s signalled
	return errors.Is(err, errLeft) || errors.Is(err, loop.ErrInterrupted) || errors.As(err, &s) && s.Signal == syscall.SIGHUP
}

// errLeft says that somebody pressed q.
var errLeft = errors.New("left")

// mirror shows a daemon's game in the terminal.
type mirror struct {
	client *control.Client
	keys   bool                  // go to the daemon; else only those that leave
	until  func(game.View) bool  // there is nothing more to see
	follow func(game.View) error // shows the game where there is no terminal; may be nil
}

// run mirrors until there is nothing more to see, which gives the last view, or
// until somebody leaves, which is an error that is [detached].
func (m *mirror) run(ctx context.Context, tty bool, help term.Help) (game.View, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	show := m.follow
	if tty {
		panel, err := term.Open(help)
		if err != nil {
			return game.View{}, err
		}
		defer panel.Close()
		show = func(v game.View) error { return panel.Show(v, false) }
		go func() {
			cancel(loop.Guard(func() error { return m.listen(ctx, panel) }))
		}()
	}
	var last game.View
	err := loop.Guard(func() error {
		return m.watch(ctx, func(v game.View) error {
			last = v
			if m.until != nil && m.until(v) {
				return errSeen
			}
			if show == nil {
				return nil
			}
			return show(v)
		})
	})
	switch {
	case errors.Is(err, errSeen):
		return last, nil
	case ctx.Err() != nil:
		return last, context.Cause(ctx)
	}
	return last, err
}

// errSeen ends a mirror that has nothing more to see.
var errSeen = errors.New("seen")

// A daemon that has died is back within seconds if systemd looks after it, with
// the match where it was.
const (
	comeBack  = 10 * time.Second
	lookAgain = 200 * time.Millisecond
)

// watch shows what the daemon shows, also after it has been away for a moment.
func (m *mirror) watch(ctx context.Context, show func(game.View) error) error {
	var gone time.Time
	for {
		for v, err := range m.client.Events(ctx) {
			if err != nil {
				if gone.IsZero() {
					gone = time.Now()
				}
				if ctx.Err() != nil || time.Since(gone) > comeBack {
					return fmt.Errorf("the daemon is gone: %w", err)
				}
				break
			}
			gone = time.Time{}
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
			if _, err := m.client.Press(ctx, ev); err != nil && !errors.Is(err, control.ErrNoDaemon) {
				return err
			}
		}
	}
}
