// Package plain plays a match as lines of text: no escape codes and no waiting,
// for pipes and for people who listen to their screen.
//
// It drives the same game as the LEDs, with a clock of its own that it turns
// forward to the next moment at which somebody must choose.
package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/lines"
)

// ErrInputEnded is the end of input in the middle of a match.
var ErrInputEnded = errors.New("the input ended before the match was over; q quits")

// Options are what a match is played with.
type Options struct {
	In  io.Reader
	Out io.Writer
	// Advise says what each column is worth.
	Advise func(context.Context, board.Game) (game.Advice, error)
	// Think chooses the computer's column.
	Think func(context.Context, game.Think) (int, error)
	// Save and Finish keep matches. They may be nil.
	Save   func(game.Record)
	Finish func(r game.Record, abandoned bool)
	// Resume is a match to go on with, if its ID is not empty.
	Resume game.Record
	// Newline ends the line of the prompt after each answer. A person's own
	// enter does so on a terminal that is both input and output.
	Newline bool
}

// Play plays a match, or one after the other where the configuration says so,
// until it is over, somebody quits (nil), the input ends ([ErrInputEnded]) or the
// context is done (its cause).
func Play(ctx context.Context, c game.Config, o Options) error {
	c.Idle, c.Attract = 0, false
	now := time.Unix(0, 0)
	s, err := game.New(c, now)
	if o.Resume.ID != "" {
		s, err = game.Resume(c, o.Resume, now)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &player{Options: o, ctx: ctx, state: s, now: now, lines: lines.Read(ctx, o.In), out: bufio.NewWriter(o.Out)}
	v := p.view()
	rules := v.Match.Rules()
	p.say("%d in a row on %dx%d, first to %d.", rules.Connect, rules.Columns, rules.Rows, v.Match.Target())
	p.say("Type a column, or u undo, ? hint, b board, q quit.")
	if v.Computer != board.Empty {
		exact := ""
		if v.Level == int(levels.Perfect) && rules != board.Standard {
			exact = ", which on this board looks far ahead but does not know everything"
		}
		p.say("The computer is %s, level %d%s.", rules.Name(v.Computer), v.Level, exact)
	}
	err = p.play()
	if flushErr := p.out.Flush(); err == nil && flushErr != nil {
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
	out   *bufio.Writer
	asked *game.Advise
	think *game.Think

	matches int // played to their end
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

// ask prompts for a column and waits for a line.
func (p *player) ask() (string, error) {
	v := p.view()
	position := v.Game.Position()
	r := position.Rules()
	fmt.Fprintf(p.out, "%s, column 1-%d: ", r.Name(position.Turn()), r.Columns)
	if err := p.out.Flush(); err != nil {
		return "", fmt.Errorf("writing: %w", err)
	}
	select {
	case <-p.ctx.Done():
		return "", context.Cause(p.ctx)
	case l := <-p.lines:
		if p.Newline {
			p.say("")
		}
		if l.Err == nil {
			return strings.TrimSpace(l.Text), nil
		}
		if !errors.Is(l.Err, io.EOF) {
			return "", fmt.Errorf("reading: %w", l.Err)
		}
		if p.matches > 0 && v.Match.Rounds() == 0 && position.Ply() == 0 {
			return "q", nil // between two matches
		}
		return "", ErrInputEnded
	}
}

// answer does what a line asks for, or says why not.
func (p *player) answer(text string) {
	p.now = p.now.Add(time.Second) // a line is no nervous tap
	columns := p.state.Match().Rules().Columns
	want := fmt.Sprintf("type 1 to %d, or u undo, ? hint, b board, q quit", columns)
	switch {
	case text == "":
		p.say("That line is empty: %s.", want)
	case strings.EqualFold(text, "u"):
		p.undo()
	case text == "?":
		p.hint()
	case strings.EqualFold(text, "b"):
		p.showBoard()
	default:
		col, err := strconv.ParseUint(text, 10, 8)
		if err != nil {
			p.say("%s is not a column: %s.", quote(text), want)
			return
		}
		p.step(game.Column{Col: int(col) - 1})
		if notice := p.view().Notice; notice.Kind != game.NoticeNone {
			p.say("%s: choose another from 1 to %d.", sentence(notice), columns)
		}
	}
}

func (p *player) undo() {
	p.step(game.Undo)
	v := p.view()
	if v.Notice.Kind != game.NoticeNone {
		p.say("%s.", sentence(v.Notice))
		return
	}
	p.say("Taken back.")
	p.showBoard()
}

// hint asks for advice and waits for it: there is nothing else to do here.
func (p *player) hint() {
	p.step(game.Hint)
	if p.asked == nil {
		return
	}
	asked := *p.asked
	p.asked = nil
	advice, err := p.Advise(p.ctx, asked.Game)
	if err != nil {
		p.step(game.AdviceFailed{ID: asked.ID})
		p.say("%s.", sentence(p.view().Notice))
		return
	}
	p.step(game.Advised{ID: asked.ID, Advice: advice})
	position := asked.Game.Position()
	kind := "Estimated worth"
	if advice.Exact {
		kind = "Worth"
	}
	var worth []string
	for col := range position.FreeColumns() {
		worth = append(worth, fmt.Sprintf("column %d %+d", col+1, advice.Score[col]))
	}
	p.say("%s to %s: %s.", kind, position.Rules().Name(position.Turn()), strings.Join(worth, ", "))
	p.step(game.Press{Key: game.Middle}) // a press puts the hint away
}

// settle lets time pass until somebody must choose, and tells what happens.
func (p *player) settle() error {
	fell := false
	falls := func() {
		if v := p.view(); v.Phase == game.Fall {
			fell = true
			p.say("%s", game.MoveText(v.Game, v.Computer))
		}
	}
	falls()
	for !p.over {
		v := p.view()
		switch v.Phase {
		case game.Thinking:
			if err := p.ponder(); err != nil {
				return err
			}
		case game.Aim:
			if fell {
				p.showBoard()
			}
			return nil
		case game.Menu:
			p.matches++
			p.step(game.Press{Key: game.Middle}) // a rematch
			continue
		}
		next, ok := p.state.Next(p.now)
		if !ok {
			return nil
		}
		p.now = next
		p.step(game.Tick{})
		if v.Phase == game.Thinking {
			falls()
		}
		p.tell(v.Phase)
	}
	return nil
}

// ponder has the computer choose, unless it has.
func (p *player) ponder() error {
	if p.think == nil {
		return nil
	}
	think := *p.think
	p.think = nil
	if err := p.out.Flush(); err != nil { // it may take a while
		return fmt.Errorf("writing: %w", err)
	}
	col, err := p.Think(p.ctx, think)
	switch {
	case p.ctx.Err() != nil:
		return context.Cause(p.ctx)
	case err != nil:
		p.step(game.ThinkFailed{ID: think.ID})
	default:
		p.step(game.Chosen{ID: think.ID, Col: col})
	}
	return nil
}

// tell says what a change of phase means.
func (p *player) tell(before game.Phase) {
	v := p.view()
	position := v.Game.Position()
	switch {
	case v.Phase == before:
	case v.Phase == game.Cheer, v.Phase == game.Drawn:
		p.showBoard()
		p.say("%s", game.RoundText(v.Match, position.Outcome()))
	case v.Phase == game.Victory:
		if person := game.PersonText(v.Match, v.Computer); person != "" {
			p.say("%s", person)
		}
		p.say("%s", game.MatchText(v.Match))
	}
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
				p.Save(e.Record)
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

func (p *player) say(format string, args ...any) {
	fmt.Fprintf(p.out, format+"\n", args...)
}

func (p *player) showBoard() { writeBoard(p.out, p.view().Game.Position()) }

// sentence is a notice as the beginning of one.
func sentence(n game.Notice) string {
	s := n.String()
	return strings.ToUpper(s[:1]) + s[1:]
}

// quote makes what somebody typed safe to print, and short.
func quote(text string) string {
	const most = 20
	if len(text) > most {
		return strconv.QuoteToASCII(text[:most]) + " and so on"
	}
	return strconv.QuoteToASCII(text)
}
