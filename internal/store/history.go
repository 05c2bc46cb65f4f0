package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"syscall"

	"github.com/c4hat/c4hat/internal/match"
)

// readEnd returns the end of a file, of at most some bytes or, if most is 0, all of it, and how many bytes are before
// it. If there is no file, the end is nil.
func readEnd(d disk, name string, most int64) (end []byte, before int64, err error) {
	h, err := d.open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer h.Close()
	if most > 0 {
		if before, err = h.Seek(0, io.SeekEnd); err == nil {
			before, err = h.Seek(max(0, before-most), io.SeekStart)
		}
	}
	if err == nil {
		end, err = io.ReadAll(h)
	}
	return end, before, err
}

// History reads the finished matches of a folder, the oldest first. A line that is not a match yields a
// [match.Damage] with its number, and reading continues. An error of the disk ends the sequence. A folder without
// a history has no matches. History takes no lock, so it works while another program plays.
func History(dir string) iter.Seq2[match.Finished, error] { return history(osDisk{}, dir, 0) }

// history is like [History] for the last lines alone unless last is 0, however long the history is.
func history(d disk, dir string, last int) iter.Seq2[match.Finished, error] {
	return func(yield func(match.Finished, error) bool) {
		if dir == "" {
			return
		}
		name, number := filepath.Join(dir, historyName), 0
		data, before, err := readEnd(d, name, int64(last)<<10) // a match has about 300 bytes
		lines := bytes.Split(bytes.TrimRight(data, "\n"), []byte("\n"))
		if before > 0 {
			lines = lines[1:] // the first is the end of one
		}
		if last > 0 {
			lines = lines[max(0, len(lines)-last):]
		}
		for _, line := range lines {
			if len(line) == 0 {
				continue
			}
			number++
			m, bad := decode(line, match.Document.Finished)
			if bad != nil && last == 0 {
				bad = match.Damage{Number: number, Err: fmt.Errorf("store: %s, line %d: %w", name, number, bad)}
			}
			if !yield(m, bad) {
				return
			}
		}
		if err != nil {
			yield(match.Finished{}, fmt.Errorf("store: cannot read the history: %w", err))
		}
	}
}

// find returns a match if it is one of the last in the history.
func (f *folder) find(id string) (match.Finished, error) {
	if id == "" {
		return match.Finished{}, nil
	}
	for m, err := range history(f.disk, f.dir, recent) {
		if err == nil && m.ID == id {
			return m, nil
		}
		if err != nil && !errors.As(err, new(match.Damage)) {
			return m, err
		}
	}
	return match.Finished{}, nil
}
