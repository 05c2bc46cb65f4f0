package session

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// During a slow review, and while a variation plays, every key takes effect at once, and the verdicts so
// far are shown. Leaving the look back cancels the review.
func TestReviewWhileStepping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, g, err := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"1122334"})
		if err != nil {
			t.Fatal(err)
		}
		var cancelled atomic.Bool
		review := func(ctx context.Context, r game.Review, judged func(int, game.Verdict)) error {
			position := r.Game.Position()
			for ply := position.Ply() - 1; ply >= 0; ply-- {
				select {
				case <-time.After(10 * time.Second):
					judged(ply, game.Verdict{Known: true, Before: 1, After: 1, Sooner: ply == 3, Why: game.Why{Line: "5555"}})
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
