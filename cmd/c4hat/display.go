package main

import (
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/emulator"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/hatpanel"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

// play plays where --display says. The default is the service's HAT, else a HAT without the
// service, else the terminal. If input or output is not a terminal, the match is lines of text.
func (p *playing) play(cmd *cobra.Command, c game.Config) error {
	display := p.display
	switch {
	case display != "auto":
	case p.device:
		display = "hat"
	case p.local && p.picture:
		display = "terminal"
	}
	if !p.device && !p.local && display != "terminal" && display != "emulator" {
		client := socket.Dial(p.settings.Socket)
		status, err := client.Status(cmd.Context())
		if err == nil {
			return p.attach(cmd, client, status, c)
		}
		if p.settings.SocketNamed || !errors.Is(err, socket.ErrNoDaemon) {
			return err
		}
	}
	play := func(panel *hatpanel.Panel, inTerminal bool) error {
		return p.here(cmd, c, inTerminal, func(k *store.Saver, c game.Config) (bool, error) {
			return p.playOn(cmd, k, c, panel, inTerminal)
		})
	}
	switch {
	case display == "plain", display == "auto" && !p.picture:
		return p.here(cmd, c, false, func(k *store.Saver, c game.Config) (bool, error) {
			return p.playText(cmd, k, c)
		})
	case display == "terminal":
		if !onOneTerminal(cmd) {
			return errors.New("standard input or output is not a terminal: use --display plain")
		}
		return play(nil, true)
	case display == "emulator":
		panel, err := openEmulator(p.settings.Emulator(cmd.Flags()), p.picture)
		if err != nil {
			return err
		}
		defer panel.Close()
		return play(panel, p.picture)
	}
	panel, err := openHAT(p.settings.HAT(), p.picture)
	switch {
	case err == nil:
		defer panel.Close()
		return play(panel, p.picture)
	case display == "auto" && errors.Is(err, hat.ErrNotFound):
		return play(nil, true)
	case errors.Is(err, hat.ErrNotFound):
		return fmt.Errorf("%w (%s); c4hat doctor checks everything the HAT needs", err, pi.Describe())
	case display == "auto":
		return fmt.Errorf("%w; to play in the terminal, add --display terminal", err)
	}
	return err
}

// boards returns how often plain text shows the board.
func (p *playing) boards() console.Boards {
	if p.showBoard {
		return console.EachTurn
	}
	return console.EachRound
}

// onOneTerminal reports whether input and output are terminals, so that typed lines show up
// between lines of output.
func onOneTerminal(cmd *cobra.Command) bool {
	return cli.IsTerminal(cmd.InOrStdin()) && cli.IsTerminal(cmd.OutOrStdout())
}

// openHAT opens the HAT. If there is a keyboard, the joystick may be missing at first.
func openHAT(o *hat.Opts, keyboard bool) (*hatpanel.Panel, error) {
	matrix, err := hat.OpenMatrix(o)
	if err != nil {
		return nil, err
	}
	stick, err := hat.OpenJoystick(o)
	if err != nil && !(keyboard && errors.Is(err, hat.ErrNotFound)) {
		matrix.Close() // err is the error to report
		return nil, err
	}
	return hatpanel.New(o, matrix, stick, cli.LogBeside(keyboard)), nil
}

// openEmulator opens the Sense HAT emulator, which must be running.
func openEmulator(o *hat.Opts, picture bool) (*hatpanel.Panel, error) {
	var e emulator.Devices
	stick, err := e.OpenJoystick(o) // first: its error says whether the emulator is running
	if err != nil {
		return nil, err
	}
	matrix, err := e.OpenMatrix(o)
	if err != nil {
		stick.Close() // err is the error to report
		return nil, err
	}
	return hatpanel.NewOf(e, o, matrix, stick, cli.LogBeside(picture)), nil
}

// printResult prints how the match ended, if it did, after the terminal's picture is gone.
func printResult(cmd *cobra.Command, v game.View) error {
	ended := ""
	if v.Phase == game.Over && v.Match.Winner() == board.Empty {
		ended = words.NobodyWins
	}
	if v.Match.Winner() != board.Empty && v.Unattended() { // the last picture did not wait for a key press
		if err := console.Board(cmd.OutOrStdout(), v.Game.Position()); err != nil {
			return err
		}
	}
	for _, text := range []string{words.Person(v.Match, v.Computer, v.Seats), words.Match(v.Match), ended} {
		if text == "" {
			continue
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), text); err != nil {
			return err
		}
	}
	return nil
}
