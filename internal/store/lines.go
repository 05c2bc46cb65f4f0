package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/c4hat/c4hat/internal/match"
	"github.com/gofrs/flock"
)

// line is a line of both files, a match as a JSON object. Its last member is the CRC-32 of all bytes before it:
//
//	{"version":2,"id":"a1","board":"7x6",…,"rounds":["4453"],"crc":"9f3c2a11"}
type line struct {
	Version int `json:"version"`
	match.Document
	CRC string `json:"crc,omitempty"`
}

const version = 2 // 1 is c4hat 0.3's, in which spaces and tabs follow

// ending returns what follows the data of a line.
func ending(data []byte) string { return fmt.Sprintf(",\"crc\":\"%08x\"}\n", crc32.ChecksumIEEE(data)) }

// encode returns a line with its newline.
func encode(d match.Document) []byte {
	data, _ := json.Marshal(line{Version: version, Document: d}) // strings and numbers, which JSON can express
	data = bytes.TrimSuffix(data, []byte("}"))
	return append(data, ending(data)...)
}

// intact checks the checksum of a line and its newline.
func intact(text []byte) bool {
	data := text[:max(0, len(text)-len(ending(nil)))]
	return string(text[len(data):]) == ending(data) || bytes.HasPrefix(text, []byte(`{"version":1,`))
}

// decode reads a line with its newline, with a method of its document. The error is a [match.Damage] that fits
// into a log: a wrong word may be long.
func decode[T any](text []byte, method func(match.Document) (T, error)) (t T, err error) {
	var l line
	if !intact(text) {
		err = errors.New("the checksum is wrong")
	} else if err = json.Unmarshal(text, &l); err == nil && l.Version > version {
		err = fmt.Errorf("version %d: was it written by a newer c4hat?", l.Version)
	}
	if err == nil {
		t, err = method(l.Document)
	}
	if err != nil {
		return *new(T), match.Damage{Err: fmt.Errorf("%.300s", err.Error())}
	}
	return t, nil
}

// readLines returns the lines in the last bytes of a file, with their newlines, and where the next line belongs. torn is
// what a power cut has left there: a line without its end. A file that does not exist has no lines.
func readLines(d disk, name string, most int64) (lines [][]byte, next int64, torn []byte, err error) {
	data, next, err := d.read(name, most)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		err = nil
	}
	if next > 0 { // the first is the end of a line
		_, rest, _ := bytes.Cut(data, []byte("\n"))
		data, next = rest, next+int64(len(data)-len(rest))
	}
	for text := range bytes.Lines(data) {
		n := len(text)
		switch text = bytes.Trim(text, "\x00"); { // which a power cut leaves instead of data
		case !bytes.HasSuffix(text, []byte("\n")):
			return lines, next, text, err
		case len(text) > 1:
			lines = append(lines, text)
		}
		next += int64(n)
	}
	return lines, next, nil, err
}

// writeLine ends a file with a line, from an offset on, and syncs it.
func writeLine(d disk, name string, at int64, text []byte) error {
	h, err := d.create(name)
	if err != nil {
		return err
	}
	defer h.Close()
	if _, err = h.WriteAt(text, at); err == nil {
		err = h.Truncate(at + int64(len(text)))
	}
	if err == nil {
		err = h.Sync()
	}
	return err
}

// disk is what the store needs from a file system. The tests have a disk that knows what a power cut would lose.
type disk interface {
	read(name string, most int64) (end []byte, before int64, err error) // the last bytes, and how many are before them
	create(name string) (file, error)                                   // opens a file for writing, which may exist
	rename(from, to string) error
	remove(name string) error
	mkdirAll(name string) error // and its parents, unless they exist
	syncDir(name string) error  // makes creations, renames and removals survive a power cut: a file's Sync need not
	// lock locks a file for this program until it is closed. If another program has it, lock waits, or returns ErrOpen.
	lock(name string, wait bool) (io.Closer, error)
}

// file is a file that is open for writing.
type file interface {
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error // makes the data and the size survive a power cut
}

// osDisk is the real disk. Only the user who runs the program can open what it creates.
type osDisk struct{}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) remove(name string) error     { return os.Remove(name) }
func (osDisk) mkdirAll(name string) error   { return os.MkdirAll(name, 0o700) }

// open does not wait for the other end of a pipe.
func (osDisk) open(name string, flag int) (*os.File, error) {
	return os.OpenFile(name, flag|syscall.O_NONBLOCK, 0o600)
}

func (d osDisk) create(name string) (file, error) { return d.open(name, os.O_WRONLY|os.O_CREATE) }

func (d osDisk) read(name string, most int64) (end []byte, before int64, err error) {
	h, err := d.open(name, os.O_RDONLY)
	if err != nil {
		return nil, 0, err
	}
	defer h.Close()
	size, err := h.Seek(0, io.SeekEnd)
	if err == nil {
		before, err = h.Seek(max(0, size-most), io.SeekStart)
	}
	if err == nil {
		end = make([]byte, size-before)
		_, err = io.ReadFull(h, end)
	}
	return end, before, err
}

func (d osDisk) syncDir(name string) error {
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
