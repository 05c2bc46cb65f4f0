package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// disk is what the store asks of a file system. A test's one remembers what is not
// yet safe from a power cut.
type disk interface {
	// open opens a regular file, with a flag of os.OpenFile. Anything else is
	// errIrregular, at once: a pipe is not waited for.
	open(name string, flag int) (file, error)
	rename(from, to string) error
	remove(name string) error
	mkdir(name string) error
	// syncDir makes creations, renamings and removals in the folder outlast a power
	// cut. A file's own Sync need not: see fsync(2). It may be called beside the others.
	syncDir(name string) error
}

type file interface {
	io.ReadWriteCloser
	io.ReaderAt
	size() (int64, error)
	Sync() error
	Truncate(size int64) error
	// lock takes the file for this program until it is closed, or gives errBusy,
	// at once or after some waiting.
	lock(wait bool) error
}

var (
	errBusy      = errors.New("locked by another program")
	errIrregular = errors.New("not a regular file")
	errHuge      = errors.New("far too large")
)

// osDisk is the real one. What it makes is for its user alone.
type osDisk struct{}

type osFile struct{ *os.File }

func (osDisk) open(name string, flag int) (file, error) {
	f, err := os.OpenFile(name, flag|nonblock, 0o600)
	if noDevice(err) { // a socket, or a pipe that nobody reads
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
		f.Close() // nothing was written
		return nil, err
	}
	return osFile{f}, nil
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) remove(name string) error     { return os.Remove(name) }
func (osDisk) mkdir(name string) error      { return os.Mkdir(name, 0o700) }

func (f osFile) size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f osFile) lock(wait bool) error {
	// A program holds the history for a few fsyncs. One that was stopped meanwhile
	// must not stop a game with it.
	for limit := time.Now().Add(time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := f.tryLock()
		if err == nil || !wait || time.Now().After(limit) {
			return err
		}
	}
}
