package session

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

const won = "1 1s 2 1s 1 1s 2 1s 1 1s 2 1s 1"

func TestMatchInRealTime(t *testing.T) {
	end, err := play(t, match, Options{}, func(t *table) {
		began := time.Now()
		t.do(won + " 1s")
		t.shows("cheer 1212121")
		<-t.running.Done()
		// Seven discs are dropped, one per second. The last one falls for 250 ms; the phases cheer,
		// score, victory and clear follow.
		if took, want := time.Since(began), 6*time.Second+250*time.Millisecond+4750*time.Millisecond; took != want {
			t.Errorf("the match took %v, want %v", took, want)
		}
	})
	if winner := end.View(time.Time{}).Match.Winner(); err != nil || winner != board.Red {
		t.Errorf("%v wins, %v", winner, err)
	}
}

// While the view does not change by itself, the loop sleeps: on the full matrix the cursor blinks.
func TestSleep(t *testing.T) {
	full := match
	full.Rules = board.FullMatrix
	for want, c := range map[int32]game.Config{0: match, 240: full} {
		_, _ = play(t, c, Options{}, func(t *table) {
			before := t.game.steps.Load()
			if sleep(time.Minute); t.game.steps.Load()-before != want {
				t.Errorf("%d steps in a minute, want %d", t.game.steps.Load()-before, want)
			}
		})
	}
}

// Two panels and a client are three sources: each may drop a disc right after another. The panels show the same.
func TestTwoPanels(t *testing.T) {
	two := new(fake)
	_, _ = play(t, match, Options{}, func(t *table) {
		for _, drop := range []func(){
			func() { t.do("4") }, func() { two.do("4") }, func() { _, _ = t.me.Do(t.Context(), game.Column{Col: 3}) },
		} {
			drop()
			sleep(250 * time.Millisecond)
		}
		t.shows("aim 444")
		if !slices.Equal(t.Views(), two.Views()) || len(two.Views()) < 6 {
			t.Errorf("%d and %d views differ", len(t.Views()), len(two.Views()))
		}
	}, two)
}

// A panel that is stuck in Show delays neither the game, nor the other panel, nor the end. One that is slow skips
// views: the next one that it shows is the latest.
func TestStuckPanel(t *testing.T) {
	stuck, slow := new(fake), new(fake)
	stuck.show = func(game.View) error { time.Sleep(time.Hour); return nil }
	slow.show = func(game.View) error { time.Sleep(100 * time.Millisecond); return nil }
	_, err := play(t, match, Options{}, func(t *table) {
		t.do("4 1s 4 1s")
		t.shows("aim 44")
		if slow.Last() != t.Last() || len(slow.Views()) >= len(t.Views()) || len(stuck.Views()) != 1 {
			t.Errorf("of %d views, %d and %d are shown", len(t.Views()), len(slow.Views()), len(stuck.Views()))
		}
		began := time.Now()
		t.do("ctrl-c")
		<-t.running.Done()
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("the end took %v", took)
		}
	}, stuck, slow)
	if !errors.Is(err, ErrInterrupted) {
		t.Error(err)
	}
}

func TestEndings(t *testing.T) {
	cause := errors.New("cancelled")
	is := func(want error) func(error) bool {
		return func(err error) bool { return errors.Is(err, want) }
	}
	isFault := func(value string) func(error) bool {
		return func(err error) bool {
			var fault *Fault
			return errors.As(err, &fault) && fault.Value == value &&
				strings.Contains(string(fault.Stack), "loop_test.go") && !strings.Contains(err.Error(), "\n")
		}
	}
	for name, tt := range map[string]struct {
		test func(t *table)
		want func(error) bool
	}{
		"quit":        {func(t *table) { t.do("q") }, is(nil)},
		"interrupted": {func(t *table) { t.do("ctrl-c") }, is(ErrInterrupted)},
		"cancelled":   {func(t *table) { t.cancel(cause) }, is(cause)},
		"Next fails": {func(t *table) {
			t.next = func() (game.Event, error) { return nil, io.EOF }
			t.do("undo")
		}, is(io.EOF)},
		"Show fails": {func(t *table) {
			t.show = func(game.View) error { return io.ErrShortWrite }
			t.do("left")
		}, is(io.ErrShortWrite)},
		"a panic in Show": {func(t *table) {
			t.show = func(game.View) error { panic("show") }
			t.do("left")
		}, isFault("show")},
		"a panic in Next": {func(t *table) {
			t.next = func() (game.Event, error) { panic("next") }
			t.do("undo")
		}, isFault("next")},
		"a panic in Advise": {func(t *table) { t.do("hint") }, isFault("advise")},
	} {
		t.Run(name, func(t *testing.T) {
			advise := func(context.Context, board.Game) (game.Advice, error) { panic("advise") }
			if _, err := play(t, match, Options{Computer: answers{advise: advise}}, tt.test); !tt.want(err) {
				t.Error(err)
			}
		})
	}
}
