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

// A view that does not change by itself is not shown again; on the full matrix the cursor blinks.
func TestSleep(t *testing.T) {
	full := match
	full.Rules = board.FullMatrix
	for want, c := range map[int]game.Config{0: match, 240: full} {
		_, _ = play(t, c, Options{}, func(t *table) {
			before := len(t.Views())
			if sleep(time.Minute); len(t.Views())-before != want {
				t.Errorf("%d views in a minute, want %d", len(t.Views())-before, want)
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

// A panel that is stuck in Show delays neither the game nor the other panel, and the end for a second at most. One that is slow skips
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
		if took := time.Since(began); took > time.Second {
			t.Errorf("the end took %v", took)
		}
	}, stuck, slow)
	if !errors.Is(err, ErrInterrupted) {
		t.Error(err)
	}
}

// A quit, a failure or a panic, wherever it is, ends the game with its error, on one line.
func TestEndings(t *testing.T) {
	cause := errors.New("cancelled")
	drop := func(t *table) {
		if _, err := t.me.Do(t.Context(), game.Column{Col: 3}); !errors.Is(err, ErrEnded) {
			t.Errorf("the event at which the game panics is answered with %v", err)
		}
	}
	for name, tt := range map[string]struct {
		test  func(t *table)
		steps string
		show  func(game.View) error
		next  func() (game.Event, error)
		want  error // of a fault, only the value counts
	}{
		"quit":        {steps: "q"},
		"interrupted": {steps: "ctrl-c", want: ErrInterrupted},
		"cancelled":   {test: func(t *table) { t.cancel(cause) }, want: cause},
		"Next fails":  {steps: "undo", next: func() (game.Event, error) { return nil, io.EOF }, want: io.EOF},
		"Show fails":  {steps: "left", show: func(game.View) error { return io.ErrShortWrite }, want: io.ErrShortWrite},
		"Show":        {steps: "left", show: func(game.View) error { panic("show") }, want: &Fault{Value: "show"}},
		"Next":        {steps: "undo", next: func() (game.Event, error) { panic("next") }, want: &Fault{Value: "next"}},
		"Advise":      {steps: "hint", want: &Fault{Value: "advise"}},
		"Save":        {test: drop, want: &Fault{Value: "save"}},
	} {
		t.Run(name, func(t *testing.T) {
			c, advise := match, func(context.Context, board.Game) (game.Advice, error) { panic("advise") }
			c.Keeps = true
			_, err := play(t, c, Options{Computer: answers{advise: advise}, Keeper: broken{new(disk)}}, func(t *table) {
				t.show, t.next = tt.show, tt.next
				if t.do(tt.steps); tt.test != nil {
					tt.test(t)
				}
			})
			fault, fell := errors.AsType[*Fault](err)
			if want, falls := errors.AsType[*Fault](tt.want); fell != falls || !fell && !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			} else if fell && (fault.Value != want.Value || !strings.Contains(string(fault.Stack), "_test.go") || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%v, %s", err, fault.Stack)
			}
		})
	}
}

// broken is a Keeper that panics at the first disc.
type broken struct{ *disk }

func (broken) Save(s game.Save) {
	if s.Record.Begun() {
		panic("save")
	}
}
