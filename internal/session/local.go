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

// Options configure a [Local].
type Options struct {
	Computer Computer // nil: there are no hints, and the computer plays at random
	Keeper   Keeper   // nil: matches are not saved

	// Instant lets no time pass between two events that wait only for time: a disc falls at once,
	// and the computer does not hesitate. But no time passes before the last view has been read. Views
	// have no frames: the steps of a falling disc are no views.
	Instant bool

	// Failed is called with errors that do not stop the game. It may be nil.
	Failed func(error)
}

// Keeper saves matches, without making the game wait for a disk.
type Keeper interface {
	Save(game.Save)
	Finish(game.Record)

	// Saved returns a channel with the latest answer to a save. If the channel is nil in a game
	// that keeps matches, each disc takes a second longer.
	Saved() <-chan game.Saved
}

// Computer answers the game's questions, one at a time.
type Computer interface {
	// Answer returns the answer to a question, or an error if the context is done first. Events
	// that it passes to send reach the game before the answer does.
	Answer(ctx context.Context, q game.Question, send func(game.Event)) (game.Answered, error)

	// Rest releases memory when a match is over.
	Rest()
}

// Local is a game in this process. [Local.Run] runs it; its sessions are made with [Local.As].
type Local struct {
	Options
	begun   chan struct{} // closed when Run has begun
	ended   chan struct{} // closed when the game has ended
	work    chan func()   // what the computer does next
	holders atomic.Uint64

	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer // rings when time alone changes the game

	mu     sync.Mutex // guards the fields below
	state  *game.Game
	over   bool               // the game has ended
	err    error              // why
	view   game.View          // the last view, with its number, which is 0 before the first view
	newer  chan struct{}      // closed when there is a newer view
	rings  time.Time          // when the timer rings; zero: never
	at     time.Time          // the time of an instant clock
	shown  uint64             // the number of the last view that somebody has read, on an instant clock
	saving int                // ID of the save that an instant clock waits for; 0: none
	asked  int                // ID of the question that has not been answered or cancelled; 0: none
	unask  context.CancelFunc // cancels the last question
}

// latest returns the last view, and a channel that is closed when there is a newer one.
func (l *Local) latest() (game.View, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.view, l.newer
}

// New returns a game that does not run yet. Who uses its sessions waits until it runs.
func New(s *game.Game, o Options) *Local {
	return &Local{
		Options: o, begun: make(chan struct{}), ended: make(chan struct{}), work: make(chan func(), 1), timer: time.NewTimer(0),
		state: s, at: time.Unix(0, 0), unask: func() {}, newer: make(chan struct{}),
	}
}

// Run plays the game, with panels attached, until it stops, a panel fails, its user quits or the context is done.
// If the game stops by itself, the panels have shown its last view. Run returns the last state of the game, and
// the panel's error or the context's cause, but not [ErrLeft]. If the game, the computer or a panel panics, the
// error is a [*Fault], so that the caller can still close the panels.
func (l *Local) Run(ctx context.Context, panels ...Panel) (*game.Game, error) {
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	defer l.cancel(nil)
	var attached sync.WaitGroup
	for i, p := range panels {
		attached.Go(func() {
			if _, err := Attach(l.ctx, l.As(game.Source{Kind: game.Panel, ID: uint64(i)}), p, Terms{}); err != nil {
				l.cancel(err)
			}
		})
	}
	go func() { l.cancel(Guard(l.compute)) }() // it ends with l.ctx, or by a panic
	close(l.begun)
	l.loop()
	if l.err != nil {
		l.cancel(l.err)
	}
	attached.Wait()
	err := cmp.Or(l.err, context.Cause(l.ctx))
	if errors.Is(err, ErrLeft) {
		err = nil
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

// As returns a session whose events have a source.
func (l *Local) As(from game.Source) Session { return local{l, from} }

// local is a session of a [Local].
type local struct {
	game *Local
	from game.Source
}

func (s local) Do(ctx context.Context, ev game.Event) (game.View, error) {
	return s.game.do(ctx, input{event: ev, from: s.from})
}

func (s local) Views(ctx context.Context) iter.Seq2[game.View, error] {
	l, begin := s.game, input{event: game.Tick{}, from: s.from}
	if s.from.Kind == game.Holder {
		begin.event = game.Present{}
	}
	_, err := l.do(ctx, begin)
	return func(yield func(game.View, error) bool) {
		if s.from.Kind == game.Holder {
			defer func() { _, _ = s.Do(context.WithoutCancel(ctx), game.Absent{}) }()
		}
		if err != nil && !errors.Is(err, ErrEnded) {
			yield(game.View{}, cmp.Or(context.Cause(ctx), err))
			return
		}
		for last, ends := uint64(0), false; ; {
			v, newer := l.latest()
			if v.Number > last && !yield(v, nil) {
				return
			}
			if ends {
				break
			}
			if last = v.Number; l.Instant {
				_, _ = l.do(ctx, input{event: game.Tick{}, shown: last})
			}
			select {
			case <-newer:
			case <-ctx.Done():
				ends = true
			case <-l.ended:
				ends = true
			}
		}
		end := context.Cause(ctx)
		select {
		case <-l.ended:
			end = l.err
		default:
		}
		if end != nil {
			yield(game.View{}, end)
		}
	}
}

func (s local) Take(ctx context.Context, ev game.Take) (Session, error) {
	holder := local{s.game, game.Source{Kind: game.Holder, ID: 1<<63 | s.game.holders.Add(1)}} // never the source of a token of the socket
	_, err := holder.Do(ctx, ev)
	return holder, err
}
