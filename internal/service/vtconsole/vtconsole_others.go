//go:build !linux

package vtconsole

// Place does nothing: other systems have no text console on the matrix.
func Place() error { return nil }
