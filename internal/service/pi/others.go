//go:build !linux

package pi

import "errors"

// Memory returns 0: the size of the memory is unknown.
func Memory() uint64 { return 0 }

// PlaceConsole does nothing: other systems have no text console on the matrix.
func PlaceConsole(string) error { return nil }

// ConsoleAt has no answer on other systems.
func ConsoleAt(int) (int, error) { return 0, errors.ErrUnsupported }
