package main

import (
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/cli"
	hatpanel "github.com/c4hat/c4hat/internal/panel/hat"
)

// openEmulator opens the Sense HAT emulator, which must run; later it is waited for.
func openEmulator(o *hat.Opts, tty bool) (*hatpanel.Panel, error) {
	var e hat.Emulator
	stick, err := e.OpenJoystick(o) // first, as it says whether the emulator runs
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
