package tournament

import (
	"context"
	"sync"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
)

const (
	discTime  = 400 * time.Millisecond // before each disc of a game that is shown
	barsTime  = 5 * time.Second        // for which the standing is shown
	againTime = 5 * time.Second        // until the HAT is borrowed again
)

// Showing shows games on a borrowed HAT, disc by disc, and after each of them the standing as bars. While one is
// shown, later ones are not. A nil Showing shows nothing.
type Showing struct {
	borrow  func(context.Context) (session.Panel, error)
	hat     session.Panel // nil: not borrowed
	refused bool
	until   time.Time     // when to borrow it again
	seen    chan struct{} // closed when the last game that is shown has been seen
	ctx     context.Context
	skip    context.CancelFunc // ends what is shown
}

// NewShowing returns a Showing for the HAT that borrow returns. It keeps the HAT until the context ends.
func NewShowing(ctx context.Context, borrow func(context.Context) (session.Panel, error)) *Showing {
	seen := make(chan struct{})
	close(seen)
	return &Showing{borrow: borrow, seen: seen, ctx: ctx, skip: func() {}}
}

// Show shows a game with the results so far. The error is why the first game was not shown.
func (s *Showing) Show(g *Game, now *Results) error {
	if s == nil || time.Now().Before(s.until) {
		return nil
	}
	select {
	case <-s.seen:
	default:
		return nil
	}
	if err := s.have(); err != nil {
		if s.until = time.Now().Add(againTime); s.refused {
			err = nil
		}
		s.refused = true
		return err
	}
	var ctx context.Context
	ctx, s.skip = context.WithCancel(s.ctx)
	s.seen = make(chan struct{})
	go func(bars game.View) {
		defer close(s.seen)
		err := replay(ctx, s.hat, g.played)
		if err == nil && ctx.Err() == nil {
			err = s.hat.Show(bars)
			pause(ctx, barsTime)
		}
		if err != nil {
			s.hat = nil // somebody has taken it back
		}
	}(barsOf(now, g))
	return nil
}

// have borrows the HAT, unless it is borrowed.
func (s *Showing) have() (err error) {
	if s.hat == nil {
		var hat session.Panel
		if hat, err = s.borrow(s.ctx); err == nil {
			s.hat = hat
		}
	}
	return err
}

// End shows the last standing for a moment.
func (s *Showing) End(r *Results) error {
	if s == nil || s.ctx.Err() != nil {
		return nil
	}
	s.skip()
	<-s.seen
	err := s.have()
	if err == nil {
		err = s.hat.Show(barsOf(r, &Game{}))
		pause(s.ctx, barsTime)
	}
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

// replay shows a game as if two people played it.
func replay(ctx context.Context, hat session.Panel, g board.Game) error {
	setup := game.Setup{Rules: g.Position().Rules(), Points: 1, First: board.FirstRed}
	if g.Starter() == board.Yellow {
		setup.First = board.FirstYellow
	}
	state, err := game.New(game.Config{Setup: setup}, time.Now())
	if err != nil {
		return err
	}
	p := &player{Panel: hat, game: g, due: make(chan game.Event, 1), dropped: -1}
	_, err = session.New(state, session.Options{}).Play(ctx, p)
	p.mu.Lock() // a picture that is still on its way must not replace the standing
	p.over = true
	p.mu.Unlock()
	if ctx.Err() != nil {
		return nil // the tournament is over
	}
	return err
}

// player is a HAT on which a game is played.
type player struct {
	session.Panel
	game    board.Game
	due     chan game.Event
	dropped int // the ply of the last disc that was due

	mu   sync.Mutex
	over bool // the HAT shows something else
}

// Show shows a view, and then drops the next disc or, after the last one, ends the game.
func (p *player) Show(v game.View) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return session.ErrLeft
	}
	if err := p.Panel.Show(v); err != nil {
		return err
	}
	ply := v.Game.Position().Ply()
	switch {
	case v.Phase == game.Aim && ply < p.game.Position().Ply() && ply > p.dropped:
		p.dropped = ply
		p.due <- game.Column{Col: p.game.Move(ply)}
	case v.Phase == game.Aim && ply == p.game.Position().Ply(), v.Phase == game.Score, v.Phase == game.Drawn:
		return session.ErrLeft
	}
	return nil
}

// Next waits for the next disc.
func (p *player) Next(ctx context.Context) (game.Event, error) {
	select {
	case ev := <-p.due:
		pause(ctx, discTime)
		return ev, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
