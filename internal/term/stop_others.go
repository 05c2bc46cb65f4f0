//go:build !unix

package term

import (
	"context"
	"os"

	"github.com/gdamore/tcell/v3"
)

func newScreen() (tcell.Screen, error) { return tcell.NewScreen(plain...) }

// There is no job control here.
func continued() chan os.Signal                   { return nil }
func foreground() bool                            { return true }
func stop(context.Context, <-chan os.Signal) bool { return true }

// remember has nothing to restore: a console here always takes output.
func remember() (restore func()) { return func() {} }
