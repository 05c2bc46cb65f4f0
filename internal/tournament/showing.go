package tournament

import (
	"context"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
)

// Showing shows games on a HAT. While one is shown, later ones are not; while somebody uses the HAT, none
// is. A nil Showing shows nothing.
type Showing struct {
	do   func(context.Context, game.Event) (game.View, error)
	next chan game.Show // the latest game
	last game.Show
	stop func() // returns when nothing is being sent
}

// NewShowing returns a Showing that passes its events to do, as a session's Do.
func NewShowing(ctx context.Context, do func(context.Context, game.Event) (game.View, error)) *Showing {
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	s := &Showing{do: do, next: make(chan game.Show, 1), stop: func() { cancel(); <-stopped }}
	go func() {
		defer close(stopped)
		wait := time.Duration(0)
		for {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
			select {
			case show := <-s.next:
				wait = game.ShowTime(show.Game)
				if _, err := do(ctx, show); err != nil {
					wait = 5 * time.Second
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return s
}

// Show shows a game with the results so far.
func (s *Showing) Show(g *Game, now *Results) {
	if s == nil {
		return
	}
	standing := &game.Standing{Red: g.Red, Yellow: g.Yellow, Played: now.Played, Games: now.Games}
	for _, p := range now.Players[:min(len(now.Players), api.MaxPlaces)] {
		standing.Players = append(standing.Players, game.Place{Name: api.Short(p.Name), Score: p.Share})
	}
	played, _ := board.ParseGame(g.fixture.opening.Position().Rules(), board.Red, g.Moves)
	select {
	case <-s.next:
	default:
	}
	s.last = game.Show{Game: played, Standing: standing}
	s.next <- s.last
}

// End shows the last standing.
func (s *Showing) End(ctx context.Context) {
	if s != nil && s.last.Standing != nil {
		s.stop()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		s.last.Game, _ = board.NewGame(s.last.Game.Position().Rules(), board.Red)
		_, _ = s.do(ctx, s.last) // if it is refused, somebody uses the HAT
	}
}
