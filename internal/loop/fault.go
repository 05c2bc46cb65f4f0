package loop

import (
	"fmt"
	"runtime/debug"
)

// Fault is a panic, caught where panels can still be closed after it.
type Fault struct {
	Value any
	Stack []byte // as debug.Stack prints it
}

// Error is one line; the stack is for whoever mends it.
func (f *Fault) Error() string { return fmt.Sprintf("internal fault: %v", f.Value) }

// NewFault is the fault of a panic's value; call it where that was recovered.
func NewFault(value any) *Fault { return &Fault{value, debug.Stack()} }

// Guard gives f's panic as an error.
func Guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = NewFault(v)
		}
	}()
	return f()
}
