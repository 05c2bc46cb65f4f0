package store

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

// maxLate is the largest number of finished matches that wait in memory for the history.
const maxLate = 1000

// Store keeps the matches of one program in a folder. Several goroutines may use it at the
// same time, except for Close.
type Store struct {
	dir  string
	log  *slog.Logger
	disk disk
	now  func() time.Time

	limit int64 // see historyLimit

	settling sync.Mutex // held while late matches enter the history; locked before mu
	unsynced unsynced   // in the history but not on the disk; guarded by settling

	mu sync.Mutex // guards what follows; not held while a match is written

	lock    file // not nil while this program's running match is saved in the folder
	another bool // see Elsewhere
	looked  bool // the folder was searched for an earlier match

	syncing sync.Mutex
	renamed atomic.Bool // names in the folder have changed, perhaps not yet on the disk
	rooted  atomic.Bool // the folder's own name is on the disk

	running game.Record // to resume, if its ID is not empty

	saved game.Record // what is in match.json, if its ID is not empty
	stale bool        // the match in saved is over, so match.json can be removed

	saves  int      // number of saves started so far
	latest int      // number of the save that is in match.json
	names  []string // temporary files that no save is using
	named  int      // number of temporary files

	over string           // ID of the match that was finished last
	late []match.Finished // finished matches that are not yet in the history

	skipped, untrimmed sync.Once
}

// Open looks in the folder for a match to resume. A damaged match is set aside. If Open fails, it
// has changed nothing. Do not save in the folder then: a save would overwrite the match there.
//
// A missing folder is created when there is something to save; only its user can open it. If the
// disk is full or read-only, calls that save return errors.
//
// The first program that opens the folder saves its running match there. Other programs that use
// the folder at the same time save only their finished matches.
func Open(dir string, log *slog.Logger) (*Store, error) { return open(dir, log, osDisk{}, time.Now) }

func open(dir string, log *slog.Logger, d disk, now func() time.Time) (*Store, error) {
	s := &Store{dir: dir, log: log, disk: d, now: now, limit: historyLimit}
	err := s.claim()
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), s.another:
		return s, nil
	case cannotWrite(err): // the folder may still have a match to resume
		err = nil
	}
	if err == nil {
		err = s.find()
	}
	if err != nil {
		s.release()
		return nil, fmt.Errorf("store: cannot read the saved match, which stays unchanged: %w", err)
	}
	return s, nil
}

// Running returns the match that was under way when the last program ended; ok is false if there
// was none. If the program ended before [Store.Finish], the match may already be decided.
func (s *Store) Running() (m game.Record, ok bool) { return s.running, s.running.ID != "" }

// Begin starts a save of the running match. The caller must call end, in any goroutine, to complete
// the save; the next save can begin before that, so that it need not wait for a slow disk. If
// several saves are under way, the one started last wins. The saved match is replaced only once the
// channel after is closed; the caller closes it when the matches before this one are finished.
//
// Once end has returned nil, the match survives the end of the program, unless the folder has
// another program's match. After [Store.Sync], it also survives a power cut. After an error, either
// the old match or this one is saved, and finished matches may be waiting for the history. A match
// that is finished is not saved again.
func (s *Store) Begin(m game.Record, after <-chan struct{}) (end func() error) {
	data, err := encodeMatch(m)
	if err != nil {
		return func() error { return err }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	late := s.prepare()
	if late == nil && s.settling.TryLock() { // if locked, Finish is entering the late matches
		defer s.settling.Unlock()
		late = s.settle()
	}
	if s.lock == nil || m.ID == s.over || m == s.saved && s.latest == s.saves {
		return func() error { return late }
	}
	s.saves++
	turn, name := s.saves, s.temporary()
	return func() error {
		if err := s.write(turn, name, m, data, after); err != nil {
			return notKept(err)
		}
		return late
	}
}

// Sync makes the changes that saves and Finish have made in the folder survive a power cut. It may
// run at the same time as saves and Finish, so that the next save need not wait for it.
func (s *Store) Sync() error {
	if err := s.syncFolder(); err != nil {
		return notKept(err)
	}
	return nil
}

// Finish enters a match into the history, and removes match.json if it has that match. The match
// was either decided by its last round or abandoned. A match that was abandoned before its first
// disc is not entered. After a disk error the match waits in memory, and Begin, Finish and Close
// try again. A match that is already in the history stays unchanged.
func (s *Store) Finish(m game.Record, abandoned bool) error {
	e := match.Finish(m, abandoned, s.now())
	if _, err := encodeFinished(e); err != nil {
		return err
	}
	s.settling.Lock()
	defer s.settling.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.ID == s.over:
	case m.Begun():
		s.late = append(s.late, e)
	case m.ID == s.saved.ID:
		s.stale = true
	}
	s.over = m.ID
	err := s.flush()
	if len(s.late) > maxLate {
		s.log.Error("too many matches wait for the disk: one is lost", "match", s.late[0].ID)
		s.late = slices.Delete(s.late, 0, 1)
	}
	return err
}

// Close tries once more to write the finished matches that are waiting, and unlocks the folder. The
// running match stays in the folder.
func (s *Store) Close() error {
	s.settling.Lock()
	defer s.settling.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.flush()
	if err == nil {
		err = s.Sync()
	}
	s.release()
	return err
}

// flush enters the waiting matches into the history, and removes match.json if its match is over.
// The caller has locked settling and mu.
func (s *Store) flush() error {
	if len(s.late) == 0 && !s.stale {
		return nil
	}
	if err := s.prepare(); err != nil {
		return err
	}
	if err := s.settle(); err != nil {
		return err
	}
	return s.tidy()
}

// settle enters the waiting matches into the history. The caller has locked settling and mu; settle
// unlocks mu while it writes, so that a save can begin.
func (s *Store) settle() error {
	for len(s.late) > 0 {
		e := s.late[0]
		err := func() error {
			s.mu.Unlock()
			defer s.mu.Lock()
			return s.record(e)
		}()
		if err != nil {
			return fmt.Errorf("store: not in the history yet: %w", s.forget(err))
		}
		s.late = slices.Delete(s.late, 0, 1)
		s.stale = s.stale || e.ID == s.saved.ID
	}
	return nil
}

// tidy removes match.json if its match is in the history or was abandoned before its first disc.
func (s *Store) tidy() error {
	if !s.stale || s.lock == nil {
		return nil
	}
	if err := s.disk.remove(s.path(matchName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: the match is in the history, but match.json cannot be removed: %w", err)
	}
	s.saved, s.stale = game.Record{}, false
	s.renamed.Store(true)
	return nil
}

func notKept(err error) error { return fmt.Errorf("store: the match is not saved: %w", err) }

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }
