package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// After a key press on one panel or by a remote client, a key of another panel works at once.
func TestSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := newFake(), newFake()
		l, end := running(t, match, Options{Panels: []Panel{one, two}})
		far := func() {
			if _, err := l.Do(t.Context(), game.Press{Key: game.Middle}, game.Source{Kind: game.Client}); err != nil {
				t.Error(err)
			}
		}
		for _, want := range []string{"4", "44", "444", "4444"} {
			one.Press(game.Press{Key: game.Middle})
			if v := one.Last(); v.Game.String() != want {
				t.Errorf("%q, want %q", v.Game, want)
			}
			sleep(200 * time.Millisecond) // the disc is still falling, so this press is ignored
			two.Press(game.Press{Key: game.Middle})
			far()
			sleep(300 * time.Millisecond)
		}
		_ = end()
	})
}

// repainted is a panel that counts the calls of Show with again set. Show blocks on busy.
type repainted struct {
	*fake
	busy  chan struct{}
	times int
}

func (p *repainted) Show(v game.View, again bool) error {
	if again {
		p.times++
	}
	<-p.busy
	return p.fake.Show(v, again)
}

// After a press that changes nothing, the picture is shown again, because a HAT with a loose
// contact may have lost it. A busy panel shows it again as soon as it can, and only once.
func TestShowAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &repainted{fake: newFake(), busy: make(chan struct{})}
		_, _ = play(t, match, nil, func(cancel context.CancelCauseFunc, other *fake) {
			released := game.Press{Key: game.Up, Action: game.Released}
			other.Press(released)           // while the first picture is being shown
			other.Press(game.Point{Col: 0}) // changes the picture
			p.busy <- struct{}{}
			synctest.Wait()
			if p.times != 1 {
				t.Errorf("shown again %d times after a press while busy, want 1", p.times)
			}
			close(p.busy)
			other.Press(released)
			if p.times != 2 {
				t.Errorf("shown again %d times after 2 presses", p.times)
			}
			other.Press(game.Point{Col: 1})
			sleep(time.Second)
			if p.times != 2 {
				t.Errorf("shown again %d times after 2 presses and a new picture", p.times)
			}
			cancel(nil)
		}, p)
	})
}

// A request that changes nothing shows the picture again too, because somebody may have sent it to light
// up a HAT that was taken off and put back.
func TestShowAgainAfterRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &repainted{fake: newFake(), busy: make(chan struct{})}
		close(p.busy)
		l, end := running(t, match, Options{Panels: []Panel{p}})
		_, err := l.Do(t.Context(), game.Tick{}, game.Source{Kind: game.Client})
		if synctest.Wait(); p.times != 1 || err != nil {
			t.Errorf("shown again %d times, %v", p.times, err)
		}
		_ = end()
	})
}
