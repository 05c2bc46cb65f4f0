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
	do      func(context.Context, game.Event) (game.View, error)
	next    chan game.Show // the latest game
	stop    func()         // returns when nothing is being sent
	refused chan error     // gets why a game was not shown, once
}

// NewShowing returns a Showing that passes its events to do, as a session's Do.
func NewShowing(ctx context.Context, do func(context.Context, game.Event) (game.View, error)) *Showing {
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	s := &Showing{do: do, next: make(chan game.Show, 1), refused: make(chan error, 1), stop: func() { cancel(); <-stopped }}
	go func() {
		defer close(stopped)
		for told := false; ; {
			select {
			case show := <-s.next:
				wait := game.ShowTime(show.Game)
				if _, err := do(ctx, show); err != nil {
					wait = 5 * time.Second
					if !told {
						s.refused <- err
					}
					told = true
				}
				select {
				case <-time.After(wait):
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return s
}

// Show shows a game with the results so far. The error, once, is why a game was not shown.
func (s *Showing) Show(g *Game, now *Results) error {
	if s == nil {
		return nil
	}
	standing := standingOf(now)
	standing.Red, standing.Yellow = g.Red, g.Yellow
	select {
	case <-s.next:
	default:
	}
	s.next <- game.Show{Game: g.played, Standing: standing}
	select {
	case err := <-s.refused:
		return err
	default:
		return nil
	}
}

func standingOf(now *Results) *game.Standing {
	standing := &game.Standing{Played: now.Played, Games: now.Games}
	for _, p := range now.Players[:min(len(now.Players), api.MaxPlaces)] {
		place := game.Place{Name: api.Short(p.Name)}
		if p.Games > 0 {
			place.Score = new(p.Share)
		}
		standing.Players = append(standing.Players, place)
	}
	return standing
}

// endTime is how long a tournament's end waits for the service: its machine may be busy.
const endTime = 5 * time.Second

// End shows the last standing.
func (s *Showing) End(ctx context.Context, r *Results) error {
	if s == nil {
		return nil
	}
	s.stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	none, _ := board.NewGame(board.Standard, board.Red)
	_, err := s.do(ctx, game.Show{Game: none, Standing: standingOf(r)})
	return err
}
