package loop

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// Keeper keeps matches for good. It may take its time over it.
type Keeper interface {
	// Begin begins to keep the match that is being played as it is now; when what it
	// gives returns nil that is done, whatever becomes of the program, and after Sync
	// whatever becomes of the power. Both may be called beside the other methods. Of
	// matches being kept at a time the last that was begun stays. It takes the place of
	// what was kept once after is closed.
	Begin(r game.Record, after <-chan struct{}) (end func() error)
	Sync() error
	// Finish enters a match among those that are over.
	Finish(r game.Record, abandoned bool) error
}

const (
	// slowTime is after how long without an answer a disk is called slow: a game waits
	// for it no longer than that after a disc has landed.
	slowTime = time.Second

	// manyOver is how many matches that are over may wait for the disk before whoever
	// would add to them waits too, and roomTime how long he does. Nobody waits at the
	// HAT, where no key ends a match as quickly as a program can; mostOver is for one
	// that presses these keys all day, beside a disk that hangs.
	manyOver = 4
	mostOver = 1000
	roomTime = time.Second
)

// Saver keeps matches without the game having to wait for a disk. Of the match
// being played only the latest is kept; matches that are over are never skipped.
// What cannot be kept is logged once, and play goes on.
//
// A save does not wait for the one before, nor for the folder to be synced after that: on
// a disk that takes its time over each, the next disc is there as soon.
type Saver struct {
	keeper  Keeper
	log     *slog.Logger
	wake    chan struct{} // there is something to do
	written chan outcome  // the latest
	saved   chan int      // the latest
	done    chan struct{} // everything is done, and nothing more will be

	mu      sync.Mutex
	over    []game.Finish // in their order, all of them older than save
	keeping int           // more of them are with the keeper
	room    chan struct{} // closed when there are fewer
	save    *game.Save
	last    int         // ID of the last Save; 0 when it is answered, or its match over
	slow    *time.Timer // runs until then
	wrote   int         // ID of the last save that was written
	closed  bool
}

// atOnce is how many saves are written at a time.
const atOnce = 2

// outcome is what came of the writing until a save.
type outcome struct {
	id  int
	err error
}

// NewSaver begins to keep matches; Close ends it.
func NewSaver(k Keeper, log *slog.Logger) *Saver {
	s := &Saver{
		keeper: k, log: log,
		wake: make(chan struct{}, 1), written: make(chan outcome, 1), saved: make(chan int, 1),
		done: make(chan struct{}), room: make(chan struct{}),
	}
	said := sync.OnceFunc(func() {
		log.Warn("the disk is slow: a disc is not on it within a second; play goes on", "waited", slowTime)
	})
	s.slow = time.AfterFunc(slowTime, said)
	s.slow.Stop()
	s.written <- outcome{} // what another run has left to sync: later somebody may wait for it
	go s.run()
	go s.sync()
	return s
}

// Save has the match kept as it is now.
func (s *Saver) Save(save game.Save) {
	s.add(func() {
		if s.last == 0 {
			s.slow.Reset(slowTime)
		}
		s.save, s.last = &save, save.ID
	})
}

// Saved gives the ID of the last save that is answered: the match is on the disk, or
// cannot be written.
func (s *Saver) Saved() <-chan int { return s.saved }

// Finish has a match entered among those that are over.
func (s *Saver) Finish(r game.Record, abandoned bool) {
	s.add(func() {
		s.over = append(s.over, game.Finish{Record: r, Abandoned: abandoned})
		if len(s.over) > mostOver {
			s.log.Error("too many matches wait for the disk: one is lost", "match", s.over[0].Record.ID)
			s.over = append(s.over[:0], s.over[1:]...)
		}
		s.save, s.last = nil, 0 // of the same match, and so out of date
		s.slow.Stop()
	})
}

// Room waits until few enough matches wait for the disk that one more may be ended, and
// not for long: then it is [game.ErrBusy].
func (s *Saver) Room(ctx context.Context) error {
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

// run writes.
func (s *Saver) run() {
	defer close(s.written)
	var writing sync.WaitGroup
	defer writing.Wait()
	places := make(chan struct{}, atOnce)
	for range s.wake {
		places <- struct{}{}
		s.mu.Lock()
		over, save, closed := s.over, s.save, s.closed
		s.over, s.keeping, s.save = nil, len(over), nil
		s.mu.Unlock()
		var err error
		finished := make(chan struct{}) // the matches before the one that is saved
		if save != nil {
			var end func() error
			if e := Guard(func() error { end = s.keeper.Begin(save.Record, finished); return nil }); e != nil {
				end = func() error { return e }
			}
			writing.Go(func() {
				e := Guard(end)
				<-finished
				if e != nil {
					err = e
				}
				<-places
				s.tell(save.ID, err)
			})
		}
		for _, f := range over {
			if e := Guard(func() error { return s.keeper.Finish(f.Record, f.Abandoned) }); e != nil {
				err = e
			}
			s.mu.Lock()
			s.keeping--
			close(s.room)
			s.room = make(chan struct{})
			s.mu.Unlock()
		}
		if save == nil {
			<-places
			if over != nil {
				s.tell(0, err)
			}
		}
		close(finished)
		if closed {
			return
		}
	}
}

// tell tells sync what was written, unless a later save was already; 0 is no save.
func (s *Saver) tell(id int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == 0 || id >= s.wrote {
		s.wrote = max(s.wrote, id)
		replace(s.written, outcome{s.wrote, err})
	}
}

// sync syncs what was written, and answers.
func (s *Saver) sync() {
	defer close(s.done)
	failing := false
	for o := range s.written {
		if o.err == nil {
			o.err = Guard(s.keeper.Sync)
		}
		switch {
		case o.err != nil && !failing:
			s.log.Warn("the match is not kept; play goes on", "reason", o.err)
		case o.err == nil && failing:
			s.log.Info("matches are kept again")
		}
		failing = o.err != nil
		if o.id > 0 {
			replace(s.saved, o.id)
		}
		s.mu.Lock()
		switch s.last {
		case 0:
		case o.id:
			s.last = 0
			s.slow.Stop()
		default:
			s.slow.Reset(slowTime)
		}
		s.mu.Unlock()
	}
}

// replace puts a value in the place of one that nobody has taken yet. The channel has
// room for one, and one who sends at a time.
func replace[T any](c chan T, v T) {
	select {
	case <-c:
	default:
	}
	c <- v
}
