package main

import (
	"errors"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
)

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
			_ = s.Places.Read(cmd.Flags()) // only the device's path is needed: a mistake in the file must not leave LEDs lit
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
	flags := cmd.Flags()
	s.AddHAT(flags)
	flags.StringVar(&s.Config, "config", "", "configuration `FILE` (default "+settings.DefaultConfig+")")
	return cmd
}

// newConsole returns the command that udev runs if the matrix is framebuffer 0 beside a screen (see
// systemd/60-c4hat.rules).
func newConsole() *cobra.Command {
	return &cobra.Command{
		Use:    "console",
		Short:  "Move the kernel's text console from the matrix to the screen",
		Hidden: true,
		RunE:   func(*cobra.Command, []string) error { return pi.PlaceConsole(hat.MatrixName) },
	}
}
