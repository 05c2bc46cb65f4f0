package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state, err := game.New(match, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		requests := make(Requests)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := Run(ctx, state, Options{Requests: requests})
			done <- err
		}()
		v, err := requests.Do(ctx, game.Column{Col: 3}, game.Remote)
		if err != nil || v.Game.String() != "4" {
			t.Errorf("%v after %q", err, v.Game.String())
		}
		if _, err := requests.Do(ctx, game.Start{Setup: match.Setup}, game.Remote); err != game.ErrUnderWay {
			t.Errorf("a second match: %v", err)
		}
		if v, err := requests.Do(ctx, game.Start{Setup: match.Setup, Force: true}, game.Remote); err != nil || v.Game.String() != "" {
			t.Errorf("forced: %v, after %q", err, v.Game.String())
		}
		if v, err := requests.Do(ctx, game.End{}, game.Remote); err != nil || v.Phase != game.Over {
			t.Errorf("the end: %v, %v", err, v.Phase)
		}
		<-done
		late, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := requests.Do(late, game.Tick{}, game.Remote); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("without a loop: %v", err)
		}
		cancel()
	})
}
