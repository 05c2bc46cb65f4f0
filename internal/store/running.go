package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

const (
	matchName   = "match.json"
	newName     = "match.json.tmp"
	damagedName = "match.json.bad"
)

// find looks for the match to go on with.
func (s *Store) find() {
	m, err := s.read()
	if errors.Is(err, fs.ErrNotExist) {
		s.looked = true
		return
	}
	if err != nil {
		s.setAside(err)
		return
	}
	s.looked, s.kept = true, m.ID
	if e, ok := s.recorded(m.ID); ok {
		// The program ended in the middle of Finish. Perhaps before its line was
		// safe, so the rest of that is done like all the work that is late.
		s.over, s.late = m.ID, append(s.late, e)
		if s.settle() == nil {
			_ = s.tidy() // else with the next match
		}
		return
	}
	s.running, s.resumes = m, true
}

func (s *Store) read() (Match, error) {
	f, err := s.disk.open(s.path(matchName), os.O_RDONLY)
	if err != nil {
		return Match{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return Match{}, err
	}
	s.looked = true
	if len(data) > maxSize {
		return Match{}, fmt.Errorf("store: not a match: more than %d bytes", maxSize)
	}
	return decodeMatch(data)
}

// setAside moves a match that cannot be read out of the way: it would be as bad at
// every start, and the next one shall not be its end.
func (s *Store) setAside(reason error) {
	err := s.disk.rename(s.path(matchName), s.path(damagedName))
	if err != nil {
		s.log.Error("the match that was kept cannot be read", "reason", reason)
		return
	}
	s.looked = true
	s.log.Error("the match that was kept is damaged, and set aside", "as", s.path(damagedName), "reason", reason)
}

// write replaces the match that is kept. A power cut leaves the old one or the new
// one: rename(2) puts a whole file in the other's place, but whether the data is
// there by then is up to the Sync before it, and whether the new name outlasts a
// power cut to the one after it.
func (s *Store) write(m Match, data []byte) error {
	s.saved = Match{}
	if err := s.writeNew(data); err != nil {
		_ = s.disk.remove(s.path(newName)) // it may not even be there
		return err
	}
	s.kept, s.stale = m.ID, false
	if err := s.disk.syncDir(s.dir); err != nil {
		return err
	}
	s.saved = m
	return nil
}

func (s *Store) writeNew(data []byte) error {
	f, err := s.disk.open(s.path(newName), os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = s.disk.rename(s.path(newName), s.path(matchName))
	}
	return err
}
