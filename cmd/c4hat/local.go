package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os/signal"
	"syscall"
	"time"

	hatpanel "github.com/c4hat/c4hat/internal/panel/hat"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/panel/term"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/plain"
	"github.com/spf13/cobra"
)

// play plays where the display says. By default that is plain text if input or output is
// not a terminal; otherwise the service, the HAT or the terminal, whichever comes first.
func (p *playing) play(cmd *cobra.Command, c game.Config) error {
	in, out := cli.IsTerminal(cmd.InOrStdin()), cli.IsTerminal(cmd.OutOrStdout())
	tty := cli.OnTerminal(cmd)
	display := p.display
	if display == "auto" {
		switch {
		case p.device:
			display = "hat"
		case !tty:
			display = "plain"
		}
	}
	switch display {
	case "plain":
		return p.here(cmd, c, func(k *kept) (bool, error) {
			c4 := new(computer)
			return false, plain.Play(cmd.Context(), k.config, plain.Options{
				In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Newline: !in || !out,
				Advise: c4.advise, Think: c4.think,
				Save: k.save, Finish: k.finish, Saved: k.saved, Resume: k.left,
			})
		})
	case "terminal":
		if !in || !out {
			return errors.New("standard input or output is not a terminal: use --display plain")
		}
		return p.here(cmd, c, func(k *kept) (bool, error) { return p.playOn(cmd, k, nil, true) })
	case "emulator":
		panel, err := openEmulator(p.settings.Emulator(cmd.Flags()), tty)
		if err != nil {
			return err
		}
		defer panel.Close()
		return p.here(cmd, c, func(k *kept) (bool, error) { return p.playOn(cmd, k, panel, tty) })
	}
	if !p.device {
		client := control.Dial(p.settings.Socket)
		status, err := client.Status(cmd.Context())
		if err == nil {
			return p.attach(cmd, client, status, c, tty)
		}
		if !errors.Is(err, control.ErrNoDaemon) {
			return err
		}
	}
	o := p.settings.HAT()
	panel, err := openHAT(o, tty)
	switch {
	case err == nil:
		defer panel.Close()
		return p.here(cmd, c, func(k *kept) (bool, error) { return p.playOn(cmd, k, panel, tty) })
	case display == "auto" && errors.Is(err, hat.ErrNotFound):
		return p.here(cmd, c, func(k *kept) (bool, error) { return p.playOn(cmd, k, nil, true) })
	case errors.Is(err, hat.ErrNotFound):
		return fmt.Errorf("%w (%s); c4hat doctor looks further", err, pi.Describe())
	case display == "auto":
		return fmt.Errorf("%w; or play in the terminal with --display terminal", err)
	}
	return err
}

// openHAT opens the HAT. The joystick may come later if there is a keyboard until then.
func openHAT(o *hat.Opts, keyboard bool) (*hatpanel.Panel, error) {
	matrix, err := hat.OpenMatrix(o)
	if err != nil {
		return nil, err
	}
	stick, err := hat.OpenStick(o)
	if err != nil && !(keyboard && errors.Is(err, hat.ErrNotFound)) {
		matrix.Close() // err says more
		return nil, err
	}
	return hatpanel.New(o, matrix, stick, cli.LogBeside(keyboard)), nil
}

// playOn plays on the HAT, unless that is nil, and in the terminal, if told to. It reports
// whether a match is left that can be resumed.
func (p *playing) playOn(cmd *cobra.Command, k *kept, onHAT *hatpanel.Panel, inTerminal bool) (left bool, err error) {
	s, err := k.state()
	if err != nil {
		return false, err
	}
	o := new(computer).options(slog.New(slog.DiscardHandler))
	o.Save, o.Finish, o.Saved = k.save, k.finish, k.saved
	dark, leave := func() {}, func() {}
	if onHAT != nil {
		onHAT.Paint = p.settings.Look().Frame
		if p.display != "emulator" { // which has no accelerometer
			onHAT.Follow(p.settings.Upright())
		}
		o.Panels = append(o.Panels, onHAT)
		dark = onHAT.Close
		signal.Ignore(syscall.SIGPIPE) // the LEDs must go dark even if nobody reads the output
	}
	if inTerminal {
		panel, err := term.Open(term.PlayHelp)
		if err != nil {
			return false, err
		}
		panel.Look = p.settings.Look()
		defer panel.Close()
		leave = panel.Close
		o.Panels = append(o.Panels, panel)
	}
	s, err = loop.Run(cmd.Context(), s, o)
	dark() // first: a terminal may take its time
	leave()
	v := s.View(time.Now())
	if err == nil {
		err = printResult(cmd, v)
	}
	quit := err == nil || errors.Is(err, loop.ErrInterrupted)
	return quit && v.UnderWay && begun(game.Record{Match: v.Match, Game: v.Game, Opening: len(k.config.Opening)}), err
}

// printResult prints the result on the terminal's own screen.
func printResult(cmd *cobra.Command, v game.View) error {
	for _, text := range []string{game.PersonText(v.Match, v.Computer), game.MatchText(v.Match)} {
		if text == "" {
			continue
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), text); err != nil {
			return err
		}
	}
	return nil
}

// openEmulator opens the Sense HAT emulator, which must be running.
func openEmulator(o *hat.Opts, tty bool) (*hatpanel.Panel, error) {
	var e hat.Emulator
	stick, err := e.OpenStick(o) // first: its error says whether the emulator runs
	if err != nil {
		return nil, err
	}
	matrix, err := e.OpenMatrix(o)
	if err != nil {
		stick.Close() // err says more
		return nil, err
	}
	return hatpanel.NewOf(e, o, matrix, stick, cli.LogBeside(tty)), nil
}
