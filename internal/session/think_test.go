package session

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

var alone = game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1, Computer: board.Yellow, Level: 2}}

// answers is a Computer whose answers come from functions.
type answers struct {
	advise func(context.Context, board.Game) (game.Advice, error)
	think  func(context.Context, game.Think) (int, error)
	review func(context.Context, game.Review, func(int, game.Verdict)) error
	rest   func()
}

func (a answers) Answer(ctx context.Context, q game.Question, send func(game.Event)) (game.Event, error) {
	switch q := q.(type) {
	case game.Advise:
		advice, err := a.advise(ctx, q.Game)
		return game.Advised{ID: q.ID, Advice: advice}, err
	case game.Think:
		if a.think != nil {
			col, err := a.think(ctx, q)
			return game.Chosen{ID: q.ID, Col: col}, err
		}
	case game.Review:
		return q.Done(), a.review(ctx, q, func(ply int, v game.Verdict) {
			send(game.Judged{ID: q.ID, Ply: ply, Verdict: v})
		})
	}
	return nil, errors.ErrUnsupported
}

func (a answers) Rest() {
	if a.rest != nil {
		a.rest()
	}
}

// against runs a match against the computer in a synctest bubble.
func against(t *testing.T, o Options, c game.Config, test func(f *fake)) error {
	t.Helper()
	f := newFake()
	_, end := running(t, c, o, f)
	test(f)
	return end()
}

// The computer is asked once per turn and plays its answer, until the match is over.
func TestComputerPlays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		think := func(_ context.Context, q game.Think) (int, error) {
			asked.Add(1)
			if position := q.Game.Position(); q.Level != 2 || position.Turn() != board.Yellow {
				t.Errorf("asked for level %d, %v to move", q.Level, position.Turn())
			}
			return 6, nil
		}
		_ = against(t, Options{Computer: answers{think: think}}, alone, func(f *fake) {
			for range 4 {
				f.Press(game.Column{Col: 0})
				sleep(2 * time.Second)
			}
			if v := f.Last(); v.Phase != game.Score || v.Match.Points(board.Red) != 1 || asked.Load() != 3 {
				t.Errorf("%v after %v, asked %d times", v.Phase, v.Game, asked.Load())
			}
		})
	})
}

// If a question gets no answer, the computer plays at random, and the error is reported.
func TestComputerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stumped := answers{think: func(context.Context, game.Think) (int, error) { return 0, errors.New("no idea") }}
		for _, computer := range []Computer{nil, stumped} {
			var failed atomic.Bool
			_ = against(t, Options{Computer: computer, Failed: func(error) { failed.Store(true) }}, alone, func(f *fake) {
				f.Press(game.Column{Col: 0})
				sleep(3 * time.Second)
				if v := f.Last(); v.Phase != game.Aim || len(v.Game.String()) != 2 {
					t.Errorf("%v after %v", v.Phase, v.Game)
				}
			})
			if !failed.Load() {
				t.Error("no error was reported")
			}
		}
	})
}

// Thinking stops on the pause screen and when the match ends. That is not reported as a failure.
func TestThinkingStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var thinking atomic.Int32
		think := func(ctx context.Context, _ game.Think) (int, error) {
			thinking.Add(1)
			<-ctx.Done()
			thinking.Add(-1)
			return 0, ctx.Err()
		}
		failed := func(err error) { t.Errorf("reported: %v", err) }
		err := against(t, Options{Computer: answers{think: think}, Failed: failed}, alone, func(f *fake) {
			f.Press(game.Column{Col: 0})
			sleep(time.Second)
			if thinking.Load() != 1 {
				t.Errorf("%d at it, want 1", thinking.Load())
			}
			f.Press(game.Pause)
			if thinking.Load() != 0 || f.Last().Phase != game.Paused {
				t.Errorf("%d at it in %v, want none", thinking.Load(), f.Last().Phase)
			}
			f.Press(game.Pause)
			if thinking.Load() != 1 {
				t.Errorf("%d at it again, want 1", thinking.Load())
			}
			f.Press(game.Quit{})
			if thinking.Load() != 0 {
				t.Errorf("%d at it in the end, want none", thinking.Load())
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// inBubble returns how many goroutines run in bubbles of synctest: other tests may leave some that are
// about to end.
func inBubble() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "synctest bubble")
}

// However fast hints are asked for and cancelled, at most one is being answered and one is waiting:
// questions do not pile up while the computer is slow.
func TestQuestionsDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var thinking, most, asked atomic.Int32
		goOn := make(chan struct{})
		var latest string
		advise := func(ctx context.Context, g board.Game) (game.Advice, error) {
			asked.Add(1)
			most.Store(max(most.Load(), thinking.Add(1)))
			defer thinking.Add(-1)
			<-goOn // ignores the context
			latest = g.String()
			return game.Advice{}, ctx.Err()
		}
		_, err := play(t, match, answers{advise: advise}, func(cancel context.CancelCauseFunc, f *fake) {
			f.Press(game.Hint)
			f.Press(game.Press{Key: game.Left}, game.Hint) // waits for the one that is being answered
			before := inBubble()
			for range 300 {
				f.Press(game.Press{Key: game.Left}, game.Hint)
			}
			f.Press(game.Column{Col: 3})
			sleep(time.Second)
			f.Press(game.Hint)
			if n := inBubble(); n > before || asked.Load() != 1 {
				t.Errorf("%d goroutines, %d before; asked %d times", n, before, asked.Load())
			}
			close(goOn)
			synctest.Wait()
			if f.Last().Phase != game.Hinting || asked.Load() != 2 || latest != "4" || most.Load() != 1 {
				t.Errorf("%v, asked %d times, last after %q, %d at once", f.Last().Phase, asked.Load(), latest, most.Load())
			}
			cancel(context.Canceled)
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// Rest is called after a match.
func TestRestAfterAMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rested atomic.Int32
		c := alone
		c.Forever, c.Opening = true, "121212"
		_ = against(t, Options{Computer: answers{rest: func() { rested.Add(1) }}}, c, func(f *fake) {
			f.Press(game.Column{Col: 0})
			sleep(3 * time.Second)
			if rested.Load() != 0 {
				t.Error("too early")
			}
			sleep(5 * time.Second)
			if rested.Load() != 1 || f.Last().Phase != game.Menu {
				t.Errorf("rested %d times, in %v", rested.Load(), f.Last().Phase)
			}
		})
	})
}

// During a slow review, and while a variation plays, every key takes effect at once, and the verdicts so
// far are shown. Leaving the look back cancels the review.
func TestReviewWhileStepping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, g, err := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"1122334"})
		must(t, err)
		var cancelled atomic.Bool
		review := func(ctx context.Context, r game.Review, judged func(int, game.Verdict)) error {
			position := r.Game.Position()
			for ply := position.Ply() - 1; ply >= 0; ply-- {
				select {
				case <-time.After(10 * time.Second):
					v := game.Verdict{Known: true, Before: 1, After: 1}
					if ply == 3 {
						v.Remark, v.Why.Line = game.MissedFour, "5555"
					}
					judged(ply, v)
				case <-ctx.Done():
					cancelled.Store(true)
					return ctx.Err()
				}
			}
			return nil
		}
		c := alone
		c.Attract, c.Forever, c.Last = true, true, game.Record{ID: "x", Match: m, Game: g}
		_ = against(t, Options{Computer: answers{review: review}}, c, func(f *fake) {
			press := func(keys ...game.Key) {
				for _, k := range keys {
					sleep(300 * time.Millisecond)
					f.Press(game.Press{Key: k})
				}
			}
			press(game.Left, game.Left, game.Left, game.Left, game.Middle)
			sleep(11 * time.Second) // one verdict
			for _, want := range []struct {
				discs int
				known bool
			}{{6, true}, {5, false}, {4, false}} {
				began := time.Now()
				f.Press(game.Press{Key: game.Left})
				if v := f.Last(); v.Game.Position().Ply() != want.discs || v.Look.Next.Known != want.known || time.Since(began) > 0 {
					t.Errorf("after %v: %d discs, known %v, want %+v", time.Since(began), v.Game.Position().Ply(), v.Look.Next.Known, want)
				}
			}
			sleep(30 * time.Second)
			if v := f.Last(); !v.Look.Next.Known {
				t.Error("a verdict that arrived is not shown")
			}
			press(game.Down)
			sleep(1500 * time.Millisecond) // a variation plays
			for range 2 {
				began := time.Now()
				was := f.Last().Look.Step
				f.Press(game.Press{Key: game.Left})
				if v := f.Last(); was == 0 || v.Look.Step != was-1 || v.Look.Plays || time.Since(began) > 0 {
					t.Errorf("after %v: step %d of a variation, %d before", time.Since(began), v.Look.Step, was)
				}
			}
			press(game.Up, game.Down, game.Down)
			if v := f.Last(); v.Phase != game.Menu || !cancelled.Load() {
				t.Errorf("left to %v, cancelled: %v", v.Phase, cancelled.Load())
			}
		})
	})
}
