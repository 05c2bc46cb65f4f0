package bot

import (
	"context"
	"errors"
	"sync"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// panel lets a program choose a player's columns.
type panel struct {
	player board.Disc
	choose func(context.Context, board.Game) (int, error)

	views chan game.View // the latest, if Next has not taken it yet

	next sync.Mutex // a call of Next may overlap the end of a cancelled one

	// Only Next uses these.
	view   game.View  // the latest
	asked  moment     // the position that column is for
	column int        // the program's answer, counted from 0
	given  game.Phase // the phase in which Next last returned the answer; Attract: not returned yet
	missed bool       // the answer had no effect when it was returned
}

// moment is a position in a match.
type moment struct {
	match string
	game  board.Game
}

// newPanel returns the panel of a player. choose returns the column of the player's next disc, counted
// from 0 on the left. If choose fails, the panel gives up the player's seat, and does not call
// choose again.
func newPanel(player board.Disc, choose func(context.Context, board.Game) (int, error)) *panel {
	return &panel{player: player, choose: choose, views: make(chan game.View, 1)}
}

// Show passes a view to Next.
func (p *panel) Show(v game.View, _ bool) error {
	select {
	case <-p.views: // this view is out of date
	default:
	}
	p.views <- v
	return nil
}

// Next waits for the program's turn and for the program's answer. It keeps an answer that comes
// while the match is paused or the LEDs are dark, and drops one that comes after a move was undone.
func (p *panel) Next(ctx context.Context) (game.Event, error) {
	p.next.Lock()
	defer p.next.Unlock()
	for {
		select {
		case v := <-p.views:
			p.see(v)
		default:
		}
		v := &p.view
		position, now := v.Game.Position(), moment{v.ID, v.Game}
		mine := v.UnderWay && v.Seats[p.player-board.Red].State != game.Open && position.Turn() == p.player && position.Outcome() == board.Playing
		phase := v.Phase
		if phase == game.Hinting { // somebody else's hint
			phase = game.Aim
		}
		switch {
		case p.choose == nil || !mine:
		case p.asked != now && phase == game.Aim:
			col, err := p.choose(ctx, v.Game)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				p.choose = nil
				return game.Leave{Why: err.Error()}, nil
			}
			p.asked, p.column, p.given = now, col, game.Attract
			continue
		case p.asked != now || p.given == phase:
		case phase == game.Aim:
			p.given = phase
			return game.Disc{Col: p.column, Number: v.Discs() + 1}, nil // the game drops this disc once, even if it receives the event twice
		case phase == game.Dark:
			p.given = phase
			return game.Press{Key: game.Left}, nil // any key turns the LEDs on; this one drops nothing
		default:
			p.given = phase // so that the answer is returned again: in this phase it had no effect
		}
		select {
		case v := <-p.views:
			p.see(v)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// see takes a view. After a disc that was refused, because somebody paused the match or took a disc
// back at the same time, the answer is returned again if it is still due.
func (p *panel) see(v game.View) {
	p.view = v
	if p.missed {
		p.missed, p.given = false, game.Attract
	}
}

// Answered ends the panel if its seat is lost.
func (p *panel) Answered(_ game.Event, _ game.View, err error) error {
	if errors.Is(err, game.ErrNoSeat) {
		return err
	}
	p.missed = err != nil
	return nil
}
