// Package console plays and shows a game as lines of text, without escape codes, and reads lines as
// answers. It is for pipes and screen readers. [Panel] plays, [Follow] only describes.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// ErrInputEnded says that the input ended before the match was over.
var ErrInputEnded = errors.New("the input ended before the match was over")

// Options configure a [Panel].
type Options struct {
	In     io.Reader
	Out    io.Writer
	Boards Boards
	// Newline says whether to end the prompt's line after each input line. On a terminal that is both
	// input and output, the user's Enter does that.
	Newline bool
	Forever bool // after a match, ask whether to play another
	Unaided bool // programs play, which need no keyboard: the end of the input is no reason to leave
}

// Panel plays a session in lines of text. It asks for a line at each turn of a person, but another
// panel of the session may play that turn first.
type Panel struct {
	o     Options
	lines <-chan cli.Line
	wake  chan struct{} // there is a new view

	mu       sync.Mutex
	narrator *narrator
	shown    game.View
	prompt   string        // the question that waits for its answer; empty: none does
	phase    game.Phase    // what it is about: Paused, Dark, Menu; Aim for this client's turn, Thinking for another client's
	after    uint64        // nothing is asked about views before this one: they are from before the last answer
	hinted   *board.Game   // the round for which the last answer asked for a hint, which has not come; nil: none
	noticed  game.Notice   // the last one
	listed   map[bool]bool // whether the commands for puzzles, and those for matches, were listed
}

// NewPanel returns a panel that reads lines until the context is done.
func NewPanel(ctx context.Context, o Options) *Panel {
	n := newNarrator(o.Out, o.Boards)
	n.Plays = true
	return &Panel{o: o, lines: cli.ReadLines(ctx, o.In), wake: make(chan struct{}, 1), narrator: n, listed: map[bool]bool{}}
}

// Close ends the line of an open prompt.
func (p *Panel) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.narrator.newline()
	_ = p.narrator.Flush() // Show reports errors
}

// Show describes what has changed, and asks for a line if somebody must choose.
func (p *Panel) Show(v game.View) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = v
	p.narrator.tell(v)
	switch {
	case v.Lost: // the answer may be lost too
		p.prompt, p.after, p.hinted = "", 0, nil
	case v.Number >= p.after:
		p.update()
	case v.Phase == game.Hinting: // it may be over when the answer comes
		p.hinted = nil
	}
	return p.narrator.flush()
}

// update asks what the last view asks for, unless that waits for its answer, or a hint is on its way. Before it asks
// again, it says why the answer had no effect: a puzzle's disc is judged when it has landed, and a hint may fail.
func (p *Panel) update() {
	v, n := &p.shown, p.narrator
	if p.hinted != nil && v.Phase == game.Aim && v.Game == *p.hinted && v.Notice.Kind == game.NoticeNone {
		return
	}
	phase, prompt := p.question()
	if p.prompt == "" && v.Notice.Kind != game.NoticeNone && v.Notice != p.noticed {
		n.sentence(words.Notice(v.Notice))
	}
	asks := prompt != "" && (prompt != p.prompt || !n.asking)
	p.hinted, p.noticed, p.phase, p.prompt = nil, v.Notice, phase, prompt
	if asks {
		p.ask()
	}
}

// ask asks the question, and lets Next read the answer.
func (p *Panel) ask() {
	n := p.narrator
	if puzzle := p.shown.Solving.On; p.phase == game.Aim && !p.listed[puzzle] {
		p.listed[puzzle] = true
		if puzzle {
			n.say("One column wins, now and at each later turn. The computer holds out as long as it can.")
		}
		n.say("Type a column, or " + others(puzzle) + ".")
	}
	n.ask(p.prompt)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// question returns what the last view asks for, and the text that asks for it, which is empty if nobody can choose.
func (p *Panel) question() (phase game.Phase, prompt string) {
	switch v := &p.shown; {
	case v.Lost, p.lines == nil:
	case v.Phase == game.Hinting, v.Phase == game.Aim && !v.TakenTurn():
		return game.Aim, p.narrator.question()
	case v.Phase == game.Aim && !p.o.Newline: // another client's turn; lines from a pipe are kept for this client's turns
		return game.Thinking, words.Head(v, false) + ":"
	case v.Phase == game.Paused, v.Phase == game.Reading:
		return game.Paused, words.Sentence(words.Paused(v)) + resumes
	case v.Phase == game.Dark && v.UnderWay:
		return game.Dark, words.Sentence(words.Head(v, false)) + resumes
	case !v.UnderWay && p.o.Forever && (v.Phase == game.Menu || v.Phase == game.Attract || v.Phase == game.Dark):
		return game.Menu, "Another match? Enter plays the same again, q quits:"
	}
	return "", ""
}

const resumes = ". Enter resumes it, q leaves:"

// Next waits for a line that results in an event.
func (p *Panel) Next(ctx context.Context) (game.Event, error) {
	for {
		p.mu.Lock()
		input := p.lines
		if p.prompt == "" {
			input = nil
		}
		p.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-p.wake:
		case l := <-input:
			if ev, err := p.line(l); ev != nil || err != nil {
				return ev, err
			}
		}
	}
}

// line executes a line. If the line results in no event, it writes the prompt again.
func (p *Panel) line(l cli.Line) (game.Event, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.narrator
	if p.o.Newline || l.Err != nil { // nobody's Enter has ended the question's line
		n.newline()
	}
	n.asking = false
	if l.Err != nil { // nothing is asked any more
		p.lines, p.prompt = nil, ""
	}
	switch {
	case l.Err != nil && p.o.Unaided:
		return nil, n.flush()
	case l.Err != nil && !errors.Is(l.Err, io.EOF):
		return nil, fmt.Errorf("reading: %w", l.Err)
	case l.Err != nil && (p.phase == game.Menu || n.Last.Solving.On):
		return game.Quit{}, n.flush()
	case l.Err != nil:
		return nil, errors.Join(n.flush(), ErrInputEnded)
	}
	ev := p.event(strings.TrimSpace(l.Text))
	if ev == nil {
		p.ask()
		return nil, n.flush()
	}
	p.prompt, p.after = "", math.MaxUint64 // nothing is asked before Answered
	if ev == game.Hint {
		round := n.Last.Game
		p.hinted = &round
	}
	return ev, n.flush()
}

// event returns the event of a line that answers the question, or nil.
func (p *Panel) event(text string) game.Event {
	n := p.narrator
	switch {
	case p.phase == game.Aim:
		return n.command(text)
	case text == "" && p.phase == game.Menu:
		return game.Start{Setup: n.Last.Setup()}
	case text == "" && p.phase == game.Dark:
		return game.Press{Key: game.Middle}
	case text == "" && p.phase != game.Thinking:
		return game.Pause // resumes a paused match
	}
	ev := n.command(text)
	if ev != nil && ev != (game.Quit{}) {
		n.say(words.Quote(text) + " does nothing now.")
		return nil
	}
	return ev
}

// Answered receives the view after an event that Next returned, or the error that says why the event
// had no effect.
func (p *Panel) Answered(_ game.Event, v game.View, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.narrator
	if p.after > 0 { // the service was not lost meanwhile
		p.after = v.Number
	}
	if err != nil && v.Notice.Kind == game.NoticeNone { // update says a notice
		n.sentence(err.Error())
	}
	if err != nil || v.Notice.Kind != game.NoticeNone {
		p.hinted = nil
	}
	if p.shown.Number >= p.after {
		p.update()
	}
	return n.flush()
}
