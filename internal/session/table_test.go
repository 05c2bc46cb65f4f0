package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
)

var must = try.Must

var (
	match = game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}}
	alone = game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1, Computer: board.Yellow, Level: 2}}
)

// fake is a panel that can also fail.
type fake struct {
	*gametest.Panel
	show func(game.View) error
	next func() (game.Event, error)
}

func newFake() *fake { return &fake{Panel: gametest.NewPanel()} }

func (f *fake) Show(v game.View) error {
	_ = f.Panel.Show(v) // never fails
	if f.show != nil {
		return f.show(v)
	}
	return nil
}

func (f *fake) Next(ctx context.Context) (game.Event, error) {
	if f.next != nil {
		return f.next()
	}
	return f.Panel.Next(ctx)
}

// do does steps: columns and keys are pressed, and a duration passes.
func (f *fake) do(steps string) {
	keys := map[string]game.Event{
		"left": game.Press{Key: game.Left}, "up": game.Press{Key: game.Up}, "down": game.Press{Key: game.Down},
		"middle": game.Press{Key: game.Middle}, "held": game.Press{Key: game.Middle, Action: game.Held},
		"hint": game.Hint, "look": game.OpenLook, "back": game.Back, "undo": game.Undo, "pause": game.Pause, "q": game.Quit{}, "ctrl-c": game.Quit{Interrupted: true},
	}
	for _, step := range strings.Fields(steps) {
		if d, err := time.ParseDuration(step); err == nil {
			sleep(d)
		} else if ev, ok := keys[step]; ok {
			f.Press(ev)
		} else {
			f.Press(game.Column{Col: int(step[0] - '1')})
		}
	}
}

// now is the phase on the panel, and the moves of the round.
func (f *fake) now() string {
	v := f.Last()
	return strings.TrimSpace(fmt.Sprint(v.Phase, " ", v.Game))
}

// table is a running game with a panel.
type table struct {
	*fake
	*testing.T
	game    *Local
	me      Session // a client's
	cancel  context.CancelCauseFunc
	running context.Context // done when the game has ended
}

// play runs a game and a test in a synctest bubble, and returns the results of Run. On an instant clock
// nobody watches until the test attaches a panel.
func play(t *testing.T, c game.Config, o Options, test func(t *table), more ...*fake) (end *game.Game, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, bad := game.New(c, time.Now())
		must(t, bad)
		ctx, cancel := context.WithCancelCause(t.Context())
		g := &table{newFake(), t, New(s, o), nil, cancel, nil}
		g.me = g.game.As(game.Source{Kind: game.Client, ID: 1})
		var panels []Panel
		if !o.Instant {
			panels = append(panels, g.fake)
		}
		for _, f := range more {
			f.Panel = gametest.NewPanel() // of this bubble
			panels = append(panels, f)
		}
		var stop func() (*game.Game, error)
		g.running, stop = g.game.Start(ctx, panels...)
		synctest.Wait()
		test(g)
		end, err = stop()
		sleep(2 * time.Hour) // for panels that are stuck
	})
	return end, err
}

// shows checks what the panel shows.
func (t *table) shows(want string) {
	t.Helper()
	if got := t.now(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// attach attaches a panel to a session, and returns a function that waits for what Attach returns.
func (t *table) attach(ctx context.Context, s Session, terms Terms) (f *fake, wait func() (game.View, error)) {
	var last game.View
	ended := make(chan error, 1)
	f = newFake()
	go func() {
		var err error
		last, err = Attach(ctx, s, f, terms)
		ended <- err
	}()
	synctest.Wait()
	return f, func() (game.View, error) { err := <-ended; return last, err }
}

// sleep lets time pass, and waits until everything that is due by then has happened.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// answers is a Computer whose answers come from functions.
type answers struct {
	advise func(context.Context, board.Game) (game.Advice, error)
	think  func(context.Context, game.Question) (int, error)
	review func(context.Context, game.Question, func(int, game.Verdict)) error
	rest   func()
}

func (a answers) Answer(ctx context.Context, q game.Question, send func(game.Event)) (game.Answered, error) {
	answer, err := game.Answered{ID: q.ID}, errors.ErrUnsupported
	switch {
	case q.Kind == game.Advise:
		answer.Advice, err = a.advise(ctx, q.Game)
	case q.Kind == game.Think && a.think != nil:
		answer.Col, err = a.think(ctx, q)
	case q.Kind == game.Review:
		err = a.review(ctx, q, func(ply int, v game.Verdict) {
			send(game.Answered{ID: q.ID, More: true, Ply: ply, Verdict: v})
		})
	}
	return answer, err
}

func (a answers) Rest() {
	if a.rest != nil {
		a.rest()
	}
}

// disk is a Keeper that answers after a time.
type disk struct {
	slow  time.Duration
	saved chan game.Saved
}

func (d *disk) Save(s game.Save) {
	time.AfterFunc(d.slow, func() { d.saved <- game.Saved{ID: s.ID} })
}
func (d *disk) Finish(game.Record) {}
func (d *disk) Saved() <-chan game.Saved {
	d.saved = make(chan game.Saved, 9) // in the bubble
	return d.saved
}
