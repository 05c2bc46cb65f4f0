package loop

import (
	"log/slog"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// Keeper keeps matches for good. It may take its time over it.
type Keeper interface {
	// Save keeps the match that is being played as it is now.
	Save(game.Record) error
	// Finish enters a match among those that are over.
	Finish(r game.Record, abandoned bool) error
}

// Saver keeps matches without the game having to wait for a disk. Of the match
// being played only the latest is kept; matches that are over are never skipped.
// What cannot be kept is logged once, and play goes on.
type Saver struct {
	keeper Keeper
	log    *slog.Logger
	wake   chan struct{} // there is something to do
	done   chan struct{} // everything is done, and nothing more will be

	mu     sync.Mutex
	over   []game.Finish // in their order, all of them older than save
	save   *game.Record
	closed bool
}

// NewSaver begins to keep matches; Close ends it.
func NewSaver(k Keeper, log *slog.Logger) *Saver {
	s := &Saver{keeper: k, log: log, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go s.run()
	return s
}

// Save has the match kept as it is now.
func (s *Saver) Save(r game.Record) { s.add(func() { s.save = &r }) }

// Finish has a match entered among those that are over.
func (s *Saver) Finish(r game.Record, abandoned bool) {
	s.add(func() {
		s.over = append(s.over, game.Finish{Record: r, Abandoned: abandoned})
		s.save = nil // of the same match, and so out of date
	})
}

// Close waits until everything is kept, as long as it is told to; false means
// that this was not long enough.
func (s *Saver) Close(patience time.Duration) bool {
	s.add(func() { s.closed = true })
	select {
	case <-s.done:
		return true
	case <-time.After(patience):
		return false
	}
}

func (s *Saver) add(what func()) {
	s.mu.Lock()
	what()
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Saver) run() {
	defer close(s.done)
	failing := false
	for range s.wake {
		s.mu.Lock()
		over, save, closed := s.over, s.save, s.closed
		s.over, s.save = nil, nil
		s.mu.Unlock()
		var err error
		for _, f := range over {
			if e := Guard(func() error { return s.keeper.Finish(f.Record, f.Abandoned) }); e != nil {
				err = e
			}
		}
		if save != nil {
			if e := Guard(func() error { return s.keeper.Save(*save) }); e != nil {
				err = e
			}
		}
		switch {
		case err != nil && !failing:
			s.log.Warn("the match is not kept; play goes on", "reason", err)
		case err == nil && failing && (over != nil || save != nil):
			s.log.Info("matches are kept again")
		}
		if over != nil || save != nil {
			failing = err != nil
		}
		if closed {
			return
		}
	}
}
