//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package store

import (
	"errors"
	"os"
	"syscall"
)

const nonblock = syscall.O_NONBLOCK

// tryLock locks the file with flock(2). The lock belongs to the open file, so it also separates two
// stores of one program, and it is released however the program ends.
func (f osFile) tryLock() error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EWOULDBLOCK:
			return errBusy
		case syscall.EINTR:
		default:
			// Some file systems have no locks, for example network file systems. There, two
			// programs can overwrite each other's match, but a single program can still save its
			// match.
			return nil
		}
	}
}

func (osDisk) syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	// Not every file system can sync a folder, see fsync(2).
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
