//go:build !unix

package term

// stop does nothing: there is no job control.
func stop() {}
