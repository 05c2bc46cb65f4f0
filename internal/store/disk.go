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
	// lock locks a file for this program until it is closed. If another program has it, lock waits, or returns ErrOpen.
	lock(name string, wait bool) (io.Closer, error)
}

// file is an open file or folder.
type file interface {
	io.ReadSeekCloser
	io.WriterAt
	Truncate(size int64) error
	// Sync makes the data and the size survive a power cut or, of a folder, the creations, renames and removals in
	// it: a file's own Sync need not (fsync(2)).
	Sync() error
}

// osDisk is the real disk. Only the user who runs the program can open what it creates.
type osDisk struct{}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) remove(name string) error     { return os.Remove(name) }
func (osDisk) mkdirAll(name string) error   { return os.MkdirAll(name, 0o700) }

// open does not wait for the other end of a pipe.
func (osDisk) open(name string, flag int) (file, error) {
	return os.OpenFile(name, flag|syscall.O_NONBLOCK, 0o600)
}

func (osDisk) lock(name string, wait bool) (io.Closer, error) {
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	try := l.TryLock
	if wait {
		try = func() (bool, error) { return true, l.Lock() }
	}
	switch ok, err := try(); {
	case errors.As(err, new(*fs.PathError)):
		return nil, err
	case err == nil && !ok:
		return nil, ErrOpen
	}
	return l, nil // a network file system may have no locks: a single program can save there
}

// syncDir syncs a folder, if that is possible.
func syncDir(d disk, name string) error {
	h, err := d.open(name, os.O_RDONLY)
	if err == nil {
		defer h.Close()
		err = h.Sync()
	}
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, fs.ErrPermission) {
		return nil // not every file system can, see fsync(2), and Windows cannot
	}
	return err
}

// add ends a file with a line, from an offset on, and syncs it.
func add(d disk, name string, at int64, line []byte) error {
	h, err := d.open(name, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	defer h.Close() // before the file is renamed, for Windows
	if _, err = h.WriteAt(line, at); err == nil {
		err = h.Truncate(at + int64(len(line)))
	}
	if err == nil {
		err = h.Sync()
	}
	return err
}

// readEnd returns the end of a file, of at most some bytes, and how many bytes are before it. A file that does not
// exist has no bytes.
func readEnd(d disk, name string, most int64) (end []byte, before int64, err error) {
	h, err := d.open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer h.Close()
	size, err := h.Seek(0, io.SeekEnd)
	if err == nil {
		before, err = h.Seek(max(0, size-most), io.SeekStart)
	}
	if err == nil {
		end, err = io.ReadAll(h)
	}
	return end, before, err
}
