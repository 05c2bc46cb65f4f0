//go:build !linux

package doctor

import "errors"

// Without Linux there is no HAT to look at, and nobody calls these.

func tryOpen(string, int) (group int, err error) { return -1, errors.ErrUnsupported }

func freeSpace(string) (bytes uint64, err error) { return 0, errors.ErrUnsupported }

func tryWrite(string) error { return errors.ErrUnsupported }
