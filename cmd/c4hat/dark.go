package main

import (
	"errors"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
)

// newDark returns a command for the service's unit: a killed service leaves its last picture on
// the LEDs, and only another process can clear it. The command takes the lock first, like every
// owner of the HAT, so that it never clears another program's picture.
func newDark() *cobra.Command {
	s := settings.New()
	cmd := &cobra.Command{
		Use:    "dark",
		Short:  "Clear the LEDs, as the service does after a crash",
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_ = s.Places.Read(cmd.Flags()) // for the device's path: a wrong file must not leave LEDs lit
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
