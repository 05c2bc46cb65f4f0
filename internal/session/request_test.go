package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

func TestDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state, err := game.New(match, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		l := New(state, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := l.Run(ctx)
			done <- err
		}()
		v, err := l.Do(ctx, game.Column{Col: 3}, game.Source{Kind: game.Client})
		if err != nil || v.Game.String() != "4" {
			t.Errorf("%v after %q", err, v.Game.String())
		}
		if _, err := l.Do(ctx, game.Start{Setup: match.Setup}, game.Source{Kind: game.Client}); err != game.ErrUnderWay {
			t.Errorf("a second match: %v", err)
		}
		if v, err := l.Do(ctx, game.Start{Setup: match.Setup, Force: true}, game.Source{Kind: game.Client}); err != nil || v.Game.String() != "" {
			t.Errorf("forced: %v, after %q", err, v.Game.String())
		}
		if v, err := l.Do(ctx, game.End{}, game.Source{Kind: game.Client}); err != nil || v.Phase != game.Over {
			t.Errorf("the end: %v, %v", err, v.Phase)
		}
		<-done
		late, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := l.Do(late, game.Tick{}, game.Source{Kind: game.Client}); !errors.Is(err, ErrEnded) {
			t.Errorf("without a loop: %v", err)
		}
		cancel()
	})
}
