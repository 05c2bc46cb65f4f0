package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/c4hat/c4hat/internal/words"
)

// openService opens the game on the service's HAT.
func (o *Options) openService(ctx context.Context, c *socket.Client, s socket.Status) (*opened, error) {
	if o.Fixed != nil {
		return nil, o.Fixed
	}
	id, held, err := o.join(ctx, c, s)
	if err != nil {
		return nil, err
	}
	g := &opened{session: c, held: held, help: serviceHelp, stop: func() {}}
	var match atomic.Pointer[string] // the ID; Until may still run while report does
	match.Store(&id)
	over := false // nobody plays the match any more
	if o.Picture || !o.Config.Forever {
		g.terms.Until = func(v game.View) bool {
			id := *match.Load()
			rests := v.Phase == game.Paused || v.Phase == game.Dark // it may not be the match to play
			if (id == "" || over) && v.UnderWay && !rests {
				id, over = v.ID, false
				match.Store(&id)
			}
			won := v.Match.Winner() != board.Empty && (o.Config.Forever || !o.Picture)
			left := id != "" && (v.Phase == game.Menu || v.Phase == game.Attract) // where an older match may wait
			over = over || left || v.ID == id && won
			return id != "" && v.ID != id && !over || over && !o.Config.Forever
		}
	}
	g.report = func(last game.View, err error) error {
		id, text := *match.Load(), ""
		switch {
		case errors.Is(err, console.ErrInputEnded):
			return fmt.Errorf("%w; %s", err, words.Continues(o.Resume))
		case err != nil && !detached(err):
			return err
		case disconnected(err): // nobody reads the output, and a write might block
		case last.ID == id && last.Match.Winner() != board.Empty:
			if o.Picture { // plain text has already printed the result
				err = o.printResult(last)
			}
			return cmp.Or(err, o.tellNext(last))
		case err != nil && last.UnderWay:
			text = words.Continues(o.Resume)
		case err != nil: // somebody left the menu
		case last.ID != id && last.UnderWay:
			text = words.Replaced
		default:
			text = words.EndedOnHAT
		}
		if text != "" {
			return o.say(text)
		}
		return nil
	}
	return g, nil
}

// join starts the match, joins the one under way or opens the menu, and returns the match's ID. If a
// program plays in a new match, join takes the first program's seat from the start, and returns its
// session.
func (o *Options) join(
	ctx context.Context, client *socket.Client, status socket.Status,
) (id string, held session.Session, err error) {
	v, err := client.View(status.State)
	if err == nil && o.Config.Menu && v.UnderWay && v.Phase != game.Dark {
		err = o.underWay(v)
	}
	if err == nil && (o.Config.Menu || o.Continue) && (v.Phase == game.Attract || v.Phase == game.Dark) {
		v, err = client.Do(ctx, game.Pause) // the first key only opens the menu, or turns the LEDs on
	}
	switch {
	case err != nil:
		return "", nil, err
	case o.Config.Menu:
		if v.Phase == game.Aim { // the pause screen offers to resume the match or to end it
			_, err = client.Do(ctx, game.Pause)
		}
		return "", nil, err
	case o.Continue && !v.UnderWay:
		if v.Phase != game.Menu || v.Choices.Page != "menu" || v.Choices.Names[0] != game.EntryResume {
			return "", nil, errors.New("no match is under way on the HAT: start one without --continue")
		}
		v, err = client.Do(ctx, game.Choose{Entry: 0})
		return v.ID, nil, err
	case o.Continue:
		return v.ID, nil, nil
	case v.UnderWay && v.Begun() && !o.Force: // also in the dark: the people may come back
		return "", nil, o.underWay(v)
	}
	start := game.Start{Setup: o.Config.Setup, Force: o.Force, Seed: o.Config.Seed}
	if players := o.programs.Players(); len(players) > 0 {
		start.Take = o.programs.Seat(players[0])
	}
	started, seated, err := client.StartSeated(ctx, start)
	switch {
	case err == nil && v.UnderWay:
		fmt.Fprintf(o.Out, "%s.\n", words.Sentence(words.HATGivenUp(v.Record)))
	case errors.Is(err, game.ErrUnderWay) && v.UnderWay:
		err = o.underWay(v)
	}
	return started.ID, seated, err
}

func (o *Options) underWay(v game.View) error {
	return fmt.Errorf("%w (%s): join it with %s, watch it with %s, play beside it with --local, or replace it with --force",
		game.ErrUnderWay, words.Terms(v.Record), o.Resume, o.Watch)
}

func serviceHelp(v *game.View) [2]string {
	lines := term.PlayHelp(v)
	switch v.Phase {
	case game.Cheer, game.Score, game.Victory, game.Clear:
		// Enter leads to the menu, whose selected entry is the rematch.
		lines[0] = strings.Replace(lines[0], "rematch", "continues", 1)
		lines[1] = "q quit"
	}
	lines[1] = strings.Replace(lines[1], "q quit", "q leave", 1)
	return lines
}

// leaving returns the error of a command that may end before the match does.
func leaving(err error) error {
	if detached(err) {
		return nil
	}
	return err
}

// detached reports whether the command ended, but not the match: after q or Ctrl-C, or because
// the terminal's connection dropped.
func detached(err error) bool {
	return errors.Is(err, session.ErrLeft) || errors.Is(err, session.ErrInterrupted) || disconnected(err)
}

func disconnected(err error) bool { return errors.Is(err, term.ErrClosed) || cli.HungUp(err) }

// Status writes what the service is doing.
func Status(out io.Writer, client *socket.Client, s socket.Status, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(out, struct {
			Daemon bool `json:"daemon"`
			socket.Status
		}{true, s})
	}
	v, err := client.View(s.State)
	if err != nil {
		return err
	}
	m := s.Machine
	up := time.Duration(m.Uptime) * time.Second
	fmt.Fprintf(out, "c4hat %s has been running on the HAT for %v, as process %d\n", m.Version, up, m.PID)
	doctor := ""
	if !m.Matrix || !m.Joystick {
		doctor = ": run c4hat doctor to find out why"
	}
	found := map[bool]string{true: "found", false: "missing"}
	joystick := found[m.Joystick]
	if !m.Matrix && !m.Joystick { // the service opens the joystick after the matrix
		joystick = "waiting for it"
	}
	fmt.Fprintf(out, "matrix %s, joystick %s%s\n", found[m.Matrix], joystick, doctor)
	switch {
	case m.I2C != "":
		fmt.Fprintf(out, "driven over %s, without the kernel driver; bus errors: %d\n", m.I2C, m.BusErrors)
	case m.BusErrors > 0:
		fmt.Fprintf(out, "bus errors: %d\n", m.BusErrors)
	}
	_, err = fmt.Fprintln(out, inLines(words.Status(&v)))
	return err
}

// inLines writes each part of a sentence on a line, so that none is longer than 80 columns.
func inLines(text string) string { return strings.ReplaceAll(text, "; ", "\n") }

// Saved writes that no service is running, and the user's saved match if there is one, which the command
// resume resumes. It always returns an error, so that scripts can test whether the service is running.
func Saved(out io.Writer, p *settings.Places, asJSON bool, resume string) error {
	var saved *match.Document
	var left game.Record
	if dir := p.Own(); dir != "" {
		if m, ok := store.Left(dir); ok && m.Begun() {
			left = m
			d, err := left.Document()
			if err != nil {
				return err
			}
			saved = &d
		}
	}
	if asJSON {
		return cmp.Or(cli.WriteJSON(out, struct {
			Daemon bool            `json:"daemon"`
			Match  *match.Document `json:"match"`
		}{Match: saved}), cli.ErrReported)
	}
	_, err := fmt.Fprintf(out, "no service is running at %s\n", p.Socket)
	if saved != nil {
		_, err = fmt.Fprintln(out, inLines(words.YourMatch(left, resume)))
	}
	return cmp.Or(err, cli.ErrReported)
}
