package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// ask prompts for a column and reads a line.
func (p *player) ask() (string, error) {
	v := p.view()
	position := v.Game.Position()
	r := position.Rules()
	fmt.Fprintf(p, "%s, column 1-%d: ", r.Name(position.Turn()), r.Columns)
	if err := p.Flush(); err != nil {
		return "", fmt.Errorf("writing: %w", err)
	}
	select {
	case <-p.ctx.Done():
		p.say("")
		return "", context.Cause(p.ctx)
	case l := <-p.lines:
		if p.Newline || l.Err != nil {
			p.say("")
		}
		if l.Err == nil {
			return strings.TrimSpace(l.Text), nil
		}
		if !errors.Is(l.Err, io.EOF) {
			return "", fmt.Errorf("reading: %w", l.Err)
		}
		if p.matches > 0 && v.Match.Played() == 0 && position.Ply() == 0 {
			return "q", nil // between two matches
		}
		return "", ErrInputEnded
	}
}

// answer executes a line, or prints why it cannot.
func (p *player) answer(text string) {
	p.now = p.now.Add(time.Second) // no line counts as a second tap
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
			p.say("%s: choose another from 1 to %d.", sentence(notice.String()), columns)
		}
	}
}

func (p *player) undo() {
	p.step(game.Undo)
	v := p.view()
	if v.Notice.Kind != game.NoticeNone {
		p.say("%s.", sentence(v.Notice.String()))
		return
	}
	p.say("Taken back.")
	p.showBoard()
}

// hint asks for advice and waits for it.
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
		p.say("%s.", sentence(p.view().Notice.String()))
		return
	}
	p.step(game.Advised{ID: asked.ID, Advice: advice})
	position := asked.Game.Position()
	kind := "Estimated worth"
	if advice.Exact {
		kind = "Worth"
	}
	var worth []string
	for col := range position.LegalMoves() {
		worth = append(worth, fmt.Sprintf("column %d %s", col+1, game.ScoreText(advice.Score[col])))
	}
	p.say("%s to %s (+ wins, - loses, 0 draws): %s.", kind, position.Rules().Name(position.Turn()), strings.Join(worth, ", "))
	p.step(game.Press{Key: game.Middle}) // a press closes the hint
}

// sentence is a text as the start of a sentence.
func sentence(s string) string {
	return strings.ToUpper(s[:1]) + s[1:]
}

// quote makes input short and safe to print.
func quote(text string) string {
	const most = 20
	if len(text) > most {
		return strconv.QuoteToASCII(text[:most]) + " and so on"
	}
	return strconv.QuoteToASCII(text)
}
