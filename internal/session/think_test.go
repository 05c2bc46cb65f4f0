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

// If a question gets no answer, the computer plays at random, there is no hint, and the error is reported.
func TestComputerFails(t *testing.T) {
	stumped := answers{
		think:  func(context.Context, game.Question) (int, error) { return 0, errors.New("no idea") },
		advise: func(context.Context, board.Game) (game.Advice, error) { return game.Advice{}, errors.New("no idea") },
	}
	for _, computer := range []Computer{nil, stumped} {
		var failed atomic.Bool
		_, _ = play(t, alone, Options{Computer: computer, Failed: func(error) { failed.Store(true) }}, func(t *table) {
			t.do("1 3s")
			if v := t.Last(); v.Phase != game.Aim || len(v.Game.String()) != 2 || !failed.Load() {
				t.Errorf("%s, reported: %v", t.now(), failed.Load())
			}
			if t.do("hint 1s"); t.Last().Notice.Kind != game.NoticeNoHint {
				t.Errorf("%s after a hint that failed", t.now())
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

// The verdicts of a slow review are shown one by one. Leaving the look back cancels the review.
func TestReview(t *testing.T) {
	m, g, err := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"1122334"})
	must(t, err)
	var cancelled atomic.Bool
	review := func(ctx context.Context, _ game.Question, judged func(int, game.Verdict)) error {
		for ply := 6; ctx.Err() == nil; ply-- {
			judged(ply, game.Verdict{Known: true})
			select {
			case <-time.After(10 * time.Second):
			case <-ctx.Done():
			}
		}
		cancelled.Store(true)
		return ctx.Err()
	}
	c := match
	c.Attract, c.Forever, c.Last = true, true, game.Record{ID: "x", Match: m, Game: g}
	_, _ = play(t, c, Options{Computer: answers{review: review}}, func(t *table) {
		t.do("look 300ms look left left 5s")
		if v := t.Last(); v.Look.Last.Known || v.Look.Next.Known {
			t.Errorf("%s: %+v comes too soon", t.now(), v.Look)
		}
		if t.do("6s"); !t.Last().Look.Next.Known {
			t.Error("a verdict that arrived is not shown")
		}
		if t.do("back"); t.Last().Phase == game.Looking || !cancelled.Load() {
			t.Errorf("left to %v, cancelled: %v", t.Last().Phase, cancelled.Load())
		}
	})
}
