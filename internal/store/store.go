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

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// maxLate is how many matches wait for the history at most.
const maxLate = 1000

// Store keeps the matches of one program in a folder. It may be used by several goroutines
// at a time, as long as nobody calls Close meanwhile.
type Store struct {
	dir  string
	log  *slog.Logger
	disk disk
	now  func() time.Time

	mu sync.Mutex // of what follows; it is not held while a running match is written

	lock    file // of the folder, held while this program's running match is kept in it
	another bool // program has the folder, so ours is not kept
	looked  bool // for a match that was there before

	syncing sync.Mutex
	renamed atomic.Bool // something in the folder, and perhaps not on the disk
	rooted  atomic.Bool // the folder is safe in those above it
	entered atomic.Bool // so is the history in the folder, unless it is new

	running game.Record // found at the start
	resumes bool

	kept  string      // the ID of the match that is in match.json
	saved game.Record // that match as it is there
	stale bool        // it is in the history as well

	saves  int      // begun so far
	latest int      // of those, the last that is kept
	names  []string // of temporary files that no save uses
	named  int      // of them and others

	over string  // the ID of the match that was finished last
	late []Entry // over, and not yet in the history

	unsynced unsynced // in the history, and not on the disk

	skipped sync.Once
}

// Open looks into the folder for a match to go on with. One that was read and is none is
// set aside. After an error nothing has changed: whoever goes on without the match
// loses it with the first Save.
//
// A folder that is not there is made, for the user alone, when there is something to be
// kept. One that is full or may only be read gives errors from then on.
//
// The first program in a folder has it. Another one's running match is not kept,
// until it is over.
func Open(dir string, log *slog.Logger) (*Store, error) { return open(dir, log, osDisk{}, time.Now) }

func open(dir string, log *slog.Logger, d disk, now func() time.Time) (*Store, error) {
	s := &Store{dir: dir, log: log, disk: d, now: now}
	err := s.claim()
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), s.another:
		return s, nil
	case cannotWrite(err): // there may still be a match
		err = nil
	}
	if err == nil {
		err = s.find()
	}
	if err != nil {
		s.release()
		return nil, fmt.Errorf("store: the match that was kept cannot be read, and stays where it is: %w", err)
	}
	return s, nil
}

// Running is the match that was going on when the program ended; ok is false if
// there was none. It may be one that its last round has decided: the program ended
// before [Store.Finish].
func (s *Store) Running() (m game.Record, ok bool) { return s.running, s.resumes }

// HeldElsewhere reports whether another program has the folder, and so plays the match
// that is kept in it.
func (s *Store) HeldElsewhere() bool { return s.another }

// Save keeps the running match as it is now, instead of what was kept before. When
// it returns nil the match outlasts the end of the program, unless another program has
// the folder; with [Store.Sync] after it also a power cut.
// After an error what was kept before is there still, or this already, and matches
// that are over may be waiting for the history. A match that was finished is not
// kept again.
func (s *Store) Save(m game.Record) error { return s.Begin(m, nil)() }

// Begin begins a [Store.Save]; what it gives ends it, in any goroutine. So the next one
// need not wait for a slow disk: of those under way the one that was begun last stays.
// It takes the place of what was kept once after is closed, if that is not nil: when the
// matches before it are finished.
func (s *Store) Begin(m game.Record, after <-chan struct{}) (end func() error) {
	data, err := encodeMatch(m)
	if err != nil {
		return func() error { return err }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	late := s.settle()
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

// Sync makes what Save and Finish have done in the folder outlast a power cut. It may be
// used beside them, so that the next Save need not wait for it.
func (s *Store) Sync() error {
	s.syncing.Lock() // what another Sync has taken on is not on the disk yet
	defer s.syncing.Unlock()
	if !s.renamed.Swap(false) {
		return nil
	}
	if err := s.syncFolder(); err != nil {
		s.renamed.Store(true)
		return notKept(err)
	}
	return nil
}

// Finish enters a match that is over into the history, and keeps it no longer as
// the running one. Its last round has decided it, or it was abandoned; one that was
// abandoned without a disc of its own is not entered. After an error of the disk the
// match waits in memory, and Save, Finish and Close try again. A match that is in the
// history stays as it stands there.
func (s *Store) Finish(m game.Record, abandoned bool) error {
	e := Entry{Record: m, Abandoned: abandoned, Ended: credible(s.now())}
	if e.Final().Winner() != board.Empty {
		e.Abandoned = false // with the winning disc in the air
	}
	if _, err := encodeEntry(e); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.ID == s.over:
	case m.Begun():
		s.late = append(s.late, e)
	case m.ID == s.kept:
		s.stale = true
	}
	s.over = m.ID
	if len(s.late) == 0 && !s.stale {
		return nil
	}
	err := s.settle()
	if err == nil {
		err = s.tidy()
	}
	if len(s.late) > maxLate {
		s.log.Error("too many matches wait for the disk: one is lost", "match", s.late[0].ID)
		s.late = slices.Delete(s.late, 0, 1)
	}
	return err
}

// Close tries a last time to write what waits, and lets the folder go. The running
// match stays in it.
func (s *Store) Close() error {
	var err error
	if len(s.late) > 0 {
		err = s.settle()
	}
	if err == nil {
		err = s.tidy()
	}
	if err == nil {
		err = s.Sync()
	}
	s.release()
	return err
}

// settle does what the disk has not allowed so far.
func (s *Store) settle() error {
	if err := s.prepare(); err != nil {
		return notKept(err)
	}
	for len(s.late) > 0 {
		e := s.late[0]
		if err := s.record(e); err != nil {
			return fmt.Errorf("store: not in the history yet: %w", s.forget(err))
		}
		s.late = slices.Delete(s.late, 0, 1)
		s.stale = s.stale || e.ID == s.kept
	}
	return nil
}

// tidy removes the running match once it is in the history, or without a disc.
func (s *Store) tidy() error {
	if !s.stale || s.lock == nil {
		return nil
	}
	if err := s.disk.remove(s.path(matchName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: the match is in the history, but not away: %w", err)
	}
	s.kept, s.saved, s.stale = "", game.Record{}, false
	s.renamed.Store(true)
	return nil
}

func notKept(err error) error { return fmt.Errorf("store: the match is not kept: %w", err) }

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }
