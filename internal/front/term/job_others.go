//go:build !unix

package term

import (
	"os"

	"github.com/gdamore/tcell/v3"
)

func newScreen() (tcell.Screen, error) { return tcell.NewScreen(plain...) }

// There is no job control here, and a console always takes output.
func stopJob()                         {}
func notifyContinued(chan<- os.Signal) {}
func foreground() bool                 { return true }
func remember() (restore func())       { return func() {} }
