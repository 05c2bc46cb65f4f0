package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
)

// ErrInputEnded reports the end of input during a match.
var ErrInputEnded = errors.New("the input ended before the match was over")

// Options configure [Play].
type Options struct {
	In     io.Reader
	Out    io.Writer
	Boards Boards
	// Answer answers the questions that the game asks the computer, such as which disc to drop, as
	// in package session.
	Answer func(ctx context.Context, q game.Question, send func(game.Event)) (game.Event, error)
	// Program chooses the columns of the players in Programs. After an error, a person chooses
	// instead.
	Programs []board.Disc
	Holder   func(board.Disc) string // the name of a player's program
	Program  func(context.Context, board.Game) (int, error)
	// Save and Finish store matches. Saved delivers the latest answer to a save, as in package
	// loop. All may be nil.
	Save   func(game.Save)
	Finish func(r game.Record, abandoned bool)
	Saved  <-chan game.Saved
	// Resume is a match to resume, if its ID is not empty.
	Resume game.Record
	// Newline says whether to end the prompt's line after each input line. On a terminal that
	// is both input and output, the user's Enter does that.
	Newline bool
}

// Play plays a match, or with Config.Forever one after another. It returns nil when the
// match is over or the user quits, [ErrInputEnded] when the input ends, and the context's
// cause when the context is done. left reports whether a match is left that can be resumed.
func Play(ctx context.Context, c game.Config, o Options) (left bool, err error) {
	c.Idle, c.Attract = 0, false
	now := time.Unix(0, 0)
	s, err := game.Resume(c, o.Resume, now)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &player{
		Options: o, ctx: ctx, state: s, now: now, lines: cli.ReadLines(ctx, o.In),
		narrator: narrator{writer: newWriter(o.Out), boards: o.Boards, asks: true},
	}
	err = p.end(p.play())
	v := p.view()
	return v.UnderWay && v.Begun(), err
}

type player struct {
	Options
	ctx   context.Context
	state game.State
	now   time.Time
	lines <-chan cli.Line
	narrator
	asked game.Question // the game's open question, or nil

	saving int // ID of the last save, 0 once it has been answered

	over bool
}

func (p *player) play() error {
	for _, d := range p.Programs {
		p.stepFrom(game.Take{Player: d, Holder: p.Holder(d)}, seat(d))
		p.stepFrom(game.Present{}, seat(d))
	}
	p.step(game.Tick{})
	for {
		if err := p.settle(); err != nil || p.over {
			return err
		}
		ask, command, atEnd := p.question, p.command, ErrInputEnded
		if p.view().Phase == game.Menu {
			ask, command, atEnd = p.nextQuestion, p.nextCommand, nil
		}
		if err := ask(); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
		text, err := p.answer(p.ctx, p.lines, p.Newline)
		switch {
		case errors.Is(err, io.EOF):
			return atEnd
		case err != nil:
			return err
		}
		ev := command(text)
		if ev == (game.Quit{}) {
			return nil
		}
		p.now = p.now.Add(time.Second) // so that the game does not take the line for a double press
		if ev != nil {
			p.step(ev)
			p.refuse(p.view().Notice)
		}
		if _, ok := p.asked.(game.Advise); ok {
			p.advise()
		}
	}
}

func (p *player) view() game.View {
	return p.state.View(p.now)
}

// step passes an event to the game, and describes what it changes.
func (p *player) step(ev game.Event) {
	p.stepFrom(ev, game.Source{})
	p.tell(p.view())
}

// seat returns the source of the events of a player's program.
func seat(d board.Disc) game.Source { return game.Source{Kind: game.Holder, ID: uint64(d)} }

func (p *player) stepFrom(ev game.Event, from game.Source) {
	var effects []game.Effect
	p.state, effects = p.state.StepFrom(p.now, ev, from)
	for _, e := range effects {
		switch e := e.(type) {
		case game.Question:
			p.asked = e
		case game.Forget:
			p.asked = nil
		case game.Save:
			if p.Save != nil {
				p.Save(e)
				p.saving = e.ID
			}
		case game.Finish:
			if p.Finish != nil {
				p.Finish(e.Record, e.Abandoned)
			}
		case game.Stop:
			p.over = true
		}
	}
}

// settle advances the time until a player must choose.
func (p *player) settle() error {
	for !p.over {
		if err := p.flush(); err != nil {
			return err
		}
		switch v := p.view(); v.Phase {
		case game.Menu:
			return nil
		case game.Aim:
			if !v.TakenTurn() {
				return nil
			}
			if err := p.program(v.Game); err != nil {
				return err
			}
			continue
		case game.Thinking:
			if err := p.choose(); err != nil {
				return err
			}
		case game.Fall:
			if err := p.await(); err != nil {
				return err
			}
		}
		next, ok := p.state.Next(p.now)
		if !ok {
			return nil
		}
		p.now = next
		p.step(game.Tick{})
	}
	return nil
}

// await waits until the disc is saved, but at most a second, as the game would.
func (p *player) await() error {
	if p.saving == 0 {
		return nil
	}
	for late := time.After(time.Second); p.saving != 0; {
		select {
		case a := <-p.Saved:
			p.step(a)
			if a.ID >= p.saving {
				p.saving = 0
			}
		case <-late:
			p.saving = 0
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		}
	}
	return nil
}

// choose lets the computer choose, unless it already has.
func (p *player) choose() error {
	if p.asked == nil {
		return nil
	}
	ev := p.think()
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	p.step(ev)
	return nil
}

// think answers the game's question.
func (p *player) think() game.Event {
	q := p.asked
	p.asked = nil
	ev, err := p.Answer(p.ctx, q, p.step)
	if err != nil {
		return q.Done()
	}
	return ev
}

// program lets a program choose. If the program fails, people play on in its place.
func (p *player) program(g board.Game) error {
	col, err := p.Program(p.ctx, g)
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	p.now = p.now.Add(time.Second) // as for a person's disc
	var ev game.Event = game.Column{Col: col}
	if err != nil {
		ev = game.Leave{Why: err.Error()}
	}
	p.stepFrom(ev, seat(g.Position().Turn()))
	p.tell(p.view())
	return nil
}

// advise gives a hint.
func (p *player) advise() {
	p.step(p.think())
	if v := p.view(); v.Phase == game.Hinting {
		p.step(game.Press{Key: game.Middle}) // closes the hint
	} else {
		p.refuse(v.Notice)
	}
}
