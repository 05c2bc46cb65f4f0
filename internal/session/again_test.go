package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

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
