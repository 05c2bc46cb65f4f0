package loop

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

var alone = game.Config{Rules: board.Standard, Points: 1, Computer: board.Yellow, Level: 2}

// against runs a match against a computer in a bubble.
func against(t *testing.T, o Options, c game.Config, test func(f *fake)) error {
	t.Helper()
	s, err := game.New(c, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	f := newFake()
	o.Panels = []Panel{f}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := Run(ctx, s, o)
		ended <- err
	}()
	synctest.Wait()
	test(f)
	cancel()
	return <-ended
}

// The computer is asked once a turn, plays what it answers, and the match goes to
// its end.
func TestComputerPlays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		think := func(_ context.Context, q game.Think) (int, error) {
			asked++
			if position := q.Game.Position(); q.Level != 2 || position.Turn() != board.Yellow {
				t.Errorf("asked for level %d, %v to move", q.Level, position.Turn())
			}
			return 6, nil
		}
		_ = against(t, Options{Think: think}, alone, func(f *fake) {
			for range 4 {
				f.press(game.Column{Col: 0})
				sleep(2 * time.Second)
			}
			if v := f.last(); v.Phase != game.Score || v.Match.Points(board.Red) != 1 || asked != 3 {
				t.Errorf("%v after %v, asked %d times", v.Phase, v.Game, asked)
			}
		})
	})
}

// One that has no answer plays on, and somebody is told.
func TestComputerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, think := range []Thinker{nil, func(context.Context, game.Think) (int, error) { return 0, errors.New("no idea") }} {
			var failed error
			_ = against(t, Options{Think: think, Failed: func(err error) { failed = err }}, alone, func(f *fake) {
				f.press(game.Column{Col: 0})
				sleep(3 * time.Second)
				if v := f.last(); v.Phase != game.Aim || len(v.Game.String()) != 2 {
					t.Errorf("%v after %v", v.Phase, v.Game)
				}
			})
			if failed == nil {
				t.Error("nobody was told")
			}
		}
	})
}

// Thinking stops with the pause, and when the match is left.
func TestThinkingStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		thinking := 0
		think := func(ctx context.Context, _ game.Think) (int, error) {
			thinking++
			<-ctx.Done()
			thinking--
			return 0, ctx.Err()
		}
		err := against(t, Options{Think: think}, alone, func(f *fake) {
			f.press(game.Column{Col: 0})
			sleep(time.Second)
			if thinking != 1 {
				t.Errorf("%d at it, want 1", thinking)
			}
			f.press(game.Pause)
			if thinking != 0 || f.last().Phase != game.Paused {
				t.Errorf("%d at it in %v, want none", thinking, f.last().Phase)
			}
			f.press(game.Pause)
			if thinking != 1 {
				t.Errorf("%d at it again, want 1", thinking)
			}
			f.press(game.Quit{})
			if thinking != 0 {
				t.Errorf("%d at it in the end, want none", thinking)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// After a match the memory can go.
func TestRestAfterAMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rested := 0
		c := alone
		c.Forever, c.Opening = true, "121212"
		_ = against(t, Options{Rest: func() { rested++ }}, c, func(f *fake) {
			f.press(game.Column{Col: 0})
			sleep(3 * time.Second)
			if rested != 0 {
				t.Error("too early")
			}
			sleep(5 * time.Second)
			if rested != 1 || f.last().Phase != game.Menu {
				t.Errorf("rested %d times, in %v", rested, f.last().Phase)
			}
		})
	})
}
