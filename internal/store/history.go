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
)

const historyName = "matches.jsonl"

// History reads the matches of a folder that are over, the oldest first, without
// holding more than one. A line that is no match gives an error that names it, and
// the next one follows; after an error of the disk there is nothing more. A folder
// without a history has no matches. It needs no [Store] and takes no lock, so it
// works beside a program that plays.
func History(dir string) iter.Seq2[Entry, error] { return history(osDisk{}, dir) }

func history(d disk, dir string) iter.Seq2[Entry, error] {
	name := filepath.Join(dir, historyName)
	return func(yield func(Entry, error) bool) {
		f, err := d.open(name, os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Entry{}, fmt.Errorf("store: the history cannot be read: %w", err))
			return
		}
		defer f.Close()
		l := newLiner(f)
		for n := 1; ; n++ {
			err := l.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Entry{}, fmt.Errorf("store: the history ends early: %w", err))
				return
			}
			e, err := l.entry()
			if err != nil && l.open {
				return // torn, or being written at this moment
			}
			if err != nil {
				err = fmt.Errorf("store: %s, line %d: %w", name, n, err)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (l *liner) entry() (Entry, error) {
	if l.long {
		return Entry{}, fmt.Errorf("store: not a match: more than %d bytes", maxSize)
	}
	return decodeEntry(l.line)
}

// unsynced is what was appended for a match, could not be synced, and not be taken
// back either. After a failed fsync its pages count as clean, and the next fsync says
// that all is well (fsync(2), EIO): only what is written anew is tried anew.
type unsynced struct {
	id   string
	at   int64
	data []byte
}

// record makes sure that the entry stands in the history, once, and on the disk.
func (s *Store) record(e Entry) error {
	line, err := encodeEntry(e)
	if err != nil {
		return err
	}
	f, err := s.disk.open(s.path(historyName), os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	// Another program may be about to append, and may have done so with this very
	// match, if both were given it.
	if err := f.lock(true); err != nil {
		return fmt.Errorf("%s: %w", s.path(historyName), err)
	}
	l := newLiner(f)
	there, err := l.find(e.ID)
	if err != nil {
		return err
	}
	var missing []byte
	if l.open {
		// A torn line stays one of its own. A whole one gets its end: what is appended
		// next could tear that off, and then nobody would write the match again.
		missing = append(missing, '\n')
	}
	if !there {
		missing = append(missing, line...)
	}
	if was := s.unsynced; was.id == e.ID && l.size == was.at+int64(len(was.data)) { // and nobody has appended since
		if err := f.Truncate(was.at); err != nil {
			return err
		}
		l.size, missing = was.at, was.data
	}
	if len(missing) > 0 {
		_, err = f.Write(missing)
	}
	// One that is there already may have been left by a program that was killed
	// before it got here. The same goes for the file.
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		if f.Truncate(l.size) != nil {
			s.unsynced = unsynced{e.ID, l.size, missing}
		}
		return err
	}
	s.unsynced = unsynced{}
	return s.disk.syncDir(s.dir)
}

// find reads to the end and says whether the match is there.
func (l *liner) find(id string) (there bool, err error) {
	quoted := []byte(`"` + id + `"`)
	for {
		err := l.next()
		if errors.Is(err, io.EOF) {
			return there, nil
		}
		if err != nil {
			return there, err
		}
		if there || l.long || !bytes.Contains(l.line, quoted) { // which spares most of the parsing
			continue
		}
		if e, err := decodeEntry(l.line); err == nil && e.ID == id {
			there = true
		}
	}
}

// recorded says whether the match is in the history. One that cannot be read is no
// reason to drop a match.
func (s *Store) recorded(id string) (Entry, bool) {
	for e, err := range history(s.disk, s.dir) {
		if err == nil && e.ID == id {
			return e, true
		}
	}
	return Entry{}, false
}

// History gives the matches that are over, the oldest first. Lines that are no
// matches are skipped, and logged the first time. It may be used in any goroutine.
func (s *Store) History() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for e, err := range history(s.disk, s.dir) {
			if err != nil {
				s.skipped.Do(func() { s.log.Warn("the history is damaged; what is no match is skipped", "first", err) })
				continue
			}
			if !yield(e) {
				return
			}
		}
	}
}
