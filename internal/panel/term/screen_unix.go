//go:build unix

package term

import "github.com/gdamore/tcell/v2"

// newScreen returns the screen of the program's terminal.
func newScreen() (tcell.Screen, error) {
	tty, err := tcell.NewDevTty()
	if err != nil {
		return nil, err
	}
	screen, err := tcell.NewTerminfoScreenFromTty(&cleanTty{Tty: tty})
	if err == nil {
		return screen, nil
	}
	// This machine does not know the terminal's type, for example over SSH from a newer machine.
	// All such terminals understand xterm's sequences.
	ti, err := tcell.LookupTerminfo("xterm-256color")
	if err != nil {
		return nil, err
	}
	return tcell.NewTerminfoScreenFromTtyTerminfo(&cleanTty{Tty: tty}, ti)
}
