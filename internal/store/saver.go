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
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

const (
	// slowTime is how long a save may take before a warning about a slow disk is logged. The game
	// waits no longer than slowTime after a disc has landed.
	slowTime = time.Second

	// If manyOver finished matches are waiting for the disk, a client that asks to end another
	// match must also wait, for up to roomTime. The HAT's keys never wait, because they cannot end
	// matches that fast. If the disk hangs for long, maxLate limits how many matches wait in
	// memory.
	manyOver = 4
	roomTime = time.Second

	// closeTime is how long the end of the program waits for a disk. A service that takes
	// longer to stop is killed.
	closeTime = 4 * time.Second

	// levelBack is how many matches back a start looks for the last one against the computer.
	levelBack = 32
)

// Saver saves the matches of a game in a folder, in a goroutine of its own: its calls do not make
// the game wait for a disk. Only the latest state of the running match is saved, but every finished
// match is. An error is logged once, and the game continues.
type Saver struct {
	Left          match.Record // the match to resume, if its ID is not empty
	HeldElsewhere bool         // another program saves its match in the folder, or has left one there

	folder  *folder      // only run uses it, then Close; nil if nothing is saved
	last    match.Record // the last match of the history, if its ID is not empty
	against match.Record // the last match of the history against the computer, if its ID is not empty
	log     *slog.Logger
	saved   chan game.Saved
	done    chan struct{} // closed when run has written everything
	closing sync.Once
	kept    bool // Close has saved everything
	failing bool // the last write failed; only run uses it, then Close
	skipped sync.Once

	mu      sync.Mutex
	work    *sync.Cond    // signals a change of todo
	todo    todo          // what run has not begun
	keeping int           // number of finished matches that run is writing
	room    chan struct{} // closed and replaced whenever keeping decreases
	waits   int           // ID of the last Save; 0 once that is answered or its match is over
	slow    *time.Timer   // runs while waits is not 0
}

// todo is what is to be written. The save comes after the finished matches.
type todo struct {
	over   []game.Finish
	save   game.Save // without a record, if its match has ended, it is only answered
	closed bool      // no more will follow
}

func (t todo) empty() bool { return t.over == nil && t.save.ID == 0 }

// OpenSaver opens a folder, but waits for a disk only until the context is done; the error is then
// the context's cause. If dir is empty, nothing is saved.
func OpenSaver(ctx context.Context, dir string, log *slog.Logger) (*Saver, error) {
	if dir == "" {
		return newSaver(nil, match.Record{}, log), nil
	}
	return openSaver(ctx, func() (*folder, error) { return open(dir, log, osDisk{}, time.Now) }, log)
}

func openSaver(ctx context.Context, open func() (*folder, error), log *slog.Logger) (*Saver, error) {
	var f *folder
	var last, against match.Record
	err := within(ctx, func() (err error) {
		if f, err = open(); err != nil {
			return fmt.Errorf("%w; --state names another folder", err)
		}
		for e, err := range history(f.disk, f.dir, levelBack) {
			if err == nil {
				if last = e.Record; last.Level > 0 {
					against = last
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := newSaver(f, last, log)
	s.against = against
	return s, nil
}

func newSaver(f *folder, last match.Record, log *slog.Logger) *Saver {
	s := &Saver{
		folder: f, last: last, log: log,
		saved: make(chan game.Saved, 1), done: make(chan struct{}), room: make(chan struct{}),
	}
	if f != nil {
		s.Left, s.HeldElsewhere = f.left, f.another
	}
	s.work = sync.NewCond(&s.mu)
	s.slow = time.AfterFunc(slowTime, sync.OnceFunc(func() {
		log.Warn("the disk is slow: saving a disc takes more than a second; the game continues", "waited", slowTime)
	}))
	s.slow.Stop()
	go s.run()
	return s
}

// Config returns the configuration c for a game that this saver saves.
func (s *Saver) Config(c game.Config) game.Config {
	// Run is unique to this run of the program. It does not come from getrandom(2), which may wait
	// for entropy for seconds after boot. rand is seeded with bytes that the kernel gives every
	// process without waiting. They are weak just after boot, so the clock is mixed in.
	c.Run = strconv.FormatUint(rand.Uint64()^uint64(time.Now().UnixNano()), 36)
	c.Keeps, c.Last, c.LastLevel = true, s.last, cmp.Or(s.Left.Level, s.against.Level)
	return c
}

// Save saves the match as it is now. Only one goroutine may call Save and Finish.
func (s *Saver) Save(save game.Save) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits == 0 {
		s.slow.Reset(slowTime)
	}
	s.todo.save, s.waits = save, save.ID
	s.work.Signal()
}

// Saved returns a channel with the latest answer to a save.
func (s *Saver) Saved() <-chan game.Saved { return s.saved }

// Finish enters a match into the history.
func (s *Saver) Finish(r match.Record, abandoned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	over := append(s.todo.over, game.Finish{Record: r, Abandoned: abandoned})
	if len(over) > maxLate {
		s.log.Error("too many matches wait for the disk: one is lost", "match", over[0].Record.ID)
		over = slices.Delete(over, 0, 1)
	}
	s.todo.over = over
	s.todo.save.Record = match.Record{} // the save is of the finished match, so it is out of date
	s.waits = 0
	s.slow.Stop()
	s.work.Signal()
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
				s.skipped.Do(func() { s.log.Warn("the history is damaged; lines that are not matches are skipped", "first", err) })
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Dropped counts the matches that the history no longer has.
func (s *Saver) Dropped() match.Totals {
	if s.folder == nil {
		return match.Totals{}
	}
	return dropped(s.folder.disk, s.folder.dir)
}

// Room waits if the event may end a match while manyOver finished matches are waiting for the disk.
// If there is no room within a second, the error is [game.ErrBusy].
func (s *Saver) Room(ctx context.Context, ev game.Event) error {
	switch ev.(type) {
	case game.Start, game.End:
	default:
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, roomTime)
	defer cancel()
	for {
		s.mu.Lock()
		many, room := s.keeping+len(s.todo.over) >= manyOver, s.room
		s.mu.Unlock()
		if !many {
			return nil
		}
		select {
		case <-room:
		case <-ctx.Done():
			return game.ErrBusy
		}
	}
}

// Close waits until everything is saved, for four seconds at most. It reports whether everything
// was saved and the match under way can be resumed. If the disk hangs, Close returns after that
// time, and what is waiting may still be written later.
func (s *Saver) Close() bool {
	s.closing.Do(func() {
		switch {
		case !s.wait(closeTime):
			s.log.Error("the last moves are not saved: the disk does not respond")
		case s.folder != nil:
			s.kept = s.folder.close() == nil && !s.failing && !s.folder.another // run has ended
		}
	})
	return s.kept
}

// wait closes the saver, and reports whether everything was written before patience ran out.
func (s *Saver) wait(patience time.Duration) bool {
	s.mu.Lock()
	s.todo.closed = true
	s.work.Signal()
	s.mu.Unlock()
	select {
	case <-s.done:
		return true
	case <-time.After(patience):
		return false
	}
}

// run is the only goroutine that writes. What comes in is written at once, between any two syncs, so
// that it survives the end of the program as early as possible; it is answered when nothing is left
// to sync. After an error, the next save tries again.
func (s *Saver) run() {
	defer close(s.done)
	f := s.folder
	for id, failed := 0, false; ; {
		idle := (failed || !f.unsure()) && !f.trims()
		t := s.take(idle)
		var err error
		switch {
		case !t.empty():
			id = max(id, t.save.ID)
			err = guard(func() error { return s.write(t) })
		case f.unsure() && !failed:
			err = guard(f.sync)
		case t.closed:
			return
		case f.trims():
			if guard(func() error { f.trim(); return nil }) != nil {
				f.stopTrimming()
			}
			continue
		}
		if failed = err != nil; failed || !f.unsure() {
			s.answer(id, err)
			id = 0
		}
	}
}

// take returns what there is to do. If wait is set, it waits until there is something.
func (s *Saver) take(wait bool) todo {
	s.mu.Lock()
	defer s.mu.Unlock()
	for wait && s.todo.empty() && !s.todo.closed {
		s.work.Wait()
	}
	t := s.todo
	s.todo = todo{closed: t.closed}
	s.keeping += len(t.over)
	return t
}

// write finishes matches, then saves the one under way. If a match begins then or while the others
// enter the history, it is written to its file meanwhile: on a slow disk, a turn cannot wait for both.
func (s *Saver) write(t todo) (err error) {
	f := s.folder
	var ahead sync.WaitGroup
	finished := false
	if f != nil && f.lock != nil && len(t.over) > 0 {
		ahead.Go(func() {
			r := t.save.Record
			s.mu.Lock()
			for r.ID == "" && !finished {
				if r = s.todo.save.Record; r.ID == "" {
					s.work.Wait()
				}
			}
			s.mu.Unlock()
			if r.ID != "" {
				_ = guard(func() error { f.written = f.write(r); return nil }) // save tries again
			}
		})
	}
	for _, o := range t.over {
		if f != nil {
			if e := guard(func() error { return f.finish(o.Record, o.Abandoned) }); e != nil {
				err = e
			}
		}
		s.mu.Lock()
		s.keeping--
		close(s.room)
		s.room = make(chan struct{})
		s.mu.Unlock()
	}
	s.mu.Lock()
	finished = true
	s.work.Signal()
	s.mu.Unlock()
	ahead.Wait()
	if f != nil && t.save.Record.ID != "" {
		if e := f.save(t.save.Record); e != nil {
			err = e
		}
	}
	return err
}

// answer reports the outcome of a save. If id is 0, matches were finished without a save.
func (s *Saver) answer(id int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && !s.failing:
		s.log.Warn("the match is not saved; the game continues", "reason", err)
	case err == nil && s.failing:
		s.log.Info("matches are saved again")
	}
	s.failing = err != nil
	if id == 0 {
		return
	}
	select {
	case <-s.saved: // not received yet
	default:
	}
	s.saved <- game.Saved{ID: id, Failed: err != nil}
	switch s.waits {
	case 0:
	case id:
		s.waits = 0
		s.slow.Stop()
	default:
		s.slow.Reset(slowTime)
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
