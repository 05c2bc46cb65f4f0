package session

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// After a key press on one panel or by a remote client, a key of another panel works at once.
func TestSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := newFake(), newFake()
		l, end := running(t, match, Options{}, one, two)
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
