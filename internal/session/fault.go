package session

import (
	"fmt"
	"runtime/debug"
)

// Fault is a panic, recovered so that panels can still be closed.
type Fault struct {
	Value any
	Stack []byte // as debug.Stack prints it
}

// Error returns one line, without the stack.
func (f *Fault) Error() string { return fmt.Sprintf("internal fault: %v", f.Value) }

// Guard calls f and returns its panic as a [*Fault].
func Guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Fault{v, debug.Stack()}
		}
	}()
	return f()
}
