package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strconv"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

const (
	matchName   = "match.json"
	newName     = "match.json.tmp"
	damagedName = "match.json.bad"
)

func (s *Store) find() error {
	m, err := s.read(matchName)
	if errors.Is(err, fs.ErrNotExist) {
		m, err = s.takeBack()
	}
	var bad match.Damage
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.looked = true
		return nil
	case errors.As(err, &bad):
		return s.setAside(bad)
	case err != nil:
		return err
	}
	e, err := s.recorded(m.ID)
	if err != nil {
		return err
	}
	s.looked, s.saved = true, m
	if e.ID != "" {
		// The last program ended in the middle of Finish, possibly before the match's line was on
		// the disk. The next Finish, save or Close completes that Finish.
		s.late = append(s.late, e)
		return nil
	}
	s.running = m
	return nil
}

// Left returns the match in a folder that can be resumed; ok is false if there is none or it
// cannot be read. Like [History] it takes no lock and changes nothing.
func Left(dir string) (m game.Record, ok bool) {
	s := &Store{dir: dir, log: slog.New(slog.DiscardHandler), disk: osDisk{}}
	m, err := s.read(matchName)
	if err != nil {
		return m, false
	}
	e, err := s.recorded(m.ID)
	return m, err == nil && e.ID == "" // if it is in the history, the program ended in the middle of Finish
}

// read reads a match. The error is a [match.Damage] if the file is not a regular file, or was read
// without an error but has no valid match.
func (s *Store) read(name string) (game.Record, error) {
	f, err := s.disk.open(s.path(name), os.O_RDONLY)
	if errors.Is(err, errIrregular) {
		return game.Record{}, match.Damage{Err: err}
	}
	if err != nil {
		return game.Record{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, cutSize))
	if err != nil {
		return game.Record{}, err
	}
	return decodeMatch(data)
}

// setAside renames a damaged match, so that it is neither read at every start nor overwritten by
// the next match.
func (s *Store) setAside(reason match.Damage) error {
	err := s.disk.rename(s.path(matchName), s.path(damagedName))
	switch {
	case cannotWrite(err):
		s.log.Error("the saved match is damaged", "reason", reason)
		s.release() // see yield
		return nil
	case err != nil:
		return err
	}
	s.looked = true
	s.log.Error("the saved match is damaged and was set aside", "as", s.path(damagedName), "reason", reason)
	return nil
}

// takeBack restores a match that was set aside, if this version of the program can read it. An
// older version may have set it aside because only newer versions can read it.
func (s *Store) takeBack() (game.Record, error) {
	m, err := s.read(damagedName)
	if err == nil {
		err = s.disk.rename(s.path(damagedName), s.path(matchName))
	}
	if err != nil {
		return game.Record{}, fs.ErrNotExist
	}
	s.log.Info("resuming the match that an older version set aside", "match", m.ID)
	return m, nil
}

// write replaces the saved match. After a power cut, either the old match or the new one is there:
// the data is synced before the file is renamed, and rename(2) is atomic. [Store.Sync] then puts
// the new name on the disk.
func (s *Store) write(turn int, name string, m game.Record, data []byte, after <-chan struct{}) error {
	err := s.writeNew(name, bytes.NewReader(data))
	<-after
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = append(s.names, name)
	overtaken := turn < s.latest || m.ID == s.over
	if err == nil && !overtaken {
		err = s.disk.rename(name, s.path(matchName))
	}
	if err != nil || overtaken {
		_ = s.disk.remove(name) // it may not exist
	}
	switch {
	case overtaken:
		return nil
	case err != nil:
		return s.forget(err)
	}
	s.latest = turn
	s.saved, s.stale = m, false
	s.renamed.Store(true)
	return nil
}

// temporary returns the name of a temporary file that no other save is writing. It is
// match.json.tmp unless saves overlap.
func (s *Store) temporary() string {
	if last := len(s.names) - 1; last >= 0 {
		name := s.names[last]
		s.names = s.names[:last]
		return name
	}
	s.named++
	if s.named == 1 {
		return s.path(newName)
	}
	return s.path(newName) + strconv.Itoa(s.named)
}

func (s *Store) writeNew(name string, data io.Reader) error {
	f, err := s.disk.open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
