//go:build !unix

package term

import "context"

// stop does nothing: there is no job control.
func stop(context.Context) bool { return true }

// remember remembers nothing: a console here does not stop taking output.
func remember() (restore func()) { return func() {} }
