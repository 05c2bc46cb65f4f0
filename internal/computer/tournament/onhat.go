package tournament

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

const (
	discTime  = 400 * time.Millisecond // before each disc of a game that is shown
	barsTime  = 10 * time.Second       // for which the standing is shown
	againTime = 5 * time.Second        // until the HAT is borrowed again
)

// HAT is a borrowed HAT.
type HAT interface{ Show(game.View) error }

// Showing shows games on a borrowed HAT, disc by disc, and after each of them the standing as bars. While one is
// shown, later ones are not. A nil Showing shows nothing.
type Showing struct {
	next       chan shown
	ctx, games context.Context // games ends with the last game
	last       context.CancelFunc
	done       chan struct{}
}

// shown is what to show until a context ends: a game, unless it has no discs, and then the standing.
type shown struct {
	ctx  context.Context
	game *Game
	now  func() *Results
}

// NewShowing returns a Showing for the HAT that borrow returns. It keeps the HAT until the context ends. It
// writes to errs why it cannot borrow it.
func NewShowing(ctx context.Context, borrow func(context.Context) (HAT, error), errs io.Writer) *Showing {
	games, last := context.WithCancel(ctx)
	s := &Showing{next: make(chan shown), ctx: ctx, games: games, last: last, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		var hat HAT
		refused := false
		for now := range s.next {
			err := error(nil)
			if hat == nil {
				hat, err = borrow(ctx)
			}
			if err == nil {
				err = now.show(hat)
			} else if !refused && ctx.Err() == nil {
				refused = true
				fmt.Fprintf(errs, "not on the HAT yet: %v\n", err)
			}
			if err != nil { // perhaps somebody has taken it back
				hat = nil
				pause(games, againTime)
			}
		}
	}()
	return s
}

// Show shows a game with the results so far, unless another is shown.
func (s *Showing) Show(g *Game, now func() *Results) {
	if s != nil {
		select {
		case s.next <- shown{s.games, g, now}:
		default:
		}
	}
}

// End shows the last standing for a moment.
func (s *Showing) End(r *Results) {
	if s != nil {
		s.last()
		s.next <- shown{s.ctx, new(Game), func() *Results { return r }}
		close(s.next)
		<-s.done
	}
}

func (s shown) show(hat HAT) error {
	if err := replay(s.ctx, hat, s.game.played); err != nil {
		return err
	}
	err := hat.Show(barsOf(s.now(), s.game))
	pause(s.ctx, barsTime)
	return err
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// barsOf shows the scores of the best players, in the colours of the two who have just played.
func barsOf(now *Results, g *Game) (v game.View) {
	rules := g.played.Position().Rules()
	for x, p := range now.Players[:min(len(now.Players), 8)] {
		led := game.LEDPlain.Dimmed()
		switch {
		case p.Games == 0:
			continue
		case p.Name == g.Red:
			led = game.LEDRed
		case p.Name == g.Yellow && rules.Name(board.Yellow) == "blue":
			led = game.LEDBlue
		case p.Name == g.Yellow:
			led = game.LEDYellow
		}
		for y := range max(1, int(8*p.Share+0.5)) {
			v.Frame[8*(7-y)+x] = led
		}
	}
	return v
}

// replay shows a game as if two people played it, until the context ends.
func replay(ctx context.Context, hat HAT, g board.Game) error {
	discs := g.Position().Ply()
	if discs == 0 {
		return nil
	}
	state, err := game.New(game.Config{Setup: game.Setup{Rules: g.Position().Rules(), Points: 1, First: board.FirstRed}}, time.Now())
	for err == nil && ctx.Err() == nil {
		now := time.Now()
		v := state.View(now)
		if err = hat.Show(v); err != nil {
			break
		}
		ply := v.Game.Position().Ply()
		next, moves := state.Next(now)
		switch {
		case v.Phase == game.Aim && ply < discs:
			pause(ctx, discTime)
			state.Step(time.Now(), game.Column{Col: g.Move(ply)})
		case v.Phase == game.Fall || v.Phase == game.Cheer && moves:
			pause(ctx, time.Until(next))
			state.Step(time.Now(), game.Tick{})
		default: // it is over
			return nil
		}
	}
	return err
}
