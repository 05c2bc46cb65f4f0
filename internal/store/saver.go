package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

const (
	slowTime  = time.Second     // after which a save is said to be slow
	closeTime = 4 * time.Second // a service that waits longer for a disk when it stops is killed
	levelBack = 32              // how many matches back a start looks for the last one against the computer
	mostOver  = 10_000          // finished matches that wait in memory for a disk
)

// Saver saves the matches of a game in a folder, in a goroutine of its own: its calls do not make
// the game wait for a disk. Only the latest state of the running match is saved, but every finished
// match is. An error is logged once, and what could not be written is tried again with the next call.
type Saver struct {
	Left          match.Record // the match to resume, if its ID is not empty
	HeldElsewhere bool         // another program saves its match in the folder

	folder  *folder      // only run uses it; nil if nothing is saved
	last    match.Record // of the history, if its ID is not empty
	against match.Record // the last one of these against the computer
	log     *slog.Logger
	saved   chan game.Saved
	wake    chan struct{}
	done    chan struct{} // closed when run has ended
	said    sync.Once

	mu      sync.Mutex
	save    game.Save // to write, after the matches in over
	over    []over
	closed  bool
	failing bool // the last write failed
}

// over is a finished match, with its line for the history unless it had no disc.
type over struct {
	id   string
	line []byte
}

// OpenSaver opens a folder, but waits for a disk only until the context is done; the error is then
// the context's cause. If dir is empty, nothing is saved.
func OpenSaver(ctx context.Context, dir string, log *slog.Logger) (*Saver, error) {
	return openSaver(ctx, dir, log, osDisk{})
}

func openSaver(ctx context.Context, dir string, log *slog.Logger, d disk) (*Saver, error) {
	s := &Saver{log: log, saved: make(chan game.Saved, 1), wake: make(chan struct{}, 1), done: make(chan struct{})}
	if dir != "" {
		err := within(ctx, func() (err error) {
			if s.folder, err = open(dir, log, d); err != nil {
				return fmt.Errorf("%w; --state names another folder", err)
			}
			for e, err := range history(d, dir, levelBack) {
				if err == nil {
					if s.last = e.Record; s.last.Level > 0 {
						s.against = s.last
					}
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		s.Left, s.HeldElsewhere = s.folder.left, s.folder.another
	}
	go s.run()
	return s, nil
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
func (s *Saver) Finish(r match.Record, abandoned bool) {
	o := over{id: r.ID}
	if r.Begun() {
		var err error
		if o.line, err = encode(match.Finish(r, abandoned, time.Now()).Document()); err != nil {
			s.log.Error("a match cannot be entered in the history", "reason", err)
			return // its file stays
		}
	}
	s.change(func() {
		if s.save.Record.ID == r.ID {
			s.save.Record = match.Record{} // only answered
		}
		if s.over = append(s.over, o); len(s.over) > mostOver {
			s.log.Error("too many matches wait for the disk: one is lost", "match", s.over[0].id)
			s.over = s.over[1:]
		}
	})
}

// Matches yields the last matches of the history, the oldest first; if last is 0, it yields all of
// them. Damaged ones are logged the first time. Any goroutine may call it.
func (s *Saver) Matches(last int) iter.Seq2[match.Finished, error] {
	return func(yield func(match.Finished, error) bool) {
		if s.folder == nil {
			return
		}
		for e, err := range history(s.folder.disk, s.folder.dir, last) {
			if err != nil {
				s.said.Do(func() { s.log.Warn("the history is damaged; lines that are not matches are skipped", "first", err) })
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Close waits until everything is saved, for four seconds at most. It reports whether everything
// was saved and the match under way can be resumed.
func (s *Saver) Close() bool {
	s.change(func() { s.closed = true })
	select {
	case <-s.done:
		return s.folder != nil && !s.failing && !s.folder.another
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
		save, ends := s.save, s.over
		closed = s.closed
		s.mu.Unlock()
		slow.Reset(slowTime)
		written, err := 0, error(nil)
		if s.folder != nil {
			err = guard(func() (err error) { written, err = s.write(ends, save.Record); return err })
		}
		s.answer(save, written, err)
	}
	if s.folder != nil {
		s.folder.release()
	}
}

// write finishes matches, and then saves the one under way: its file replaces that of the match before it. It
// returns how many matches are in the history.
func (s *Saver) write(ends []over, r match.Record) (int, error) {
	for n, o := range ends {
		if err := s.folder.finish(o.id, o.line); err != nil {
			return n, err
		}
	}
	if r.ID == "" {
		return len(ends), nil
	}
	return len(ends), s.folder.save(r)
}

// answer reports the outcome of a save, and keeps in mind what was not written.
func (s *Saver) answer(save game.Save, written int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = s.over[min(written, len(s.over)):]
	switch {
	case err != nil && !s.failing:
		s.log.Warn("the match is not saved; the game continues", "reason", err)
	case err == nil && s.failing:
		s.log.Info("matches are saved again")
	}
	s.failing = err != nil
	if err == nil && s.save.ID == save.ID {
		s.save = game.Save{}
	}
	if save.ID != 0 {
		select {
		case <-s.saved: // not received yet
		default:
		}
		s.saved <- game.Saved{ID: save.ID, Failed: err != nil}
	}
}

// Writable returns an error, with a message for the user, if matches cannot be saved in a folder.
// It returns nil if they can be, or if the context ends before the disk answers.
func Writable(ctx context.Context, dir string) error {
	if dir == "" {
		return errors.New("this match will not be kept: there is no home folder; --state names another")
	}
	err := within(ctx, func() error {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		f, err := os.CreateTemp(dir, "try-*")
		if err != nil {
			return err
		}
		return errors.Join(f.Close(), os.Remove(f.Name()))
	})
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("this match will not be kept: nothing can be written to %s (%w); --state names another folder", dir, path.Err)
	}
	return nil
}

// within returns f's error or, if the context is done before f returns, the context's cause. f may
// never return, because a disk may hang.
func within(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- guard(f) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// guard returns f's error, or its panic as an error. The game continues after a panic, although
// nothing is saved.
func guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal fault: %v", v)
		}
	}()
	return f()
}
