//go:build unix

package term

import "github.com/gdamore/tcell/v2"

// newScreen is the screen of the terminal the program was started from.
func newScreen() (tcell.Screen, error) {
	tty, err := tcell.NewDevTty()
	if err != nil {
		return nil, err
	}
	screen, err := tcell.NewTerminfoScreenFromTty(&cleanTty{Tty: tty})
	if err == nil {
		return screen, nil
	}
	// A type of terminal that this machine has never heard of, as over SSH from a
	// newer one: they all understand xterm's language.
	ti, err := tcell.LookupTerminfo("xterm-256color")
	if err != nil {
		return nil, err
	}
	return tcell.NewTerminfoScreenFromTtyTerminfo(&cleanTty{Tty: tty}, ti)
}
