package bot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
)

// MatchOptions configure [StartMatch].
type MatchOptions struct {
	Commands map[board.Disc]Command
	Rules    board.Rules
	MoveTime time.Duration
	Log      io.Writer    // takes the programs' standard error; if nil, Close returns its end
	Failed   func(string) // is called with the reason when a program cannot play on
}

// Programs are the running programs of a match. The zero value has none.
type Programs struct {
	options  MatchOptions
	programs map[board.Disc]*running // they stay the same after StartMatch
	leave    context.CancelFunc      // leaves the match; nil if there is none
	wg       sync.WaitGroup
}

// running is one program.
type running struct {
	*Program
	panel  *panel
	failed atomic.Bool
}

// StartMatch starts the programs. The caller must Close them.
func StartMatch(o MatchOptions) (*Programs, error) {
	p := &Programs{options: o, programs: map[board.Disc]*running{}}
	for d, command := range o.Commands {
		started, err := Start(command, Options{Rules: o.Rules, Player: d, MoveTime: o.MoveTime, Log: o.Log})
		if err != nil {
			p.Close()
			return nil, err
		}
		r := &running{Program: started}
		r.panel = newPanel(d, p.Choose)
		p.programs[d] = r
	}
	return p, nil
}

// name returns the name of a program in messages: "yellow's program ./py".
func (p *Programs) name(d board.Disc) string {
	return fmt.Sprintf("%s's program %v", p.options.Rules.Name(d), p.options.Commands[d])
}

// Holder returns the name of a player's program.
func (p *Programs) Holder(d board.Disc) string { return p.options.Commands[d].String() }

// Players returns the players that are programs.
func (p *Programs) Players() (players []board.Disc) {
	for _, d := range []board.Disc{board.Red, board.Yellow} {
		if p.programs[d] != nil {
			players = append(players, d)
		}
	}
	return players
}

// Choose asks the program of the player whose turn it is for its column. Unless the context has
// ended, an error means that the program has failed.
func (p *Programs) Choose(ctx context.Context, g board.Game) (int, error) {
	col, err := p.programs[g.Position().Turn()].Choose(ctx, g)
	if d := g.Position().Turn(); err != nil && ctx.Err() == nil {
		p.programs[d].failed.Store(true)
		p.options.Failed(fmt.Sprintf("%s %v", p.name(d), err))
	}
	return col, err
}

// Join takes the programs' seats in a match and lets the programs play, until Close, the end of the
// game, or a view for which until returns true. It takes the first of Players' seats only if
// the session first is nil; otherwise first holds that seat already.
func (p *Programs) Join(ctx context.Context, s, first session.Session, until func(game.View) bool) error {
	ctx, p.leave = context.WithCancel(ctx)
	var seats []session.Session // in the order of Players
	if first != nil {
		seats = append(seats, first)
	}
	for _, d := range p.Players()[len(seats):] {
		seat, err := s.Take(ctx, game.Take{Player: d, Holder: p.Holder(d)})
		if err != nil {
			for _, seat := range seats {
				_, _ = seat.Do(ctx, game.Leave{}) // if this fails, the seat is opened later
			}
			return fmt.Errorf("%s: %w", p.name(d), err)
		}
		seats = append(seats, seat)
	}
	for i, d := range p.Players() {
		p.wg.Go(func() { p.play(ctx, d, s, seats[i], until) })
	}
	return nil
}

// play lets a program play in a seat. If the service restarts, play takes the seat again.
func (p *Programs) play(ctx context.Context, d board.Disc, s, seat session.Session, until func(game.View) bool) {
	for {
		_, err := session.Attach(ctx, seat, p.programs[d].panel, session.Terms{Until: until}).Wait()
		if !errors.Is(err, game.ErrNoSeat) || p.programs[d].failed.Load() {
			leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_, _ = seat.Do(leaving, game.Leave{}) // if this fails, the seat is opened later
			return
		}
		if seat, err = s.Take(ctx, game.Take{Player: d, Holder: p.Holder(d)}); err != nil {
			return // the match is over, or another client was faster
		}
	}
}

// Close ends the programs, and gives up their seats. It returns the end of each program's standard
// error, unless Options.Log has received it.
func (p *Programs) Close() string {
	if p.leave != nil {
		p.leave()
	}
	p.wg.Wait()
	var text strings.Builder
	for _, d := range p.Players() {
		if wrote := p.programs[d].Close(); wrote != "" && p.options.Log == nil {
			fmt.Fprintf(&text, "%s wrote:\n%s\n", p.name(d), wrote)
		}
	}
	return text.String()
}
