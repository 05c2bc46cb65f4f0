//go:build !unix

package term

import (
	"context"
	"os"

	"github.com/gdamore/tcell/v2"
)

// newScreen returns the console's screen.
func newScreen() (tcell.Screen, error) { return tcell.NewScreen() }

// continued returns no signals: there is no job control.
func continued() chan os.Signal { return nil }

// foreground returns true: there is no job control.
func foreground() bool { return true }

// stop does nothing: there is no job control.
func stop(context.Context, <-chan os.Signal) bool { return true }

// remember has nothing to restore: a console here always takes output.
func remember() (restore func()) { return func() {} }
