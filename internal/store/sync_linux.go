package store

import (
	"errors"
	"os"
	"syscall"
)

// Sync is fdatasync(2), which does not write the file's times: these are in another block.
func (f osFile) Sync() error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EINTR):
			return &os.PathError{Op: "fdatasync", Path: f.Name(), Err: err}
		}
	}
}
