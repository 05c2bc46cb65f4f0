package loop

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

// NewFault returns a fault for a recovered panic; call it in the deferred function.
func NewFault(value any) *Fault { return &Fault{value, debug.Stack()} }

// Guard calls f and returns its panic as an error.
func Guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = NewFault(v)
		}
	}()
	return f()
}
