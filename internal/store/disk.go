package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// disk is what the store needs from a file system. The tests have a disk that knows what a power
// cut would lose.
type disk interface {
	// open opens a regular file, with a flag of os.OpenFile. For any other file it returns
	// errIrregular at once, even for a pipe that nobody writes to.
	open(name string, flag int) (file, error)
	rename(from, to string) error
	remove(name string) error
	// mkdirAll creates a folder and its parents, unless they exist.
	mkdirAll(name string) error
	// syncDir makes creations, renames and removals in the folder survive a power cut. A file's own
	// Sync need not do so, see fsync(2).
	syncDir(name string) error
}

type file interface {
	io.ReadWriteCloser
	io.ReaderAt
	io.WriterAt
	// stat returns the file's size, and whether the file has this name.
	stat(name string) (size int64, named bool, err error)
	// Sync makes the data and the size survive a power cut.
	Sync() error
	Truncate(size int64) error
	// lock locks the file for this program until it is closed. If another program has locked it,
	// lock returns errBusy: after trying for a second if wait is set, otherwise at once.
	lock(wait bool) error
}

var (
	errBusy      = errors.New("locked by another program")
	errIrregular = errors.New("not a regular file")
	errHuge      = errors.New("far too large")
)

// osDisk is the real disk. Only the user who runs the program can open the files and folders that
// it creates.
type osDisk struct{}

type osFile struct{ *os.File }

func (osDisk) open(name string, flag int) (file, error) {
	f, err := os.OpenFile(name, flag|nonblock, 0o600)
	if errors.Is(err, syscall.ENXIO) { // a socket, or a pipe without a reader
		err = &fs.PathError{Op: "open", Path: name, Err: errIrregular}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errIrregular}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return osFile{f}, nil
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) remove(name string) error     { return os.Remove(name) }
func (osDisk) mkdirAll(name string) error   { return os.MkdirAll(name, 0o700) }

func (f osFile) stat(name string) (size int64, named bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, false, err
	}
	now, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return info.Size(), os.SameFile(now, info), err
}

func (f osFile) lock(wait bool) error {
	// Other programs lock the history only for a few fsyncs. If one of them is suspended while it
	// holds the lock, this program must not wait forever.
	for limit := time.Now().Add(time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := f.tryLock()
		if err == nil || !wait || time.Now().After(limit) {
			return err
		}
	}
}

// createNew creates a file with this content and syncs it. It follows no symbolic link, and
// replaces what an earlier program left there. After an error there is no such file.
func createNew(d disk, name string, data io.Reader) (file, error) {
	if err := d.remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := d.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(f, data); err == nil {
		err = f.Sync()
	}
	if err != nil {
		f.Close()
		_ = d.remove(name)
		return nil, err
	}
	return f, nil
}

// cannotWrite reports whether an error means that the disk is full or read-only.
func cannotWrite(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
