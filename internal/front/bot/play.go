package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
)

// Play plays a side of a match of s with the columns that choose returns, counted from 0, until the
// match is over or the context is done. seat holds the side's seat; if the service restarts, Play
// takes it again. Play keeps an answer that comes while the disc is not due, because the match is
// paused or somebody looks at a hint, and drops one that comes after a move was undone. If choose
// fails, Play gives up the seat and returns the error. When ended is closed before the first turn, choose
// is called at once, so that nobody waits for a program that has ended at its start; ended may be nil.
func Play(ctx context.Context, s, seat session.Session, take game.Take, ended <-chan struct{}, choose func(context.Context, board.Game) (int, error)) error {
	match := ""
	for {
		why, err := play(ctx, seat, take.Player, &match, ended, choose)
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		switch {
		case why != nil:
			_, _ = seat.Do(leaving, game.Leave{Why: why.Error()}) // if this fails, the seat is opened later
			return why
		case errors.Is(err, game.ErrNoSeat):
			if seat, err = s.Take(ctx, take); err == nil {
				continue
			}
			err = fmt.Errorf("has lost its seat: %w", err)
		default:
			_, _ = seat.Do(leaving, game.Leave{})
		}
		if ctx.Err() != nil || errors.Is(err, game.ErrNoMatch) || errors.Is(err, session.ErrEnded) || errors.Is(err, session.ErrAway) ||
			errors.Is(err, session.ErrLeft) || errors.Is(err, session.ErrInterrupted) {
			return nil // whoever shows the match says why
		}
		return err
	}
}

// play plays in a seat. why is the error of choose. match is the match of the seat, if it is known.
func play(ctx context.Context, seat session.Session, player board.Disc, match *string, ended <-chan struct{}, choose func(context.Context, board.Game) (int, error)) (why, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	views := make(chan game.View, 1) // the latest: the game does not wait for the program
	go func() {
		for v, err := range seat.Views(ctx) {
			if err != nil {
				cancel(err)
				return
			}
			select {
			case <-views:
			default:
			}
			views <- v
		}
		cancel(session.ErrEnded)
	}()
	var asked board.Game // the position that disc was chosen for
	var disc game.Disc
	var tried uint64 // the view after the last event, which did not do what it should if it is still due
	for {
		var v game.View
		select {
		case v = <-views:
		case <-ended:
			_, err := choose(ctx, board.Game{})
			return err, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		*match = cmp.Or(*match, v.ID)
		if v.ID != *match || !v.UnderWay {
			return nil, nil
		}
		position, number := v.Game.Position(), v.Discs()+1
		aim := v.Phase == game.Aim || v.Phase == game.Hinting // a hint is somebody else's
		if v.Lost || v.Number <= tried || position.Turn() != player || position.Outcome() != board.Playing {
			continue
		}
		if aim && (asked != v.Game || disc.Number != number) {
			ended = nil // from now on a turn tells
			col, err := choose(ctx, v.Game)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				return err, nil
			}
			asked, disc = v.Game, game.Disc{Col: col, Number: number} // it falls once, even if it is sent twice
			select {
			case views <- v: // still the latest
			default:
			}
			continue
		}
		var ev game.Event
		switch {
		case asked != v.Game || disc.Number != number:
			continue
		case aim:
			ev = disc
		case v.Phase == game.Dark:
			ev = game.Press{Key: game.Left} // any key turns the LEDs on; this one drops nothing
		default:
			continue
		}
		after, err := seat.Do(ctx, ev)
		var refusal *game.Refusal
		switch {
		case errors.Is(err, session.ErrAway): // the same view comes again
		case errors.Is(err, game.ErrNoSeat), err != nil && !errors.As(err, &refusal):
			return nil, err
		default:
			tried = max(v.Number, after.Number)
		}
	}
}

// Programs are the running programs of a match. The zero value has none.
type Programs struct {
	programs [2]*Program // red's and yellow's, or nil
	leave    context.CancelFunc
	wg       sync.WaitGroup
	mu       sync.Mutex // one call of failed at a time
	failed   func(error)
}

// StartAll starts the programs of a match, with the options for each. The caller must Close them.
// failed is told why a program cannot play on: "yellow's program ./bot.py ended with exit status 1".
func StartAll(commands map[board.Disc]Command, o Options, failed func(error)) (*Programs, error) {
	p := &Programs{failed: failed}
	for d, command := range commands {
		var err error
		o.Player = d
		if p.programs[d-board.Red], err = Start(command, o); err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

// Join takes the programs' seats in a match and lets the programs play, until the match is over or
// Close.
func (p *Programs) Join(ctx context.Context, s session.Session) error {
	ctx, p.leave = context.WithCancel(ctx)
	for _, program := range p.programs {
		if program == nil {
			continue
		}
		take := game.Take{Player: program.Player, Holder: program.command.String()}
		seat, err := s.Take(ctx, take)
		if err != nil {
			p.leave()
			return fmt.Errorf("%s: %w", program.name(), err)
		}
		p.wg.Go(func() {
			if err := Play(ctx, s, seat, take, program.done, program.Choose); err != nil {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.failed(fmt.Errorf("%s %w", program.name(), err))
			}
		})
	}
	return nil
}

// Close ends the programs, and gives up their seats. It returns the end of each program's standard
// error, unless Options.Log has received it.
func (p *Programs) Close() string {
	if p.leave != nil {
		p.leave()
	}
	p.wg.Wait()
	var text strings.Builder
	for _, program := range p.programs {
		if program == nil {
			continue
		}
		if wrote := program.Close(); wrote != "" && program.Log == nil {
			fmt.Fprintf(&text, "%s wrote:\n%s\n", program.name(), wrote)
		}
	}
	return text.String()
}
