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
	"github.com/c4hat/c4hat/internal/panel/mirror"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/socket"
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
	leave    context.CancelFunc      // leaves the service's match; nil if there is none
	wg       sync.WaitGroup

	mu    sync.Mutex
	fault fault
}

// fault is the last failure.
type fault struct {
	why  string
	at   board.Game
	seen bool // whether Mark has added the fault to a view
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

func (p *Programs) failed(g board.Game, err error) {
	d := g.Position().Turn()
	p.mu.Lock()
	p.programs[d].failed.Store(true)
	p.fault = fault{why: err.Error(), at: g}
	p.mu.Unlock()
	p.options.Failed(fmt.Sprintf("%s %v", p.name(d), err))
}

// Mark adds to a view which players are programs. If a program has failed, the view also says why,
// until the next disc.
func (p *Programs) Mark(v *game.View) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for d, r := range p.programs {
		if r.failed.Load() {
			continue
		}
		side := d - board.Red
		v.Programs[side] = p.options.Commands[d].String()
		if v.Seats[side] == game.Taken {
			v.Seats[side] = game.Program
		}
	}
	switch {
	case v.Game == p.fault.at:
		v.Failed, p.fault.seen = p.fault.why, true
	case p.fault.seen:
		p.fault = fault{}
	}
}

// Panels returns the programs' panels, for a match that is played in this process.
func (p *Programs) Panels() map[board.Disc]session.Panel {
	panels := map[board.Disc]session.Panel{}
	for d, r := range p.programs {
		panels[d] = r.panel
	}
	return panels
}

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
	if err != nil && ctx.Err() == nil {
		p.failed(g, err)
	}
	return col, err
}

// Join takes the programs' seats in the service's match and lets the programs play, until Close or
// until a view for which until returns true. If token is not empty, the first of Players already
// has its seat, and token is the token of that seat.
func (p *Programs) Join(ctx context.Context, client *socket.Client, token string, until func(game.View) bool) error {
	ctx, p.leave = context.WithCancel(ctx)
	var seats []*socket.Client // in the order of Players
	if token != "" {
		seats = append(seats, client.Seated(token))
	}
	for _, d := range p.Players()[len(seats):] {
		taken, err := client.Take(ctx, p.options.Rules.Name(d))
		if err != nil {
			for _, seated := range seats {
				_ = seated.Leave(ctx) // if this fails, the service opens the seat later
			}
			return fmt.Errorf("%s: %w", p.name(d), err)
		}
		seats = append(seats, client.Seated(taken.Token))
	}
	for i, d := range p.Players() {
		p.wg.Go(func() { p.play(ctx, d, client, seats[i], until) })
	}
	return nil
}

// play lets a program play in the service's match. If the service restarts, play takes the
// program's seat again.
func (p *Programs) play(ctx context.Context, d board.Disc, client, seated *socket.Client, until func(game.View) bool) {
	for {
		m := mirror.Mirror{Client: seated, Keys: true, Until: until}
		_, err := m.Run(ctx, p.programs[d].panel)
		if !errors.Is(err, game.ErrNoSeat) || p.programs[d].failed.Load() {
			leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_ = seated.Leave(leaving) // if this fails, the service opens the seat later
			return
		}
		again, err := client.Take(ctx, p.options.Rules.Name(d))
		if err != nil {
			return // the match is over, or another client was faster
		}
		seated = client.Seated(again.Token)
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
