package loop

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// What one panel or somebody far away presses just before another panel's turn does not
// keep that one's key from counting.
func TestSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two, requests := newFake(), newFake(), make(Requests)
		s, err := game.New(match, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = Run(ctx, s, Options{Panels: []Panel{one, two}, Requests: requests})
		}()
		far := func() {
			if _, err := requests.Do(ctx, game.Press{Key: game.Middle}, game.Remote); err != nil {
				t.Error(err)
			}
		}
		for _, want := range []string{"4", "44", "444", "4444"} {
			one.press(game.Press{Key: game.Middle})
			if v := one.last(); v.Game.String() != want {
				t.Errorf("%q, want %q", v.Game, want)
			}
			sleep(200 * time.Millisecond) // it falls: this counts for nobody
			two.press(game.Press{Key: game.Middle})
			far()
			sleep(60 * time.Millisecond)
		}
		cancel()
		<-done
	})
}
