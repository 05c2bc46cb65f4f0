package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// disk is what the store needs from a file system. The tests have a disk that knows what a power cut would lose.
type disk interface {
	open(name string, flag int) (file, error) // flag is os.OpenFile's
	rename(from, to string) error
	remove(name string) error
	mkdirAll(name string) error // and its parents, unless they exist
	// syncDir makes creations, renames and removals in a folder survive a power cut: a file's own Sync need not
	// (fsync(2)).
	syncDir(name string) error
	// lock locks a file for this program until it is closed. If another program has it, lock waits, or returns errBusy.
	lock(name string, wait bool) (io.Closer, error)
}

type file interface {
	io.ReadWriteSeeker
	io.Closer
	Sync() error // the data and the size survive a power cut
	Truncate(size int64) error
}

var errBusy = errors.New("locked by another program")

// osDisk is the real disk. Only the user who runs the program can open what it creates.
type osDisk struct{}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) remove(name string) error     { return os.Remove(name) }
func (osDisk) mkdirAll(name string) error   { return os.MkdirAll(name, 0o700) }

// open does not wait for the other end of a pipe.
func (osDisk) open(name string, flag int) (file, error) {
	f, err := os.OpenFile(name, flag|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osDisk) syncDir(name string) error {
	d, err := os.Open(name)
	if err == nil {
		defer d.Close()
		err = d.Sync()
	}
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, fs.ErrPermission) {
		return nil // not every file system can, see fsync(2), and Windows cannot
	}
	return err
}

func (osDisk) lock(name string, wait bool) (io.Closer, error) {
	l, ok := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600)), true
	var err error
	if wait {
		err = l.Lock()
	} else {
		ok, err = l.TryLock()
	}
	if errors.As(err, new(*fs.PathError)) {
		return nil, err
	}
	if err == nil && !ok {
		return nil, errBusy
	}
	return l, nil // a network file system may have no locks: a single program can save there
}
