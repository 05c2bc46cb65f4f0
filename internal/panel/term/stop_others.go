//go:build !unix

package term

import (
	"context"
	"os"

	"github.com/gdamore/tcell/v2"
)

// newScreen is the console's screen.
func newScreen() (tcell.Screen, error) { return tcell.NewScreen() }

// continued never tells anything.
func continued() (signals <-chan os.Signal, deaf func()) { return nil, func() {} }

func (p *Panel) revive() {}

// stop does nothing: there is no job control.
func stop(context.Context) bool { return true }

// remember remembers nothing: a console here does not stop taking output.
func remember() (restore func()) { return func() {} }
