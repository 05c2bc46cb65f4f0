package store

import (
	"context"
	"errors"
	"fmt"
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
	// slowTime is how long a save may take before a warning about a slow disk is logged. The game
	// waits no longer than slowTime after a disc has landed.
	slowTime = time.Second

	// atOnce is how many saves are written and synced at the same time. That is enough for one disc
	// per second on a disk that needs a second to write and a second to sync. It is even enough
	// after the start, when the parent folders are synced too.
	atOnce = 8

	// If manyOver finished matches are waiting for the disk, a client that asks to end another
	// match must also wait, for up to roomTime. The HAT's keys never wait, because they cannot end
	// matches that fast. If the disk hangs for long, maxLate limits how many matches wait in
	// memory.
	manyOver = 4
	roomTime = time.Second

	// closeTime is how long the end of the program waits for a disk. A service that takes
	// longer to stop is killed.
	closeTime = 4 * time.Second
)

// Saver saves the matches of a game in a folder. Its calls do not make the game wait for a disk.
// Only the latest state of the running match is saved, but every finished match is. An error is
// logged once, and the game continues. A save does not wait for the one before it.
type Saver struct {
	Left          game.Record // the match to resume, if its ID is not empty
	HeldElsewhere bool        // see [Store.Elsewhere]

	finished  game.Record // the last match of the history, if its ID is not empty
	keeper    keeper
	log       *slog.Logger
	displaces bool        // Displace was called: nothing is saved before the first disc
	displaced game.Record // the match to abandon at that disc, if its ID is not empty
	saved     chan game.Saved
	done      chan struct{} // closed when run has written everything
	closing   sync.Once

	mu       sync.Mutex
	work     *sync.Cond    // signals a change of over, save or closed
	over     []game.Finish // finished matches to write, in order; save takes effect after them
	keeping  int           // number of finished matches that are being written
	room     chan struct{} // closed and replaced whenever keeping decreases
	save     game.Save     // the save to write; without a record, if its match has ended, it is only answered
	last     int           // ID of the last Save; 0 once that is answered or its match is over
	slow     *time.Timer   // runs while last is not 0
	answered int           // ID of the latest save that was answered
	failing  bool          // the last write failed
	closed   bool          // Close was called, so no more saves will follow
	kept     bool          // Close has saved everything
}

// keeper is a [Store] or a replacement for one.
type keeper interface {
	Begin(r game.Record, after <-chan struct{}) (end func() error)
	Sync() error
	Finish(r game.Record, abandoned bool) error
	Matches(last int) iter.Seq[match.Finished]
	Dropped() match.Totals
	Elsewhere() bool
	Close() error
}

type nowhere struct{}

func (nowhere) Begin(game.Record, <-chan struct{}) func() error { return func() error { return nil } }
func (nowhere) Sync() error                                     { return nil }
func (nowhere) Finish(game.Record, bool) error                  { return nil }
func (nowhere) Matches(int) iter.Seq[match.Finished]            { return func(func(match.Finished) bool) {} }
func (nowhere) Dropped() match.Totals                           { return match.Totals{} }
func (nowhere) Elsewhere() bool                                 { return false }
func (nowhere) Close() error                                    { return errors.ErrUnsupported }

// OpenSaver opens a folder as [Open] does, but waits for a disk only until the context is done; the
// error is then the context's cause. If dir is empty, nothing is saved.
func OpenSaver(ctx context.Context, dir string, log *slog.Logger) (*Saver, error) {
	if dir == "" {
		return newSaver(nowhere{}, log), nil
	}
	return openSaver(ctx, func() (*Store, error) { return Open(dir, log) }, log)
}

func openSaver(ctx context.Context, open func() (*Store, error), log *slog.Logger) (*Saver, error) {
	var store *Store
	var last game.Record
	err := within(ctx, func() (err error) {
		if store, err = open(); err != nil {
			return fmt.Errorf("%w; --state names another folder", err)
		}
		for e := range store.Matches(1) {
			last = e.Record
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := newSaver(store, log)
	s.Left, _ = store.Running()
	s.HeldElsewhere, s.finished = store.Elsewhere(), last
	return s, nil
}

// Config returns the configuration c for a game that this saver saves.
func (s *Saver) Config(c game.Config) game.Config {
	// Run is unique to this run of the program. It does not come from getrandom(2), which may wait
	// for entropy for seconds after boot. rand is seeded with bytes that the kernel gives every
	// process without waiting. They are weak just after boot, so the clock is mixed in.
	c.Run = strconv.FormatUint(rand.Uint64()^uint64(time.Now().UnixNano()), 36)
	c.Keeps, c.Last = true, s.finished
	return c
}

func newSaver(k keeper, log *slog.Logger) *Saver {
	s := &Saver{
		keeper: k, log: log,
		saved: make(chan game.Saved, 1), done: make(chan struct{}), room: make(chan struct{}),
	}
	s.work = sync.NewCond(&s.mu)
	s.slow = time.AfterFunc(slowTime, sync.OnceFunc(func() {
		log.Warn("the disk is slow: saving a disc takes more than a second; the game continues", "waited", slowTime)
	}))
	s.slow.Stop()
	go s.run()
	return s
}

// Displace makes a new match replace the saved one, which is then not resumed. The saved match is
// abandoned only once the new match has its first disc.
func (s *Saver) Displace() {
	s.displaces, s.displaced, s.Left = true, s.Left, game.Record{}
}

// GaveUp reports whether the displaced match was abandoned, because the new one has a disc.
func (s *Saver) GaveUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.displaces && s.displaced.ID == ""
}

// Save saves the match as it is now. Only one goroutine may call Save and Finish.
func (s *Saver) Save(save game.Save) {
	if s.displaces && !save.Record.Begun() {
		return // there is no disc yet, so no turn waits for this save
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.displaced.ID != "" { // the end of the displaced match and this save are written at the same time
		s.finish(game.Finish{Record: s.displaced, Abandoned: true})
		s.displaced = game.Record{}
	}
	if s.last == 0 {
		s.slow.Reset(slowTime)
	}
	s.save, s.last = save, save.ID
	s.work.Signal()
}

// Saved returns a channel with the latest answer to a save.
func (s *Saver) Saved() <-chan game.Saved { return s.saved }

func (s *Saver) Finish(r game.Record, abandoned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish(game.Finish{Record: r, Abandoned: abandoned})
}

// finish is Finish for a caller that has locked mu.
func (s *Saver) finish(f game.Finish) {
	s.over = append(s.over, f)
	if len(s.over) > maxLate {
		s.log.Error("too many matches wait for the disk: one is lost", "match", s.over[0].Record.ID)
		s.over = slices.Delete(s.over, 0, 1)
	}
	s.save.Record = game.Record{} // the save is of the finished match, so it is out of date
	s.last = 0
	s.slow.Stop()
	s.work.Signal()
}

// Matches yields the last matches of the history, the oldest first; if last is 0, it yields all of
// them.
func (s *Saver) Matches(last int) iter.Seq[match.Finished] { return s.keeper.Matches(last) }

// Dropped counts the matches that the history no longer has.
func (s *Saver) Dropped() match.Totals { return s.keeper.Dropped() }

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
		many, room := s.keeping+len(s.over) >= manyOver, s.room
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
		if s.wait(closeTime) {
			s.kept = s.keeper.Close() == nil && !s.failing && !s.keeper.Elsewhere() // run has ended
		} else {
			s.log.Error("the last moves are not saved: the disk does not respond")
		}
	})
	return s.kept
}

// wait closes the saver, and reports whether everything was written before patience ran out.
func (s *Saver) wait(patience time.Duration) bool {
	s.mu.Lock()
	s.closed = true
	s.work.Signal()
	s.mu.Unlock()
	select {
	case <-s.done:
		return true
	case <-time.After(patience):
		return false
	}
}

// ending is a group of finished matches that are being entered into the history, one by one.
type ending struct {
	done chan struct{}
	err  error // valid once done is closed
}

// run writes what has accumulated whenever fewer than atOnce saves are under way. Matches are
// finished in order. Saves that come after them are written at the same time, and take effect once
// those matches are finished.
func (s *Saver) run() {
	defer close(s.done)
	var writing sync.WaitGroup
	defer writing.Wait()
	writing.Go(func() { _ = guard(s.keeper.Sync) }) // what an earlier program left unsynced; a save would report the same error
	places := make(chan struct{}, atOnce)
	ended := &ending{done: make(chan struct{})}
	close(ended.done)
	before := ended
	for {
		places <- struct{}{}
		over, save := s.take()
		if over == nil && save.ID == 0 {
			return
		}
		select {
		case <-before.done:
			before = ended // the next save retries what failed
		default:
		}
		if over != nil {
			before = s.finishAll(&writing, before, over)
		}
		end := func() error { return nil }
		if save.Record.ID != "" {
			if err := guard(func() error { end = s.keeper.Begin(save.Record, before.done); return nil }); err != nil {
				end = func() error { return err }
			}
		}
		after := before
		writing.Go(func() {
			err := guard(end)
			<-after.done
			if after.err != nil {
				err = after.err
			}
			if err == nil {
				err = guard(s.keeper.Sync)
			}
			s.answer(save.ID, err)
			<-places
		})
	}
}

// take waits for something to write, and returns it. Once the saver is closed and nothing is left,
// it returns nothing.
func (s *Saver) take() (over []game.Finish, save game.Save) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.over == nil && s.save.ID == 0 && !s.closed {
		s.work.Wait()
	}
	over, save = s.over, s.save
	s.over, s.save = nil, game.Save{}
	s.keeping += len(over)
	return over, save
}

// finishAll finishes matches in the background, after those of the group before.
func (s *Saver) finishAll(writing *sync.WaitGroup, before *ending, over []game.Finish) *ending {
	e := &ending{done: make(chan struct{})}
	writing.Go(func() {
		<-before.done
		for _, f := range over {
			if err := guard(func() error { return s.keeper.Finish(f.Record, f.Abandoned) }); err != nil {
				e.err = err
			}
			s.mu.Lock()
			s.keeping--
			close(s.room)
			s.room = make(chan struct{})
			s.mu.Unlock()
		}
		close(e.done)
	})
	return e
}

// answer reports the outcome of a save, unless a later save has been answered. If id is 0, matches
// were finished without a save.
func (s *Saver) answer(id int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id > 0 && id < s.answered {
		return
	}
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
	s.answered = id
	select {
	case <-s.saved: // not received yet
	default:
	}
	s.saved <- game.Saved{ID: id, Failed: err != nil}
	switch s.last {
	case 0:
	case id:
		s.last = 0
		s.slow.Stop()
	default:
		s.slow.Reset(slowTime)
	}
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
