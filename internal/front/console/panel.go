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
	lost     bool          // the game cannot be reached
	question asked         // what the current view asks for
	ask      string        // the prompt; empty: nobody can choose
	open     bool          // the prompt waits for its answer
	sent     asked         // the question whose answer was sent, and has not changed the game yet
	after    uint64        // the view's number after that answer
	hinting  bool          // a hint was asked for and has not arrived
	listed   map[bool]bool // whether the commands for puzzles, and those for matches, were listed
	tried    string        // the last match in which an answer was sent
}

// asked says what a prompt is for.
type asked struct {
	match string
	phase game.Phase // Paused, Dark, Menu; Aim for this client's turn, Thinking for another client's
	round int
	ply   int
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
	n := p.narrator
	if v.Lost != p.lost {
		p.lost, p.ask, p.open, p.sent = v.Lost, "", false, asked{}
		if v.Lost {
			n.sentence(words.ServiceLost)
			return n.flush()
		}
		n.sentence(words.ServiceBack)
	}
	n.tell(v)
	p.question, p.ask = p.prompt(v)
	if p.hinting && (v.Phase == game.Hinting || p.question != p.sent) {
		p.hinting, p.sent = false, asked{}
	}
	switch {
	case p.refused():
	case p.ask == "":
		p.open = false
		return n.flush()
	case p.question == p.sent, p.open && n.asking && p.question == n.asked:
		return n.flush()
	}
	return p.again()
}

// again writes the prompt, and lets Next read its answer.
func (p *Panel) again() error {
	p.sent = asked{}
	if p.open = p.ask != ""; !p.open {
		return p.narrator.flush()
	}
	n := p.narrator
	n.asked = p.question
	if puzzle := n.Last.Solving.On; n.asked.phase == game.Aim && !p.listed[puzzle] {
		p.listed[puzzle] = true
		n.commands(puzzle)
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return n.ask(p.ask)
}

// prompt returns what a view asks for, and the text that asks for it. The text is empty if nobody can choose.
func (p *Panel) prompt(v game.View) (q asked, text string) {
	q = asked{v.ID, v.Phase, v.Round(), v.Game.Position().Ply()}
	switch {
	case v.Phase == game.Hinting, v.Phase == game.Aim && !v.TakenTurn():
		q.phase, text = game.Aim, p.narrator.question()
	case v.Phase == game.Aim && !p.o.Newline: // another client's turn; lines from a pipe are kept for this client's turns
		q.phase, text = game.Thinking, v.Text.Title+":"
	case v.Phase == game.Paused, v.Phase == game.Reading:
		text = words.Sentence(words.Paused(&v)) + resumes
	case v.Phase == game.Dark && v.UnderWay:
		text = words.Sentence(words.Head(&v, false)) + resumes
	case !v.UnderWay && p.o.Forever && (v.Phase == game.Menu || v.Phase == game.Attract || v.Phase == game.Dark):
		q.phase, text = game.Menu, nextQuestion(p.o.Why)
	}
	return q, text
}

const resumes = ". Enter resumes it, q leaves:"

// refused says why the answer that was sent had no effect, if a later view says so: a puzzle's disc
// is judged when it has landed, and a hint may fail.
func (p *Panel) refused() bool {
	last := &p.narrator.Last
	if p.sent == (asked{}) || p.sent != p.question || last.Number <= p.after || last.Notice.Kind == game.NoticeNone {
		return false
	}
	p.narrator.refuse(last.Notice)
	p.hinting = false
	return true
}

// Next waits for a line that results in an event.
func (p *Panel) Next(ctx context.Context) (game.Event, error) {
	for {
		p.mu.Lock()
		input := p.lines
		if !p.open {
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
	n.answered(l, p.o.Newline)
	phase := n.asked.phase
	p.open, p.sent, p.after = false, n.asked, math.MaxUint64
	switch {
	case l.Err != nil && p.o.Unaided:
		p.lines = nil
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
		return nil, p.again()
	}
	p.hinting, p.tried = ev == game.Hint, n.Last.ID
	return ev, n.flush()
}

// event returns the event of a line that answers a question of a phase, or nil.
func (p *Panel) event(phase game.Phase, text string) game.Event {
	n := p.narrator
	switch {
	case phase == game.Menu:
		return n.nextCommand(text)
	case phase == game.Aim && n.Last.Phase == game.Hinting && isHint(text):
		n.Hint()
		return nil
	case phase == game.Aim:
		return n.command(text)
	case phase == game.Thinking:
		ev := n.command(text)
		if ev != nil && ev != (game.Quit{}) {
			n.refuse(game.Notice{Kind: game.NoticeTaken})
			return nil
		}
		return ev
	case text != "":
		if ev := n.command(text); ev == nil || ev == (game.Quit{}) {
			return ev
		}
		n.say("%s was not carried out, because the match was paused.", words.Quote(text))
	}
	if phase == game.Dark {
		return game.Press{Key: game.Middle}
	}
	return game.Pause // resumes a paused match
}

// Answered receives the view after an event that Next returned, or the error that says why the event
// had no effect.
func (p *Panel) Answered(ev game.Event, v game.View, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.narrator
	switch {
	case errors.Is(err, game.ErrNotYours):
		kind := game.NoticeTaken
		if ev == game.Undo {
			kind = game.NoticeTakenDisc
		}
		n.refuse(game.Notice{Kind: kind})
	case errors.Is(err, game.ErrNotNow):
		n.say("The game takes no disc at the moment.")
	case err != nil:
		n.sentence(err.Error())
	case v.Notice.Kind != game.NoticeNone:
		n.refuse(v.Notice)
	default:
		if p.after = v.Number; !p.refused() {
			return nil
		}
	}
	p.hinting = false
	return p.again()
}
