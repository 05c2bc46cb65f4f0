package term

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/gdamore/tcell/v3"
)

// draw draws the view in the window. The caller holds the lock.
func (p *Panel) draw() {
	if p.view.Phase == "" { // nothing has been shown yet
		return
	}
	width, height := p.screen.Size()
	p.screen.Fill(' ', tcell.StyleDefault)
	defer p.screen.Show()
	if !fits(width, height) {
		p.put(0, 0, width, tcell.StyleDefault, fmt.Sprintf("%dx%d is too small:", width, height))
		p.put(0, 1, width, tcell.StyleDefault, fmt.Sprintf("c4hat needs %dx%d", leastWidth, leastHeight))
		return
	}
	pic, w := p.picture(), worthOf(&p.view)
	p.put(pic.left, pic.top-headHeight, width-pic.left, tcell.StyleDefault.Bold(true), p.headline())
	p.drawPicture(&pic)
	if pic.board {
		for col := range pic.columns {
			x, _ := pic.middle(col, 0)
			p.set(x, pic.foot(), rune('1'+col), tcell.StyleDefault.Reverse(col == w.marked))
		}
	}
	over := !pic.small && pic.above > 0 // there is room for the columns' worth
	if over {
		p.drawWorth(&pic, &w)
	}
	help, room := p.help(), pic.height
	x, y, lines := pic.left, pic.foot()+numberHeight, help[:]
	if !pic.small {
		lines = wrap(strings.TrimSpace(help[0]+"  "+help[1]), "  ", textWidth)
		x, y = pic.text, pic.foot()-len(lines)
		room -= len(lines) + 1
	}
	for i, line := range lines {
		p.put(x, y+i, width-x, tcell.StyleDefault.Dim(true), line)
	}
	for i, line := range beside(&p.view, w, over, room, p.Note) {
		p.put(pic.text, pic.top+i, textWidth, tcell.StyleDefault, line)
	}
}

// set puts a rune into a cell. tcell sends only the cells that have changed.
func (p *Panel) set(x, y int, r rune, style tcell.Style) { p.screen.SetContent(x, y, r, nil, style) }

// put writes a text of narrow runes, and cuts it off after width cells.
func (p *Panel) put(x, y, width int, style tcell.Style, text string) {
	for i, r := range []rune(text) {
		if i >= width {
			return
		}
		p.set(x+i, y, r, style)
	}
}

// worth is what a hint or a look back says of the columns.
type worth struct {
	texts  [board.MaxSide]string // empty: the column is full, or nothing is known
	marked int                   // the column whose number is in reverse video, or -1
}

// worthOf returns what a view says of the columns. In a look back, that is about the last disc if it has a mark,
// as the text beside the picture is, and otherwise about the next.
func worthOf(v *game.View) (w worth) {
	w.marked = -1
	switch {
	case v.Phase == game.Aim:
		w.marked = v.Cursor
	case v.Phase == game.Hinting:
		w.marked = v.Advice.Best(v.Game.Position())
		for col := range v.Game.Position().LegalMoves() {
			w.texts[col] = words.Score(v.Advice, col)
		}
	case v.Phase == game.Looking && v.Look.Variation == "":
		g, verdict, marked := v.Game, v.Look.Next, v.Cursor
		if v.Look.Last.Marked() {
			verdict = v.Look.Last
			marked, _, _ = g.Last()
			_ = g.Undo() // the last disc
		}
		if !verdict.Known {
			return w
		}
		w.marked = marked
		for col := range g.Position().LegalMoves() { // only the outcome of most columns is known
			w.texts[col] = map[int]string{-1: "-", 0: "0", 1: "+"}[cmp.Compare(verdict.Worth[col], 0)]
		}
	}
	return w
}

// drawWorth writes what each column is worth above it.
func (p *Panel) drawWorth(pic *picture, w *worth) {
	for col, text := range w.texts[:pic.columns] {
		front := inkMark
		switch {
		case strings.HasPrefix(text, "+"):
			front = ink(game.LEDWins)
		case text == "0":
			front = ink(game.LEDDraws)
		}
		x, y := pic.middle(col, 0)
		p.put(x-len(text)/2, y, len(text), pic.style(front, inkNone), text)
	}
}
