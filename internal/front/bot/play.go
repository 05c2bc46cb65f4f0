package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
)

// Play plays a side of a match of s with the columns that choose returns, counted from 0, until the match is
// over or the context is done. seat holds the side's seat; if the service restarts, Play takes it again. If
// choose fails, Play gives up the seat and returns the error.
func Play(ctx context.Context, s, seat session.Session, take game.Take, choose func(context.Context, board.Game) (int, error)) error {
	choosing, cancel := context.WithCancel(ctx)
	p := &player{
		side: take.Player, views: make(chan game.View, 1),
		choose: func(g board.Game) (int, error) { return choose(choosing, g) },
	}
	defer p.next.Lock() // choose has returned
	defer cancel()
	for {
		_, err := session.Attach(ctx, seat, p, session.Terms{})
		if errors.Is(err, game.ErrNoSeat) {
			again, refused := s.Take(ctx, take)
			if refused == nil {
				seat = again
				continue
			}
			err = fmt.Errorf("has lost its seat: %w", refused)
		}
		leave, failed := game.Leave{}, failure{}
		if errors.As(err, &failed) && ctx.Err() == nil {
			err, leave.Why = failed.error, failed.Error()
		}
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_, _ = seat.Do(leaving, leave) // if this fails, the seat is opened later
		if ctx.Err() != nil || slices.ContainsFunc(over, func(end error) bool { return errors.Is(err, end) }) {
			return nil
		}
		return err
	}
}

// over are the errors after which whoever shows the match says why it is over.
var over = []error{game.ErrNoMatch, session.ErrEnded, session.ErrAway, session.ErrLeft, session.ErrInterrupted}

// failure is an error of choose.
type failure struct{ error }

// player is a panel at which choose plays a side. While choose thinks, the player takes no notice of what happens:
// the column falls if the position is still the same afterwards, and when the disc is due.
type player struct {
	side   board.Disc
	choose func(board.Game) (int, error)
	views  chan game.View // the latest: the game does not wait for the program

	next  sync.Mutex // held by Next: after a lost seat, that of the old seat may still wait for choose
	match string     // the match of the seat
	game  board.Game // the position for which disc was chosen
	disc  game.Disc
}

func (p *player) Show(v game.View) error {
	select {
	case <-p.views:
	default:
	}
	p.views <- v
	return nil
}

// Next asks choose when a disc is due, and returns what drops it.
func (p *player) Next(ctx context.Context) (game.Event, error) {
	p.next.Lock()
	defer p.next.Unlock()
	for {
		select {
		case v := <-p.views:
			if p.match = cmp.Or(p.match, v.ID); v.ID != p.match || !v.UnderWay {
				return nil, session.ErrLeft
			}
			position, number := v.Game.Position(), v.Discs()+1
			if v.Lost || position.Turn() != p.side || position.Outcome() != board.Playing {
				continue
			}
			aim := v.Phase == game.Aim || v.Phase == game.Hinting // a hint is somebody else's
			chosen := p.game == v.Game && p.disc.Number == number
			switch {
			case chosen && (aim || v.Phase == game.Dark): // in the dark it only turns the LEDs on
				return p.disc, nil // it falls once, even if it is sent twice
			case aim && !chosen:
				col, err := p.choose(v.Game)
				if err != nil {
					return nil, failure{err}
				}
				p.game, p.disc = v.Game, game.Disc{Col: col, Number: number}
				select {
				case p.views <- v: // it is still the latest
				default:
				}
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Answered ends the panel if the seat is lost. Whatever else refuses a disc, a later view shows whether it is due.
func (p *player) Answered(_ game.Event, _ game.View, err error) error {
	if errors.Is(err, game.ErrNoSeat) {
		return err
	}
	return nil
}

// Programs are the running programs of a match, red's first.
type Programs struct {
	programs []*Program
	leave    context.CancelFunc
	wg       sync.WaitGroup
	mu       sync.Mutex // one call of failed at a time
	failed   func(error)
}

// StartAll starts the programs of a match, with the options for each. The caller must Close them.
// failed is told why a program cannot play on: "yellow's program ./bot.py ended with exit status 1".
func StartAll(commands map[board.Disc]Command, o Options, failed func(error)) (*Programs, error) {
	p := &Programs{leave: func() {}, failed: failed}
	for _, o.Player = range []board.Disc{board.Red, board.Yellow} {
		command, ok := commands[o.Player]
		if !ok {
			continue
		}
		program, err := Start(command, o)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.programs = append(p.programs, program)
	}
	return p, nil
}

// Join takes the programs' seats in a match and lets the programs play, until the match is over or
// Close.
func (p *Programs) Join(ctx context.Context, s session.Session) error {
	ctx, p.leave = context.WithCancel(ctx)
	for _, program := range p.programs {
		take := game.Take{Player: program.Player, Holder: program.command.String()}
		seat, err := s.Take(ctx, take)
		if err != nil {
			p.leave()
			return fmt.Errorf("%s: %w", program.name(), err)
		}
		p.wg.Go(func() {
			if err := Play(ctx, s, seat, take, program.Choose); err != nil {
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
	p.leave()
	p.wg.Wait()
	var text strings.Builder
	for _, program := range p.programs {
		if wrote := program.Close(); wrote != "" && program.Log == nil {
			fmt.Fprintf(&text, "%s wrote:\n%s\n", program.name(), wrote)
		}
	}
	return text.String()
}
