package store

import (
	"cmp"
	"context"
	"errors"
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
	slowTime  = time.Second     // after which a save is said to be slow
	closeTime = 4 * time.Second // a service that waits longer for a disk when it stops is killed
)

// Saver saves the matches of a game in a folder, in a goroutine of its own: its calls do not make
// the game wait for a disk. Only the latest state of the running match is saved, but every finished
// match is. An error is logged once, and what could not be written is tried again with the next call.
type Saver struct {
	Left          match.Record // the match to resume, if its ID is not empty
	HeldElsewhere bool         // another program saves its match in the folder
	Unsaved       error        // why nothing can be saved at the start

	folder  *folder      // only run uses it
	last    match.Record // of the history, if its ID is not empty
	against match.Record // the last one of these against the computer
	log     *slog.Logger
	saved   chan game.Saved
	wake    chan struct{}
	failing bool          // the last write failed; only for run, and after it
	done    chan struct{} // closed when run has ended

	mu     sync.Mutex
	save   game.Save        // to write, after the matches in over
	over   []match.Finished // to write
	closed bool
}

// OpenSaver opens a folder, but waits for a disk only until the context is done; the error is then the context's
// cause. Otherwise an error is that of a match that cannot be read. If dir is empty, nothing is saved.
func OpenSaver(ctx context.Context, dir string, log *slog.Logger) (*Saver, error) {
	return openSaver(ctx, dir, log, osDisk{})
}

func openSaver(ctx context.Context, dir string, log *slog.Logger, d disk) (*Saver, error) {
	s := &Saver{
		folder: &folder{dir: dir, log: log, disk: d}, log: log,
		saved: make(chan game.Saved, 1), wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	opened := make(chan error, 1)
	go func() { opened <- s.open() }() // a disk may hang
	select {
	case err := <-opened:
		if err != nil {
			return nil, err
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	go s.run()
	return s, nil
}

func (s *Saver) open() (err error) {
	if s.folder.dir == "" {
		s.Unsaved = errors.New("there is no home folder")
		return nil
	}
	s.Left, err, s.Unsaved = s.folder.resume()
	s.HeldElsewhere = s.folder.another
	for m, err := range s.Matches(recent) {
		if err == nil {
			if s.last = m.Record; m.Level > 0 {
				s.against = m.Record
			}
		}
	}
	return err
}

// Config returns the configuration c for a game that this saver saves.
func (s *Saver) Config(c game.Config) game.Config {
	// Run is unique to this run of the program. It does not come from getrandom(2), which may wait
	// for entropy for seconds after boot; rand's seed is weak then, so the clock is mixed in.
	c.Run = strconv.FormatUint(rand.Uint64()^uint64(time.Now().UnixNano()), 36)
	c.Keeps, c.Last, c.LastLevel = true, s.last, cmp.Or(s.Left.Level, s.against.Level)
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
		return s.folder.dir != "" && !s.failing && !s.folder.another
	case <-time.After(closeTime):
		s.log.Error("the last moves are not saved: the disk does not respond")
		return false
	}
}

// run is the only goroutine that writes.
func (s *Saver) run() {
	defer close(s.done)
	slow := time.AfterFunc(slowTime, sync.OnceFunc(func() {
		s.log.Warn("the disk is slow: saving a disc takes more than a second; the game continues", "waited", slowTime)
	}))
	defer slow.Stop()
	for closed := false; !closed; {
		slow.Stop()
		<-s.wake
		s.mu.Lock()
		save, over := s.save, s.over
		closed = s.closed
		s.mu.Unlock()
		slow.Reset(slowTime)
		finished, err := s.folder.write(over, save.Record)
		switch {
		case err != nil && !s.failing:
			s.log.Warn("the match is not saved; the game continues", "reason", err)
		case err == nil && s.failing:
			s.log.Info("matches are saved again")
		}
		s.failing = err != nil
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
