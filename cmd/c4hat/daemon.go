package main

import (
	"fmt"
	"log/slog"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/daemon"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
)

func newDaemon() *cobra.Command {
	s := settings.New()
	check := false
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Run the game service",
		Long: `Run the game service on the Sense HAT. systemd starts this command. The service shows a
demo until somebody presses a key, then the menu.

The service saves the match under way and all finished matches in the folder that --state
names, so a match resumes after a crash or a power cut. c4hat play, watch, status, stats
and other programs reach the service through its socket.

If the matrix or the joystick is missing, or in use by another program, the service
waits until it is available. If the kernel has no drivers for the HAT, the service
drives it over I2C. The LEDs go dark when the service stops. If the game hangs, systemd
restarts the service.

The configuration file ` + settings.DefaultConfig + `, or the one given with --config, sets
defaults; flags override them. SIGHUP, which systemctl reload sends, makes the service
read the file again. See c4hat help config.`,
		Example: `  sudo systemctl restart c4hat          restart the installed service
  c4hat daemon --rotate 180 --idle 5m   for a HAT mounted upside down
  c4hat daemon --check --config mine    check a configuration file
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
			return cli.Orderly(daemon.OnHAT(cmd.Context(), o, s, cmd.Flags()), log)
		},
	}
	flags := cmd.Flags()
	s.AddDaemon(flags)
	flags.BoolVar(&check, "check", false, "check the settings and exit")
	return cmd
}

func serviceOptions(c game.Config, folder string, log *slog.Logger) daemon.Options {
	return daemon.Options{Config: c, Folder: folder, Computer: newComputer(), Version: version(), Log: log}
}
