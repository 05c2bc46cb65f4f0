package hattest

import (
	"time"

	"periph.io/x/conn/v3/gpio"
)

// edges is the interrupt line. It goes high when the keys change, and low when they are read.
type edges struct {
	board *Board
	up    bool
	rise  chan struct{}
	halt  chan struct{}
}

func (e *edges) In(gpio.Pull, gpio.Edge) error { return nil }

// WaitForEdge waits as for a line of the kernel: a Halt before the wait is lost.
func (e *edges) WaitForEdge(timeout time.Duration) bool {
	select {
	case <-e.halt:
	default:
	}
	select {
	case <-e.rise:
		return true
	case <-e.halt:
	case <-time.After(timeout):
	}
	return false
}

// Halt ends a wait.
func (e *edges) Halt() error {
	signal(e.halt)
	return nil
}

func (e *edges) Read() gpio.Level {
	e.board.mu.Lock()
	defer e.board.mu.Unlock()
	return gpio.Level(e.up)
}

func (e *edges) String() string         { return "GPIO23" }
func (e *edges) Name() string           { return "GPIO23" }
func (e *edges) Number() int            { return 23 }
func (e *edges) Function() string       { return "" }
func (e *edges) Pull() gpio.Pull        { return gpio.PullNoChange }
func (e *edges) DefaultPull() gpio.Pull { return gpio.PullNoChange }
