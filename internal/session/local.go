package session

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// restTimeout is how long Run waits at its end for the computer and for panels. A terminal that accepts no
// more output must not keep the program alive.
const restTimeout = 50 * time.Millisecond

// Options configure a [Local].
type Options struct {
	Computer Computer // nil: there are no hints, and the computer plays at random
	Keeper   Keeper   // nil: matches are not saved

	// Instant lets no time pass between two events that wait only for time: a disc falls at once,
	// and the computer does not hesitate. No reader of views misses one.
	Instant bool

	// Failed is called with errors that do not stop the game. It may be nil.
	Failed func(error)

	// Ready is called once, after the first view can be read. The loop's own goroutine
	// calls Alive at least once in each period of Every, so that a watchdog hears only from a loop
	// that is running. Ready and Alive may be nil.
	Ready func()
	Alive func()
	Every time.Duration
}

// Keeper saves matches, without making the game wait for a disk.
type Keeper interface {
	Save(game.Save)
	Finish(r game.Record, abandoned bool)

	// Saved returns a channel with the latest answer to a save. If the channel is nil in a game
	// that keeps matches, each disc takes a second longer.
	Saved() <-chan game.Saved
}

// Local is a game in this process. [Local.Run] runs it; its sessions are made with [Local.As].
type Local struct {
	Options
	readers *readers
	inputs  chan input
	done    chan struct{} // closed when the loop has ended
	busy    chan struct{} // holds an element while the computer works
	holders atomic.Uint64
	wg      sync.WaitGroup

	// Only the loop's goroutine uses these.
	ctx    context.Context
	cancel context.CancelCauseFunc
	state  *game.Game
	saving int                // ID of the last save
	disk   time.Time          // until when an instant clock waits for it
	open   bool               // the last question to the computer has not been answered or cancelled
	unask  context.CancelFunc // cancels that question
}

// New returns a game that does not run yet. Sessions and their views may be opened before it runs.
func New(s *game.Game, o Options) *Local {
	return &Local{
		Options: o, state: s, readers: newReaders(), inputs: make(chan input), done: make(chan struct{}),
		busy: make(chan struct{}, 1), unask: func() {},
	}
}

// Run plays the game, with panels attached, until it stops, a panel fails or the context is done. The error
// is the panel's or the context's cause. Run returns the last state of the game. If the game, the
// computer or a panel panics, the error is a [*Fault], so that the caller can still close the panels.
func (l *Local) Run(ctx context.Context, panels ...Panel) (*game.Game, error) {
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	for i, p := range panels {
		l.start(func() error {
			_, err := Attach(ctx, l.As(game.Source{Kind: game.Panel, ID: uint64(i)}), p, Terms{})
			return err
		})
	}
	err := Guard(l.loop)
	close(l.done)
	l.readers.end(err)
	if errors.Is(err, ErrLeft) {
		err = nil
	}
	l.cancel(nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.wg.Wait()
	}()
	select {
	case <-done:
	case <-time.After(restTimeout):
	}
	return l.state, err
}

// Start runs the game in the background. The context is done when the game has ended. stop ends the
// game, if it has not ended, and returns what Run returns.
func (l *Local) Start(ctx context.Context, panels ...Panel) (running context.Context, stop func() (*game.Game, error)) {
	running, cancel := context.WithCancelCause(ctx)
	var s *game.Game
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s, err = l.Run(running, panels...)
		cancel(ErrEnded)
	}()
	return running, func() (*game.Game, error) {
		cancel(ErrLeft)
		<-ended
		return s, err
	}
}

// Play runs the game with a panel attached until the game ends, the panel fails or its user quits. In
// a game with an instant clock the panel has shown every view when Play returns.
func (l *Local) Play(ctx context.Context, p Panel) (*game.Game, error) {
	_, stop := l.Start(ctx)
	_, err := Attach(ctx, l.As(game.Source{ID: 1}), p, Terms{})
	s, ended := stop()
	if errors.Is(err, ErrLeft) {
		err = nil
	}
	return s, cmp.Or(err, ended)
}

// start runs f in a goroutine. An error or a panic of f ends the loop.
func (l *Local) start(f func() error) {
	cancel := l.cancel
	l.wg.Go(func() {
		if err := Guard(f); err != nil {
			cancel(err)
		}
	})
}

// put hands an input to the loop. Errors are ErrEnded and the context's.
func (l *Local) put(ctx context.Context, in input) error {
	select {
	case l.inputs <- in:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.done:
		return ErrEnded
	}
}

// Do passes an event from a source to the game, as [Session.Do] does. The view is that after the
// event, also if the event is refused.
func (l *Local) Do(ctx context.Context, ev game.Event, from game.Source) (game.View, error) {
	answered := make(chan answer, 1)
	if err := l.put(ctx, input{event: ev, from: from, answer: answered}); err != nil {
		return game.View{}, err
	}
	select {
	case a := <-answered:
		return a.view, a.err
	case <-ctx.Done():
		return game.View{}, ctx.Err()
	case <-l.done: // the loop may have answered before it ended
		select {
		case a := <-answered:
			return a.view, a.err
		default:
			return game.View{}, ErrEnded
		}
	}
}

// As returns a session whose events have a source.
func (l *Local) As(from game.Source) Session { return local{l, from} }

// local is a session of a [Local].
type local struct {
	game *Local
	from game.Source
}

func (s local) Do(ctx context.Context, ev game.Event) (game.View, error) {
	return s.game.Do(ctx, ev, s.from)
}

func (s local) Views(ctx context.Context) iter.Seq2[game.View, error] {
	if s.from.Kind != game.Holder {
		return s.game.watch(ctx)
	}
	return func(yield func(game.View, error) bool) {
		_, err := s.Do(ctx, game.Present{})
		if errors.Is(err, ErrEnded) {
			err = nil
		}
		if err != nil {
			yield(game.View{}, err)
			return
		}
		defer func() { _, _ = s.game.Do(context.WithoutCancel(ctx), game.Absent{}, s.from) }()
		// An instant clock waits for those who have joined, so Present comes first.
		s.game.watch(ctx)(yield)
	}
}

// watch adds a reader. It wakes an instant clock, which stands still while nobody watches.
func (l *Local) watch(ctx context.Context) iter.Seq2[game.View, error] {
	r := l.readers.join(ctx)
	if l.Instant {
		go l.put(ctx, input{event: game.Tick{}})
	}
	return l.readers.read(ctx, r)
}

func (s local) Take(ctx context.Context, ev game.Take) (Session, error) {
	holder := local{s.game, game.Source{Kind: game.Holder, ID: 1<<63 | s.game.holders.Add(1)}} // never the source of a token of the socket
	_, err := holder.Do(ctx, ev)
	return holder, err
}
