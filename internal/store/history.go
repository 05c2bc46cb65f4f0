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

	"github.com/c4hat/c4hat/internal/match"
)

const (
	historyName = "matches.jsonl"

	// maxHistory is the largest size of a history in bytes, more than people play in a lifetime. A
	// larger file must be something else.
	maxHistory = 1 << 30

	// tail is how many bytes at the end of the history are searched for a match before it is
	// entered. If the match is already in the history, it is among the last ones.
	tail = maxSize + block
)

// History reads the finished matches of a folder, the oldest first, one at a time. A line that is
// not a match yields a [match.Damage] that names the line, and reading continues with the next line. An
// error of the disk ends the sequence. A folder without a history has no matches. History needs no
// [Store] and takes no lock, so it works while another program plays.
func History(dir string) iter.Seq2[match.Finished, error] { return history(osDisk{}, dir, 0) }

// history is like [History] for only the last matches; if last is 0, it yields all of them. The
// time it takes depends on how many matches it yields, not on the length of the history.
func history(d disk, dir string, last int) iter.Seq2[match.Finished, error] {
	return func(yield func(match.Finished, error) bool) {
		f, size, err := openHistory(d, dir, os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		var start int64
		if err == nil {
			defer f.Close()
			if last != 0 {
				start, err = lastStart(f, size, last)
			}
		}
		if err != nil {
			yield(match.Finished{}, fmt.Errorf("store: cannot read the history: %w", err))
			return
		}
		l := newLiner(io.NewSectionReader(f, start, size-start))
		for n := 1; ; n++ {
			at := start + l.size
			err := l.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(match.Finished{}, fmt.Errorf("store: the history ends early: %w", err))
				return
			}
			e, err := decodeFinished(l.line)
			switch {
			case err == nil:
			case l.open:
				return // cut off by a power cut, or still being written
			case at == 0 && decodeTotals(l.line).Matches > 0:
				continue
			case start > 0:
				err = fmt.Errorf("store: %s, the line at byte %d: %w", filepath.Join(dir, historyName), at, err)
			default:
				err = fmt.Errorf("store: %s, line %d: %w", filepath.Join(dir, historyName), n, err)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// openHistory opens the history and returns its size.
func openHistory(d disk, dir string, flag int) (file, int64, error) {
	name := filepath.Join(dir, historyName)
	f, err := d.open(name, flag)
	if err != nil {
		return nil, 0, err
	}
	size, err := f.size()
	if err == nil && size > maxHistory {
		err = &fs.PathError{Op: "open", Path: name, Err: errHuge}
	}
	if err != nil {
		f.Close() // an error loses nothing
		return nil, 0, err
	}
	return f, size, nil
}

// lastStart returns the offset at which the last n matches begin.
func lastStart(f file, size int64, n int) (int64, error) {
	l := newBackliner(f, size)
	for n > 0 {
		err := l.next()
		if errors.Is(err, io.EOF) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if _, err := decodeFinished(l.line); err == nil {
			n--
		}
	}
	return min(l.at, size), nil
}

// unsynced is the data that was appended for a match and could be neither synced nor removed. After
// a failed fsync, the kernel treats the data as written, and the next fsync succeeds although the
// data is not on the disk (fsync(2), EIO). So the data must be written again.
type unsynced struct {
	id   string
	at   int64
	data []byte
}

// record makes sure that the entry is in the history, exactly once, and on the disk.
func (s *Store) record(e match.Finished) error {
	line, err := encodeFinished(e)
	if err != nil {
		return err
	}
	f, size, err := s.lockHistory()
	if err != nil {
		return err
	}
	defer f.Close()
	old, torn, err := find(f, size, e.ID)
	if err != nil {
		return err
	}
	var missing []byte
	if torn {
		// Add the missing newline to the last line. If that line was cut off, the newline keeps the
		// damage out of the next line. If the line is complete, the next append would otherwise
		// spoil it, and its match would be lost.
		missing = append(missing, '\n')
	}
	if old.ID == "" {
		missing = append(missing, line...)
	}
	if was := s.unsynced; was.id == e.ID && size == was.at+int64(len(was.data)) { // the file is unchanged since
		if err := f.Truncate(was.at); err != nil {
			return err
		}
		size, missing = was.at, was.data
	}
	if len(missing) > 0 {
		_, err = f.Write(missing)
	}
	// Sync even if nothing was written: the file or the entry may be from a program that was killed
	// before its sync.
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		if f.Truncate(size) != nil {
			s.unsynced = unsynced{e.ID, size, missing}
		}
		return err
	}
	s.unsynced = unsynced{}
	if size == 0 {
		s.renamed.Store(true) // assume that the file is new
	}
	if err := s.syncFolder(); err != nil {
		return err
	}
	if err := s.trim(f, size+int64(len(missing))); err != nil { // not an error of record: the match is in the history
		s.untrimmed.Do(func() { s.log.Warn("the history is long and cannot be shortened", "reason", err) })
	}
	return nil
}

// lockHistory opens the history to append to it, and returns its size. It waits for another program
// that is appending, and opens the file again if another program has replaced it with a shorter
// one.
func (s *Store) lockHistory() (file, int64, error) {
	for {
		f, _, err := openHistory(s.disk, s.dir, os.O_RDWR|os.O_APPEND|os.O_CREATE)
		if err != nil {
			return nil, 0, err
		}
		var named bool
		var size int64
		if err = f.lock(true); err != nil {
			err = fmt.Errorf("%s: %w", s.path(historyName), err)
		} else if named, err = f.named(); named {
			size, err = f.size()
		}
		if err == nil && named {
			return f, size, nil
		}
		f.Close() // an error loses nothing
		if err != nil {
			return nil, 0, err
		}
	}
}

// find looks for a match at the end of a history. If the match is not there, the entry's ID is
// empty. torn reports whether the last line lacks its newline.
func find(f file, size int64, id string) (e match.Finished, torn bool, err error) {
	quoted := []byte(`"` + id + `"`)
	low := max(size-tail, 0)
	l := newBackliner(io.NewSectionReader(f, low, size-low), size-low)
	for first := true; ; first = false {
		err := l.next()
		if errors.Is(err, io.EOF) {
			return match.Finished{}, torn, nil
		}
		if err != nil {
			return match.Finished{}, torn, err
		}
		torn = torn || first && l.at < size-low
		if !bytes.Contains(l.line, quoted) { // avoids most of the parsing
			continue
		}
		if e, err := decodeFinished(l.line); err == nil && e.ID == id {
			return e, torn, nil
		}
	}
}

// recorded looks for a match in the history, like [find]. A file that cannot be a history has no
// matches.
func (s *Store) recorded(id string) (match.Finished, error) {
	f, size, err := openHistory(s.disk, s.dir, os.O_RDONLY)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return match.Finished{}, nil
	case errors.Is(err, errIrregular), errors.Is(err, errHuge):
		s.log.Error("cannot use the history", "reason", err)
		return match.Finished{}, nil
	case err != nil:
		return match.Finished{}, err
	}
	defer f.Close()
	e, _, err := find(f, size, id)
	return e, err
}

// Matches yields the last finished matches, the oldest first; if last is 0, it yields all of them.
// Lines that are not matches are skipped, and logged the first time. Any goroutine may call it.
func (s *Store) Matches(last int) iter.Seq[match.Finished] {
	return func(yield func(match.Finished) bool) {
		for e, err := range history(s.disk, s.dir, last) {
			if err != nil {
				s.skipped.Do(func() { s.log.Warn("the history is damaged; lines that are not matches are skipped", "first", err) })
				continue
			}
			if !yield(e) {
				return
			}
		}
	}
}
