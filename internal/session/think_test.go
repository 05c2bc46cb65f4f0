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

// The computer is asked once per turn and plays its answer, until the match is over.
func TestComputerPlays(t *testing.T) {
	var asked atomic.Int32
	think := func(_ context.Context, q game.Question) (int, error) {
		asked.Add(1)
		if position := q.Game.Position(); q.Level != 2 || position.Turn() != board.Yellow {
			t.Errorf("asked for level %d, %v to move", q.Level, position.Turn())
		}
		return 6, nil
	}
	_, _ = play(t, alone, Options{Computer: answers{think: think}}, func(t *table) {
		t.do("1 2s 1 2s 1 2s 1 2s")
		if t.shows("score 1717171"); t.Last().Match.Points(board.Red) != 1 || asked.Load() != 3 {
			t.Errorf("asked %d times", asked.Load())
		}
	})
}

// If a question gets no answer, the computer plays at random, and the error is reported.
func TestComputerFails(t *testing.T) {
	stumped := answers{think: func(context.Context, game.Question) (int, error) { return 0, errors.New("no idea") }}
	for _, computer := range []Computer{nil, stumped} {
		var failed atomic.Bool
		_, _ = play(t, alone, Options{Computer: computer, Failed: func(error) { failed.Store(true) }}, func(t *table) {
			t.do("1 3s")
			if v := t.Last(); v.Phase != game.Aim || len(v.Game.String()) != 2 || !failed.Load() {
				t.Errorf("%s, reported: %v", t.now(), failed.Load())
			}
		})
	}
}

// Thinking stops on the pause screen and when the match ends. That is not reported as a failure.
func TestThinkingStops(t *testing.T) {
	var thinking atomic.Int32
	think := func(ctx context.Context, _ game.Question) (int, error) {
		thinking.Add(1)
		<-ctx.Done()
		thinking.Add(-1)
		return 0, ctx.Err()
	}
	failed := func(err error) { t.Errorf("reported: %v", err) }
	_, err := play(t, alone, Options{Computer: answers{think: think}, Failed: failed}, func(t *table) {
		for _, step := range []struct {
			do   string
			want int32
		}{{"1 1s", 1}, {"pause", 0}, {"pause", 1}, {"q", 0}} {
			if t.do(step.do); thinking.Load() != step.want {
				t.Errorf("%d at it after %s, want %d", thinking.Load(), step.do, step.want)
			}
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// A hint is shown, closed, cancelled, and missing.
func TestAdvice(t *testing.T) {
	var asked []context.Context
	advise := func(ctx context.Context, g board.Game) (game.Advice, error) {
		asked = append(asked, ctx)
		select {
		case <-ctx.Done():
			return game.Advice{}, ctx.Err()
		case <-time.After(time.Second):
		}
		if p := g.Position(); p.Ply() > 0 {
			return game.Advice{}, errors.New("beyond me")
		}
		return game.Advice{Score: [8]int{3: 1}, Exact: true}, nil
	}
	none := func(t *table) {
		t.Helper()
		if v := t.Last(); v.Notice.Kind != game.NoticeNoHint {
			t.Errorf("%s, notice %v", t.now(), v.Notice)
		}
	}
	_, _ = play(t, match, Options{Computer: answers{advise: advise}}, func(t *table) {
		t.do("hint 1s")
		if t.shows("hint"); t.Last().Advice.Score[3] != 1 {
			t.Error(t.Last().Advice)
		}
		t.do("undo hint 500ms 1")
		if asked[1].Err() == nil {
			t.Error("the cancelled adviser still works")
		}
		t.do("2s")
		t.shows("aim 1")
		t.do("hint 2s")
		none(t)
	})
	_, _ = play(t, match, Options{}, func(t *table) { t.do("hint"); none(t) })
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
	var thinking, most, asked atomic.Int32
	var goOn chan struct{}
	var latest string
	advise := func(ctx context.Context, g board.Game) (game.Advice, error) {
		asked.Add(1)
		most.Store(max(most.Load(), thinking.Add(1)))
		defer thinking.Add(-1)
		<-goOn // ignores the context
		latest = g.String()
		return game.Advice{}, ctx.Err()
	}
	_, _ = play(t, match, Options{Computer: answers{advise: advise}}, func(t *table) {
		goOn = make(chan struct{})
		t.do("hint left hint") // waits for the one that is being answered
		before := inBubble()
		t.do(strings.Repeat("left hint ", 300) + "4 1s hint")
		if n := inBubble(); n > before || asked.Load() != 1 {
			t.Errorf("%d goroutines, %d before; asked %d times", n, before, asked.Load())
		}
		close(goOn)
		synctest.Wait()
		if t.shows("hint 4"); asked.Load() != 2 || latest != "4" || most.Load() != 1 {
			t.Errorf("asked %d times, last after %q, %d at once", asked.Load(), latest, most.Load())
		}
	})
}

// Rest is called after a match.
func TestRestAfterAMatch(t *testing.T) {
	var rested atomic.Int32
	c := alone
	c.Forever, c.Opening = true, "121212"
	_, _ = play(t, c, Options{Computer: answers{rest: func() { rested.Add(1) }}}, func(t *table) {
		if t.do("1 3s"); rested.Load() != 0 {
			t.Error("too early")
		}
		if t.do("5s"); rested.Load() != 1 || t.Last().Phase != game.Menu {
			t.Errorf("rested %d times, in %v", rested.Load(), t.Last().Phase)
		}
	})
}

// During a slow review every key takes effect at once, and the verdicts so far are shown. Leaving the look back
// cancels the review.
func TestReviewWhileStepping(t *testing.T) {
	m, g, err := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"1122334"})
	must(t, err)
	var cancelled atomic.Bool
	review := func(ctx context.Context, r game.Question, judged func(int, game.Verdict)) error {
		for ply := r.Game.Position().Ply() - 1; ply >= 0; ply-- {
			select {
			case <-time.After(10 * time.Second):
				judged(ply, game.Verdict{Known: true, Before: 1, After: 1})
			case <-ctx.Done():
				cancelled.Store(true)
				return ctx.Err()
			}
		}
		return nil
	}
	c := alone
	c.Attract, c.Forever, c.Last = true, true, game.Record{ID: "x", Match: m, Game: g}
	_, _ = play(t, c, Options{Computer: answers{review: review}}, func(t *table) {
		t.do("300ms left 300ms left 300ms left 300ms left 300ms middle 11s") // one verdict
		for i, moves := range []string{"112233", "11223", "1122"} {
			began := time.Now()
			t.do("left")
			if v := t.Last(); v.Look.Next.Known != (i == 0) || time.Since(began) > 0 {
				t.Errorf("%s after %v: known %v", t.now(), time.Since(began), v.Look.Next.Known)
			}
			t.shows("look " + moves)
		}
		if t.do("20s"); !t.Last().Look.Next.Known {
			t.Error("a verdict that arrived is not shown")
		}
		t.do("300ms down 300ms down")
		if t.Last().Phase != game.Menu || !cancelled.Load() {
			t.Errorf("left to %v, cancelled: %v", t.Last().Phase, cancelled.Load())
		}
	})
}
