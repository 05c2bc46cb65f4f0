package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/panel/mirror"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

// attach plays the match on the service's HAT from this terminal, or in lines of text. With
// --display hat and no terminal, it only prints the match.
func (p *playing) attach(cmd *cobra.Command, client *socket.Client, status socket.Status, c game.Config) error {
	for _, name := range []string{"i2c", "rotate", "brightness", "palette", "idle", "state"} {
		if cmd.Flags().Changed(name) {
			return cli.Usagef("--%s cannot change the service's settings: leave it out, or change the service's configuration", name)
		}
	}
	id, token, err := p.join(cmd.Context(), cmd.OutOrStdout(), client, status, c)
	if err != nil {
		return err
	}
	m := &mirror.Mirror{Client: client, Keys: true, Mark: p.programs.Mark}
	match := mirror.NewOnly(id)
	if !c.Forever {
		m.Until = func(v game.View) bool { return match.Over(v, !p.picture) } // plain text ends when the match is won, a picture stays until people leave it
	}
	if err := p.programs.Join(cmd.Context(), client, token, m.Until); err != nil {
		return err
	}
	var last game.View
	if p.picture || p.display.Word == "hat" {
		help := func(v *game.View) [2]string {
			lines := attachedHelp(v)
			if c.Menu && match.ID() == "" && v.Phase == game.Paused {
				lines[0] = "a match is waiting:  resume or end it"
			}
			return lines
		}
		last, err = mirrored(cmd, m, p.picture, help, p.boards())
	} else {
		last, err = p.converse(cmd, m)
	}
	id, text := match.ID(), ""
	switch {
	case errors.Is(err, console.ErrInputEnded):
		return fmt.Errorf("%w: the match continues on the HAT, and %s play --continue joins it again", err, cli.Program())
	case err != nil && !detached(err):
		return err
	case disconnected(err): // nobody reads the output, and a write might block
	case last.ID == id && last.Match.Winner() != board.Empty:
		if p.picture { // plain text has already printed the result
			return printResult(cmd, last)
		}
	case err != nil && last.UnderWay:
		text = fmt.Sprintf("the match continues on the HAT: %s play --continue joins it again", cli.Program())
	case err != nil: // somebody left the menu
	case last.ID != id:
		text = "your match was replaced by another on the HAT"
	default:
		text = "the match was ended on the HAT"
	}
	if text != "" {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
		return err
	}
	return nil
}

func (p *playing) converse(cmd *cobra.Command, m *mirror.Mirror) (game.View, error) {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	panel := console.NewPanel(ctx, console.PanelOptions{
		In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Boards: p.boards(), Newline: !onOneTerminal(cmd),
		Forever: m.Until == nil, Away: m.Away,
	})
	m.Pressed = panel.Pressed
	return m.Run(ctx, panel)
}

// join starts the match, or joins the one under way, and returns the match's ID. If a program plays
// in a new match, join takes the first program's seat from the start, and returns the seat's token.
func (p *playing) join(ctx context.Context, out io.Writer, client *socket.Client, status socket.Status, c game.Config) (id, token string, err error) {
	switch {
	case p.continues:
		id, err = mirror.Continue(ctx, client, status)
		return id, "", err
	case c.Menu:
		return "", "", mirror.OpenMenu(ctx, client, status, cli.Program())
	}
	request := api.RequestFor(c, p.force)
	if players := p.programs.Players(); len(players) > 0 {
		request.Take = c.Rules.Name(players[0])
	}
	v, token, old, err := mirror.Start(ctx, client, status, request, cli.Program())
	if old.UnderWay {
		fmt.Fprintf(out, "The match that was under way on the HAT was given up (%s).\n", words.Terms(old.Record))
	}
	return v.ID, token, err
}

func attachedHelp(v *game.View) [2]string {
	lines := term.PlayHelp(v)
	lines[1] = strings.Replace(lines[1], "q quit", "q leave", 1)
	return lines
}

// detached reports whether the command ended, but not the match: after q or Ctrl-C, or because
// the terminal's connection dropped.
func detached(err error) bool {
	return errors.Is(err, mirror.ErrLeft) || errors.Is(err, session.ErrInterrupted) || disconnected(err)
}

func disconnected(err error) bool {
	var s cli.Signalled
	return errors.Is(err, term.ErrClosed) || errors.As(err, &s) && s.Signal == syscall.SIGHUP
}
