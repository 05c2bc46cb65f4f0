package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/daemon"
	"github.com/c4hat/c4hat/internal/service/doctor"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/spf13/cobra"
)

func newDaemon() *cobra.Command {
	s := settings.New()
	check, emulated := false, false
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Run the game service",
		Long: `Run the game service on the Sense HAT. systemd starts this command. The service shows a
demo until somebody presses a key, and saves matches in the folder that --state names, so
that a match resumes after a power cut. Other commands reach it through its socket.

If the matrix or the joystick is missing or in use, the service waits for it; without
kernel drivers it uses I2C. SIGHUP makes it read the configuration again (c4hat config).`,
		Example: `  sudo systemctl restart c4hat          restart the installed service
  c4hat daemon --rotate 180 --idle 5m   for a HAT mounted upside down
  c4hat daemon --check --config mine    check a configuration file
  c4hat daemon --state /tmp/c4hat --socket /tmp/c4hat.sock`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.Match(cmd.Flags())
			if err != nil {
				return err
			}
			if check {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: all settings are valid\n", cmp.Or(s.Config, settings.DefaultConfig))
				return err
			}
			c.Attract, c.Forever = true, true
			log := cli.NewLog(cmd.ErrOrStderr())
			if emulated && !cmd.Flags().Changed("state") {
				s.State = settings.New().Own()
			}
			o := serviceOptions(c, s.State, log)
			o.Emulator = emulated
			return cli.Orderly(daemon.OnHAT(cmd.Context(), o, s, cmd.Flags()), log)
		},
	}
	flags := cmd.Flags()
	s.State = settings.SystemState
	s.Add(flags, settings.Daemon)
	flags.BoolVar(&emulated, "emulator", false, "use the desktop's Sense HAT emulator, and your own matches")
	flags.BoolVar(&check, "check", false, "check the settings and exit")
	return cmd
}

// newComputer is a variable so that a test can make the computer panic.
var newComputer = func() session.Computer { return new(computer.Computer) }

func serviceOptions(c game.Config, folder string, log *slog.Logger) daemon.Options {
	return daemon.Options{Config: c, Folder: folder, Computer: newComputer(), Version: version(), Log: log}
}

// newDark returns the command that systemd runs after the service has ended, because a killed
// service leaves its last picture on the LEDs. Like every program that uses the HAT, the command
// locks the HAT first, so the command never clears another program's picture.
func newDark() *cobra.Command {
	s := settings.New()
	cmd := &cobra.Command{
		Use:    "dark",
		Short:  "Clear the LEDs after the service was killed",
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_ = s.Read(cmd.Flags()) // only the device's path is needed: a mistake in the file must not leave LEDs lit
			m, err := hat.OpenMatrix(s.HAT())
			switch {
			case errors.Is(err, hat.ErrNotFound), errors.Is(err, hat.ErrBusy):
				return nil
			case err != nil:
				return err
			}
			return m.Close()
		},
	}
	s.Add(cmd.Flags(), settings.HAT+"config")
	return cmd
}

// newConsole returns the command that udev runs if the matrix is framebuffer 0 beside a screen (see
// systemd/60-c4hat.rules).
func newConsole() *cobra.Command {
	return &cobra.Command{
		Use:    "console",
		Short:  "Move the kernel's text console from the matrix to the screen",
		Hidden: true,
		RunE:   func(*cobra.Command, []string) error { return doctor.PlaceConsole() },
	}
}

func newWeb() *cobra.Command {
	s := settings.New()
	var page daemon.Page
	watch := "everybody"
	forget := false
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Play and watch in a browser",
		Long: `Serve a page that shows the LEDs live and has all the controls, for a phone beside the
HAT or a computer without a HAT. Anyone who can open the page may watch. To play, open
the link that c4hat web prints, once: that browser may play for 30 days. At the HAT,
somebody can admit a browser too, with the digit that its page shows.

Without the service, c4hat web runs the match itself. To serve the page to the local
network from the start of the machine: sudo systemctl enable --now c4hat-web.socket`,
		Example: `  c4hat web                          print a link to http://127.0.0.1:8484
  c4hat web --open                   open it in the browser
  c4hat web --listen 0.0.0.0:8484    for the local network
  c4hat web --local                  play without the service
  sudo c4hat web --forget            end all pairings`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.Match(cmd.Flags())
			if err != nil {
				return err
			}
			if forget {
				return daemon.Forget(cmd.OutOrStdout(), s)
			}
			c.Attract, c.Forever = true, true
			page.Streams, page.Here = cli.StreamsOf(cmd), serviceOptions(c, s.Own(), nil)
			page.Socket = s.Socket
			page.WatchPaired = watch == "paired"
			return page.Serve(cmd.Context())
		},
	}
	flags := cmd.Flags()
	page.Listen = "127.0.0.1:8484"
	flags.Var(settings.String(&page.Listen, page.Listen, "0.0.0.0:8484"), "listen", "`ADDRESS:PORT` to serve the page at")
	flags.Var(settings.Choice(&watch, "everybody", "paired"), "watch", "who may watch")
	flags.BoolVar(&page.Local, "local", false, "run the match without the service, even if it is running")
	flags.BoolVar(&page.Open, "open", false, "open the link in the browser")
	flags.BoolVar(&forget, "forget", false, "end all pairings and exit")
	s.Add(flags, settings.Menu+settings.Places)
	return cmd
}
