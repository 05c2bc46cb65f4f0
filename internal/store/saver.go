package store

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

const (
	slowTime  = time.Second // after which a save is said to be slow
	retryTime = time.Second
	closeTime = 4 * time.Second // a service that waits longer for a disk when it stops is killed
)

// Saver saves the matches of a game in a folder, in a goroutine of its own: its calls do not make
// the game wait for a disk. Only the latest state of the running match is saved, but every finished
// match is. An error is logged once, and what could not be written is tried again each second.
type Saver struct {
	Left    match.Record // the match to resume, if its ID is not empty
	Unsaved error        // why nothing can be saved at the start, for example [ErrOpen]

	folder  *folder // only run uses it
	failing bool    // the last write failed; only for run, and after it
	saved   chan game.Saved
	wake    chan struct{}
	done    chan struct{} // closed when run has ended

	mu     sync.Mutex
	save   game.Save        // to write, after the matches in over
	over   []match.Finished // to write
	closed bool
}

// OpenSaver opens a folder, but waits for a disk only until the context is done; the error is then the context's
// cause. If dir is empty, nothing is saved.
func OpenSaver(ctx context.Context, dir string, log *slog.Logger) (*Saver, error) {
	return openSaver(ctx, &folder{dir: dir, log: log, disk: osDisk{}})
}

func openSaver(ctx context.Context, f *folder) (*Saver, error) {
	s := &Saver{folder: f, saved: make(chan game.Saved, 1), wake: make(chan struct{}, 1), done: make(chan struct{})}
	opened := make(chan struct{})
	go func() { // a disk may hang
		s.Left, s.Unsaved = f.open()
		close(opened)
	}()
	select {
	case <-opened:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.tell(s.Unsaved)
	go s.run()
	return s, nil
}

// tell logs an error when it is new.
func (s *Saver) tell(err error) {
	switch {
	case err != nil && !s.failing:
		s.folder.log.Warn("the match is not saved; the game continues", "reason", err)
	case err == nil && s.failing:
		s.folder.log.Info("matches are saved again")
	}
	s.failing = err != nil
}

// Config returns the configuration c for a game that this saver saves.
func (s *Saver) Config(c game.Config) game.Config {
	// Run is unique to this run of the program. It does not come from getrandom(2), which may wait
	// for entropy for seconds after boot; rand's seed is weak then, so the clock is mixed in.
	c.Run = strconv.FormatUint(rand.Uint64()^uint64(time.Now().UnixNano()), 36)
	c.Keeps = true
	for m, err := range s.Matches(recent) {
		if err == nil {
			c.Last, c.LastLevel = m.Record, cmp.Or(m.Level, c.LastLevel)
		}
	}
	c.LastLevel = cmp.Or(s.Left.Level, c.LastLevel)
	return c
}

// change changes what is to be written, and wakes run.
func (s *Saver) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Save saves the match as it is now. Only one goroutine may call Save and Finish.
func (s *Saver) Save(save game.Save) { s.change(func() { s.save = save }) }

// Saved returns a channel with the latest answer to a save.
func (s *Saver) Saved() <-chan game.Saved { return s.saved }

// Finish enters a match into the history. A match without a disc is only forgotten.
func (s *Saver) Finish(r match.Record, _ bool) {
	m := match.Finish(r, time.Now())
	s.change(func() {
		s.over = append(s.over, m)
		if s.save.Record.ID == r.ID {
			s.save.Record = match.Record{} // only answered
		}
	})
}

// Matches yields the last matches of the history, the oldest first; if last is 0, it yields all of them. Any
// goroutine may call it.
func (s *Saver) Matches(last int) iter.Seq2[match.Finished, error] {
	return history(s.folder.disk, s.folder.dir, last)
}

// Close waits until everything is saved, for four seconds at most. It reports whether everything
// was saved and the match under way can be resumed.
func (s *Saver) Close() bool {
	s.change(func() { s.closed = true })
	select {
	case <-s.done:
		return !s.failing
	case <-time.After(closeTime):
		s.folder.log.Error("the last moves are not saved: the disk does not respond")
		return false
	}
}

// run is the only goroutine that writes.
func (s *Saver) run() {
	defer close(s.done)
	slow := time.AfterFunc(slowTime, sync.OnceFunc(func() {
		s.folder.log.Warn("the disk is slow: saving a disc takes more than a second; the game continues", "waited", slowTime)
	}))
	defer slow.Stop()
	var again <-chan time.Time // when to try again what has failed
	for closed := false; !closed; {
		slow.Stop()
		select {
		case <-s.wake:
		case <-again:
		}
		s.mu.Lock()
		save, over := s.save, s.over
		closed = s.closed
		s.mu.Unlock()
		slow.Reset(slowTime)
		finished, err := s.folder.write(over, save.Record)
		s.tell(err)
		if again = nil; err != nil {
			again = time.After(retryTime)
		}
		s.mu.Lock()
		s.over = s.over[finished:]
		if err == nil && s.save.ID == save.ID {
			s.save = game.Save{}
		}
		s.mu.Unlock()
		if save.ID != 0 {
			select {
			case <-s.saved: // not received yet
			default:
			}
			s.saved <- game.Saved{ID: save.ID, Failed: err != nil}
		}
	}
	s.folder.release()
}
