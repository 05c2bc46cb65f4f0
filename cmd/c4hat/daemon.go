package main

import (
	"fmt"
	"log/slog"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
)

func newDaemon() *cobra.Command {
	s := settings.New()
	check := false
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Run the game service",
		Long: `Run the game service on the Sense HAT: a demo while nobody plays, a menu at the first
key, then matches. This is what systemd starts.

A match resumes after a crash or a power cut. The service saves it, and every finished
match, in the folder --state. Other programs reach the game through the socket, as
c4hat play, watch, status and stats do.

If the matrix or the joystick is missing or used by another program, the service waits
for it. A HAT without kernel drivers is driven over I2C. The LEDs go dark when the
service ends. Under systemd the service reports when it is ready, and the game loop
itself answers the watchdog.

The configuration file ` + settings.DefaultConfig + `, or the one given with --config, sets
defaults; flags override them. systemctl reload, or SIGHUP, reloads it: the screen
changes at once, the rest with the next match. See c4hat help config.`,
		Example: `  sudo systemctl restart c4hat          the service
  c4hat daemon --rotate 180 --idle 5m   on a HAT that hangs upside down
  c4hat daemon --check --config mine    check a configuration
  c4hat daemon --state /tmp/c4hat --socket /tmp/c4hat.sock`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.Read(cmd.Flags())
			if err != nil {
				return err
			}
			if check {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), s.Checked())
				return err
			}
			c.Attract, c.Forever = true, true
			log := cli.NewLog(cmd.ErrOrStderr())
			o := serviceOptions(c, s.State, log)
			return cli.Orderly(service.OnHAT(cmd.Context(), o, s, cmd.Flags()), log)
		},
	}
	flags := cmd.Flags()
	s.AddDaemon(flags)
	flags.BoolVar(&check, "check", false, "check the settings and exit")
	return cmd
}

func serviceOptions(c game.Config, folder string, log *slog.Logger) service.Options {
	return service.Options{Config: c, Folder: folder, Computer: newComputer(), Version: version(), Log: log}
}
