// Package plain plays a match as lines of text: no escape codes and no waiting,
// for pipes and screen readers.
//
// It drives the same game as the LEDs, with its own clock, which it advances to the next
// moment at which a player must choose.
package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/lines"
)

// ErrInputEnded reports the end of input during a match.
var ErrInputEnded = errors.New("the input ended before the match was over; q quits")

// Options configure [Play].
type Options struct {
	In  io.Reader
	Out io.Writer
	// Advise scores each column.
	Advise func(context.Context, board.Game) (game.Advice, error)
	// Think chooses the computer's column.
	Think func(context.Context, game.Think) (int, error)
	// Save and Finish store matches, and Saved yields the ID of the last save that is
	// answered, as in package loop. All may be nil.
	Save   func(game.Save)
	Finish func(r game.Record, abandoned bool)
	Saved  <-chan int
	// Resume is a match to resume, if its ID is not empty.
	Resume game.Record
	// Newline ends the prompt's line after each input line. On a terminal that is both
	// input and output, the user's Enter does that.
	Newline bool
}

// Play plays a match, or with Config.Forever one after another. It returns nil when the
// match is over or the user quits, [ErrInputEnded] when the input ends, and the context's
// cause when that is done.
func Play(ctx context.Context, c game.Config, o Options) error {
	c.Idle, c.Attract = 0, false
	now := time.Unix(0, 0)
	s, err := game.Resume(c, o.Resume, now)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &player{Options: o, ctx: ctx, state: s, now: now, lines: lines.Read(ctx, o.In), writer: newWriter(o.Out)}
	v := p.view()
	p.say("%s.", game.RulesText(v.Match))
	p.say("Type a column, or u undo, ? hint, b board, q quit.")
	if v.Computer != board.Empty {
		exact := ""
		if game.Estimates(v.Match.Rules(), v.Level) {
			exact = ", which on this board looks far ahead but does not know everything"
		}
		p.say("%s%s.", computerText(v.Record), exact)
	}
	err = p.play()
	if flushErr := p.Flush(); err == nil && flushErr != nil {
		err = fmt.Errorf("writing: %w", flushErr)
	}
	return err
}

type player struct {
	Options
	ctx   context.Context
	state game.State
	now   time.Time
	lines <-chan lines.Line
	writer
	asked *game.Advise
	think *game.Think

	saving int // ID of the last save, unless it is answered

	matches int // finished
	over    bool
}

func (p *player) play() error {
	p.step(game.Tick{})
	p.showBoard()
	if err := p.settle(); err != nil {
		return err
	}
	for !p.over {
		text, err := p.ask()
		if err != nil {
			return err
		}
		if strings.EqualFold(text, "q") {
			return nil
		}
		p.answer(text)
		if err := p.settle(); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) view() game.View { return p.state.View(p.now) }

func (p *player) step(ev game.Event) {
	var effects []game.Effect
	p.state, effects = p.state.Step(p.now, ev)
	for _, e := range effects {
		switch e := e.(type) {
		case game.Advise:
			p.asked = &e
		case game.Think:
			p.think = &e
		case game.Forget:
			p.asked, p.think = nil, nil
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

func (p *player) showBoard() { p.board(p.view().Game.Position()) }
