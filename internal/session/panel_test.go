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
		s, err := game.New(match, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		l := New(s, Options{Panels: []Panel{one, two}})
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = l.Run(ctx)
		}()
		far := func() {
			if _, err := l.Do(ctx, game.Press{Key: game.Middle}, game.Source{Kind: game.Client}); err != nil {
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
			sleep(60 * time.Millisecond)
		}
		cancel()
		<-done
	})
}
