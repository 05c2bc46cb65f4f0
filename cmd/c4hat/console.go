package main

import (
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/spf13/cobra"
)

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
