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
	until   time.Time // a game is shown until then, or the HAT is in use
	refused bool
}

// NewShowing returns a Showing that passes its events to do, as a session's Do.
func NewShowing(do func(context.Context, game.Event) (game.View, error)) *Showing {
	return &Showing{do: do}
}

// Show shows a game with the results so far. The error is why the first game was not shown.
func (s *Showing) Show(ctx context.Context, g *Game, now *Results) error {
	if s == nil || time.Now().Before(s.until) {
		return nil
	}
	standing := standingOf(now)
	standing.Red, standing.Yellow = g.Red, g.Yellow
	err := s.send(ctx, game.Show{Game: g.played, Standing: standing})
	if s.until = time.Now().Add(game.ShowTime(g.played)); err != nil {
		s.until = time.Now().Add(patience)
		if s.refused {
			err = nil
		}
		s.refused = true
	}
	return err
}

// End shows the last standing, even if the context has ended.
func (s *Showing) End(ctx context.Context, r *Results) error {
	if s == nil {
		return nil
	}
	none, _ := board.NewGame(board.Standard, board.Red)
	return s.send(context.WithoutCancel(ctx), game.Show{Game: none, Standing: standingOf(r)})
}

// patience is how long a tournament waits for the service, whose machine may be busy, and until it tries again.
const patience = 5 * time.Second

func (s *Showing) send(ctx context.Context, show game.Show) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := s.do(ctx, show)
	return err
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
