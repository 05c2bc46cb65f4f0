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
