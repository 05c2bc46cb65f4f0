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

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// The input ended before the match was over, or in the middle of a puzzle.
var (
	ErrInputEnded  = errors.New("the input ended before the match was over")
	ErrPuzzleEnded = errors.New("the input ended before the puzzle was solved; q quits")
)

// Options configure a [Panel].
type Options struct {
	In     io.Reader
	Out    io.Writer
	Boards Boards
	// Newline says whether to end the prompt's line after each input line. On a terminal that is both
	// input and output, the user's Enter does that.
	Newline bool
	Forever bool   // after a match, ask which to play next
	Why     string // the command that says why the last match ended as it did
	Unaided bool   // programs play, which need no keyboard: the end of the input is no reason to leave
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
	asked    asked         // what was asked last
	prompt   string        // the question that waits for its answer; empty: none does
	after    uint64        // older views than this one are from before the last answer
	listed   map[bool]bool // whether the commands for puzzles, and those for matches, were listed
	tried    string        // the last match in which an answer was sent
}

// asked says what a prompt is for. The same is asked again only if a hint or a notice is the effect of the answer.
type asked struct {
	match  string
	phase  game.Phase // Paused, Dark, Menu; Aim for this client's turn, Thinking for another client's
	round  int
	ply    int
	hint   bool
	notice game.Notice
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
		p.asked, p.prompt, p.after = asked{}, "", 0
	case v.Number >= p.after:
		p.update()
	case v.Phase == game.Hinting: // it came before Answered, and may be over by then
		p.asked = asked{}
	}
	return p.narrator.flush()
}

// update asks what the last view asks for, unless that waits for its answer, or for the effect of the answer. It says why
// the answer had no effect, if a view says so: a puzzle's disc is judged when it has landed, and a hint may fail.
func (p *Panel) update() {
	n := p.narrator
	now, prompt := p.question()
	before := p.asked
	before.hint, before.notice = now.hint, now.notice
	again := now == before
	switch {
	case prompt == "":
		if p.prompt = ""; p.shown.Phase != game.Fall { // a wrong disc of a puzzle falls before it is asked for again
			p.asked = asked{}
		}
	case p.prompt != "" && again && n.asking:
		p.asked = now
	case p.prompt == "" && now == p.asked:
	default:
		if p.prompt == "" && again && now.notice != p.asked.notice {
			n.sentence(words.Notice(now.notice))
		}
		p.ask()
	}
}

// ask asks what the last view asks for, if it does, and lets Next read the answer.
func (p *Panel) ask() {
	n := p.narrator
	if p.asked, p.prompt = p.question(); p.prompt == "" {
		return
	}
	if puzzle := p.shown.Solving.On; p.asked.phase == game.Aim && !p.listed[puzzle] {
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
func (p *Panel) question() (q asked, prompt string) {
	v := &p.shown
	q = asked{v.ID, v.Phase, v.Round(), v.Game.Position().Ply(), v.Phase == game.Hinting, v.Notice}
	switch {
	case v.Lost:
	case v.Phase == game.Hinting, v.Phase == game.Aim && !v.TakenTurn():
		q.phase, prompt = game.Aim, p.narrator.question()
	case v.Phase == game.Aim && !p.o.Newline: // another client's turn; lines from a pipe are kept for this client's turns
		q.phase, prompt = game.Thinking, v.Text.Title+":"
	case v.Phase == game.Paused, v.Phase == game.Reading:
		prompt = words.Sentence(words.Paused(v)) + resumes
	case v.Phase == game.Dark && v.UnderWay:
		prompt = words.Sentence(words.Head(v, false)) + resumes
	case !v.UnderWay && p.o.Forever && (v.Phase == game.Menu || v.Phase == game.Attract || v.Phase == game.Dark):
		q.phase, prompt = game.Menu, nextQuestion(p.o.Why)
	}
	return q, prompt
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
	phase, before := p.asked.phase, p.after
	p.prompt, p.after = "", math.MaxUint64 // nothing is asked before Answered
	switch {
	case l.Err != nil && p.o.Unaided:
		p.lines, p.after = nil, before
		return nil, n.flush()
	case l.Err != nil && !errors.Is(l.Err, io.EOF):
		return nil, fmt.Errorf("reading: %w", l.Err)
	case l.Err != nil && (phase == game.Menu || n.Last.Solving.On && p.tried != n.Last.ID):
		return game.Quit{}, n.flush()
	case l.Err != nil && n.Last.Solving.On:
		return nil, errors.Join(n.flush(), ErrPuzzleEnded)
	case l.Err != nil:
		return nil, errors.Join(n.flush(), ErrInputEnded)
	}
	ev := p.event(phase, strings.TrimSpace(l.Text))
	if ev == nil {
		p.after = before
		p.ask()
	} else {
		p.tried = n.Last.ID
	}
	return ev, n.flush()
}

// event returns the event of a line that answers a question of a phase, or nil.
func (p *Panel) event(phase game.Phase, text string) game.Event {
	n := p.narrator
	switch {
	case phase == game.Menu:
		return n.nextCommand(text)
	case phase == game.Aim:
		return n.command(text)
	case text == "" && phase == game.Dark:
		return game.Press{Key: game.Middle}
	case text == "" && phase != game.Thinking:
		return game.Pause // resumes a paused match
	}
	ev := n.command(text)
	if ev != nil && ev != (game.Quit{}) {
		n.say(words.Quote(text) + " was not carried out.")
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
	switch {
	case err != nil:
		n.sentence(err.Error())
	case v.Notice.Kind != game.NoticeNone:
		n.sentence(words.Notice(v.Notice))
	default:
		p.asked.hint, p.asked.notice = false, game.Notice{}
		if p.shown.Number >= v.Number {
			p.update()
		}
		return n.flush()
	}
	p.ask()
	return n.flush()
}
