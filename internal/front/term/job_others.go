//go:build !unix

package term

import (
	"os"

	"github.com/gdamore/tcell/v3"
)

func newScreen() (tcell.Screen, error) { return tcell.NewScreen(plain...) }

// There is no job control here.
func stopJob()                         {}
func notifyContinued(chan<- os.Signal) {}
func foreground() bool                 { return true }
