package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// Panel plays a match of the service, in real time. It asks for a line at each turn of a person,
// but another panel of the match may play that turn first.
type Panel struct {
	o     PanelOptions
	lines <-chan cli.Line
	wake  chan struct{} // there is a new view

	mu       sync.Mutex
	narrator narrator
	lost     bool // the game cannot be reached
	open     bool // a prompt waits for its answer
	question asked
	ask      func() error // writes the prompt
	done     asked        // the prompt answered last
	hinting  bool         // a hint was asked for and has not arrived
	again    game.Event   // the event to send once more, because it changed nothing
	tries    int          // how many times again may still be set
}

// PanelOptions configure a [Panel].
type PanelOptions struct {
	In      io.Reader
	Out     io.Writer
	Boards  Boards
	Newline bool // as in [Options]
	Forever bool // after a match, ask which to play next
	Unaided bool // programs play, which need no keyboard: the end of the input is no reason to leave
}

// asked says what a prompt is for.
type asked struct {
	match string
	phase game.Phase // Paused, Dark, Menu; Aim for this client's turn, Thinking for another client's
	round int
	ply   int
}

// NewPanel returns a panel that reads lines until the context is done.
func NewPanel(ctx context.Context, o PanelOptions) *Panel {
	return &Panel{
		o: o, lines: cli.ReadLines(ctx, o.In), wake: make(chan struct{}, 1),
		narrator: narrator{writer: newWriter(o.Out), boards: o.Boards, asks: true},
	}
}

// Show describes what has changed, and asks for a line if somebody must choose.
func (p *Panel) Show(v game.View, _ bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := &p.narrator
	if v.Lost != p.lost {
		p.lost, p.open, p.done = v.Lost, false, asked{}
		if v.Lost {
			n.say("The service has stopped: waiting for it.")
			return n.Flush()
		}
		n.say("The service is back.")
	}
	n.tell(v)
	q := asked{v.ID, v.Phase, number(v.Record), v.Game.Position().Ply()}
	ask := n.question
	switch {
	case v.Phase == game.Hinting, v.Phase == game.Aim && !v.TakenTurn():
		q.phase = game.Aim
	case v.Phase == game.Aim && !p.o.Newline: // another client's turn; lines from a pipe are kept for this client's turns
		turn := v.Game.Position().Turn()
		q.phase = game.Thinking
		ask = func() error {
			return n.ask("%s: ", words.Seat(v.Match.Rules(), turn, v.Seats[turn-board.Red]))
		}
	case v.Phase == game.Paused:
		ask = func() error { return n.ask("The match is paused. Enter resumes it, q leaves: ") }
	case v.Phase == game.Dark && v.UnderWay:
		ask = func() error {
			return n.ask("Nobody played for a while, and the HAT is dark. Enter resumes the match, q leaves: ")
		}
	case !v.UnderWay && p.o.Forever && (v.Phase == game.Menu || v.Phase == game.Attract || v.Phase == game.Dark):
		q.phase, ask = game.Menu, n.nextQuestion
	default:
		p.open = false
		return n.Flush()
	}
	if p.hinting && (v.Phase == game.Hinting || q != p.done) {
		p.hinting, p.done = false, asked{}
	}
	if q == p.done || p.open && q == p.question && n.asking {
		return n.Flush()
	}
	p.open, p.question, p.ask, p.done = true, q, ask, asked{}
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return ask()
}

// Next waits for a line that results in an event.
func (p *Panel) Next(ctx context.Context) (game.Event, error) {
	for {
		p.mu.Lock()
		open, again := p.open, p.again
		p.again = nil
		p.mu.Unlock()
		var input <-chan cli.Line
		var later <-chan time.Time
		switch {
		case again != nil:
			later = time.After(retryAfter)
		case open:
			input = p.lines
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-p.wake:
		case <-later:
			return again, nil
		case l := <-input:
			if ev, err := p.line(l); ev != nil || err != nil {
				return ev, err
			}
		}
	}
}

// A disc that did not fall is sent again after retryAfter, at most retries times: the first key
// after a hint only closes the hint, and the game ignores a drop key within a quarter of a
// second of the last one.
const (
	retryAfter = 300 * time.Millisecond
	retries    = 5
)

// line executes a line. If the line results in no event, it writes the prompt again.
func (p *Panel) line(l cli.Line) (game.Event, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := &p.narrator
	n.answered(l, p.o.Newline)
	var ev game.Event
	switch phase, text := p.question.phase, strings.TrimSpace(l.Text); {
	case l.Err != nil && p.o.Unaided:
		p.lines = nil
		return nil, n.Flush()
	case l.Err != nil && !errors.Is(l.Err, io.EOF):
		return nil, fmt.Errorf("reading: %w", l.Err)
	case l.Err != nil && phase == game.Menu:
		ev = game.Quit{}
	case l.Err != nil:
		return nil, errors.Join(n.Flush(), ErrInputEnded)
	case phase == game.Menu:
		ev = n.nextCommand(text)
	case phase == game.Aim && n.last.Phase == game.Hinting && isHint(text):
		n.say("%s", words.Sentence(words.Hint(&n.last)))
	case phase == game.Aim:
		ev = n.command(text)
	case phase == game.Thinking:
		if ev = n.command(text); ev != nil && ev != (game.Quit{}) {
			n.say("It is not your turn.")
			ev = nil
		}
	default:
		if text != "" {
			if ev = n.command(text); ev == nil || ev == (game.Quit{}) {
				break
			}
		}
		if ev = game.Pause; phase == game.Dark { // Pause resumes a paused match
			ev = game.Press{Key: game.Middle}
		}
	}
	if ev == nil {
		return nil, p.ask()
	}
	p.open, p.done, p.hinting, p.tries = false, p.question, ev == game.Hint, retries
	return ev, n.Flush()
}

// Answered receives the view after an event that Next returned, or the error that says why the event
// had no effect.
func (p *Panel) Answered(ev game.Event, v game.View, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := &p.narrator
	_, drops := ev.(game.Column)
	same := p.done == asked{v.ID, v.Phase, number(v.Record), v.Game.Position().Ply()}
	switch {
	case errors.Is(err, game.ErrNotYours) && slices.ContainsFunc(n.last.Seats[:], func(s game.Seat) bool { return s.Holder != "" }):
		kind := game.NoticeTaken
		if ev == game.Undo {
			kind = game.NoticeTakenDisc
		}
		n.refuse(game.Notice{Kind: kind})
	case err != nil:
		n.sentence(err.Error())
	case v.Notice.Kind != game.NoticeNone:
		n.refuse(v.Notice)
	case drops && same && p.tries > 0:
		p.again = ev
		p.tries--
		return nil
	case drops && same:
		n.say("The game takes no disc at the moment.")
	default:
		return nil
	}
	p.open, p.done, p.hinting = true, asked{}, false
	return p.ask()
}
