package store

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"math/rand/v2"
	"slices"
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
//
// Only one goroutine may call Save, Finish and Close.
type Saver struct {
	Left    match.Record // the match to resume, if its ID is not empty
	Unsaved error        // why nothing can be saved at the start, for example [ErrOpen]

	folder  *folder // only run uses it
	failing bool    // the last write failed; only for run, and after it
	mailbox chan unwritten
	closed  sync.Once
	saved   chan game.Saved
	done    chan struct{} // closed when run has ended
}

// unwritten is what is not on the disk yet.
type unwritten struct {
	over []match.Finished
	save game.Save // of the match under way, after those that are over
}

// and returns what is not on the disk after something else has happened.
func (u unwritten) and(next unwritten) unwritten {
	u.over, u.save = append(u.over, next.over...), cmp.Or(next.save, u.save)
	if slices.ContainsFunc(u.over, func(m match.Finished) bool { return m.ID == u.save.Record.ID }) {
		u.save.Record = match.Record{} // it is only answered
	}
	return u
}

// OpenSaver opens a folder, but waits for a disk only until the context is done; the error is then the context's
// cause. If dir is empty, nothing is saved.
func OpenSaver(ctx context.Context, dir string, log *slog.Logger) (*Saver, error) {
	return openSaver(ctx, &folder{dir: dir, log: log, disk: osDisk{}})
}

func openSaver(ctx context.Context, f *folder) (*Saver, error) {
	s := &Saver{folder: f, mailbox: make(chan unwritten, 1), saved: make(chan game.Saved, 1), done: make(chan struct{})}
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
		s.folder.log.Warn("the match is not saved", "reason", err)
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
	for m, err := range s.Matches(32) {
		if err == nil {
			c.Last, c.LastLevel = m.Record, cmp.Or(m.Level, c.LastLevel)
		}
	}
	c.LastLevel = cmp.Or(s.Left.Level, c.LastLevel)
	return c
}

// write leaves something in the mailbox, with what run has not taken yet.
func (s *Saver) write(u unwritten) {
	select {
	case last := <-s.mailbox:
		u = last.and(u)
	default:
	}
	s.mailbox <- u
}

// Save saves the match as it is now.
func (s *Saver) Save(save game.Save) { s.write(unwritten{save: save}) }

// Saved returns a channel with the latest answer to a save.
func (s *Saver) Saved() <-chan game.Saved { return s.saved }

// Finish enters a match into the history. A match without a disc is only forgotten.
func (s *Saver) Finish(r match.Record) {
	s.write(unwritten{over: []match.Finished{match.Finish(r, time.Now())}})
}

// Matches yields the last matches of the history, the oldest first; if last is 0, it yields all of them. Any
// goroutine may call it.
func (s *Saver) Matches(last int) iter.Seq2[match.Finished, error] {
	return history(s.folder.disk, s.folder.dir, last)
}

// Close waits until everything is saved, for four seconds at most; further calls return the same. It reports whether everything
// was saved and the match under way can be resumed.
func (s *Saver) Close() bool {
	s.closed.Do(func() { close(s.mailbox) })
	select {
	case <-s.done:
		return !s.failing
	case <-time.After(closeTime):
		s.folder.log.Error("the last moves are not saved: the disk does not respond")
		return false
	}
}

// run is the only goroutine that writes. When the saver is closed, it tries once more.
func (s *Saver) run() {
	defer close(s.done)
	slow := time.AfterFunc(slowTime, sync.OnceFunc(func() {
		s.folder.log.Warn("the disk is slow: saving a disc takes more than a second")
	}))
	defer slow.Stop()
	var todo unwritten
	var again <-chan time.Time // when to try again what has failed
	for open := true; open; {
		slow.Stop()
		select {
		case u, ok := <-s.mailbox:
			todo, open = todo.and(u), ok
		case <-again:
		}
		slow.Reset(slowTime)
		s.folder.over, todo.over = append(s.folder.over, todo.over...), nil
		err := s.folder.write(todo.save.Record)
		s.tell(err)
		if id := todo.save.ID; id != 0 {
			select {
			case <-s.saved: // not received yet
			default:
			}
			s.saved <- game.Saved{ID: id, Failed: err != nil}
		}
		if again = nil; err == nil {
			todo = unwritten{}
		} else {
			again = time.After(retryTime)
		}
	}
	s.folder.release()
}
