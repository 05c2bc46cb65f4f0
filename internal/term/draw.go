package term

import (
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/gdamore/tcell/v3"
)

// draw draws the view in the window. The caller holds the lock.
func (p *Panel) draw() {
	if !p.seen || p.closed {
		return
	}
	c := &p.canvas
	c.begin(p.screen.Size())
	defer c.show(p.screen)
	if !fits(c.width, c.height) {
		c.put(0, 0, c.width, tcell.StyleDefault, fmt.Sprintf("%dx%d is too small:", c.width, c.height))
		c.put(0, 1, c.width, tcell.StyleDefault, fmt.Sprintf("c4hat needs %dx%d", leastWidth, leastHeight))
		return
	}
	v := &p.view
	l := p.layout()
	c.put(l.left, l.top-headHeight, c.width-l.left, tcell.StyleDefault.Bold(true), p.headline())
	pic := p.picture(l)
	pic.draw(c)
	worth := (v.Phase == game.Hinting || v.Phase == game.Looking) && !l.small && l.air() > 0 // there is room above the board
	if pic.board {
		p.drawNumbers(l)
	}
	if worth {
		p.drawWorth(&pic)
	}
	help := p.help(v)
	if v.Lost {
		help = [2]string{words.ServiceLost, "q quit"}
	}
	if v.Fresh {
		help[0] = ""
	}
	if !p.unicode {
		for i := range help {
			help[i] = inASCII.Replace(help[i])
		}
	}
	x, y, room := l.text()
	helpX, helpY, lines := l.left, l.foot()+numberHeight, help[:]
	switch {
	case l.below:
		helpY += textHeight
	case !l.small:
		lines = wrap(strings.TrimSpace(help[0]+"  "+help[1]), "  ", textWidth)
		helpX, helpY = x, l.foot()-len(lines)
		room -= len(lines) + 1
	}
	note := ""
	if p.Note != nil {
		note = p.Note(v)
	}
	for i, line := range beside(v, room, !worth, note) {
		c.put(x, y+i, textWidth, tcell.StyleDefault, line)
	}
	for i, line := range lines {
		c.put(helpX, helpY+i, c.width-helpX, tcell.StyleDefault.Dim(true), line)
	}
}

// layout returns the layout of the window. The caller holds the lock.
func (p *Panel) layout() layout {
	width, height := p.screen.Size()
	return layoutFor(width, height, rulesOf(&p.view), p.glyphs().coarse())
}

// drawNumbers writes the numbers of the columns below the board. One number is in reverse video:
// that of the cursor, of the best column in a hint, or of the disc that signs are about.
func (p *Panel) drawNumbers(l layout) {
	v := &p.view
	marked := -1
	switch v.Phase {
	case game.Aim:
		marked = v.Cursor
	case game.Hinting:
		marked = v.Advice.Best(v.Game.Position())
	case game.Looking:
		if _, _, col, ok := signs(v); ok {
			marked = col
		}
	}
	for col := range l.columns {
		style := tcell.StyleDefault.Reverse(col == marked)
		p.canvas.set(l.number(col), l.foot(), rune('1'+col), style)
	}
}

// signs returns, while somebody looks back, the disc whose columns have signs: the last one if it has a
// mark, which the text is about, and otherwise the next; and the position before it. ok is false if there
// are no signs.
func signs(v *game.View) (before board.Position, verdict game.Verdict, col int, ok bool) {
	g, verdict, col := v.Game, v.Look.Next, v.Cursor
	if v.Look.Last.Marked() {
		verdict = v.Look.Last
		col, _, _ = g.Last()
		_ = g.Undo() // the last disc
	}
	return g.Position(), verdict, col, verdict.Known && v.Look.Variation == ""
}

// drawWorth writes the score of each column above it.
func (p *Panel) drawWorth(pic *picture) {
	v := &p.view
	position := v.Game.Position()
	y := pic.top + pic.air()/2 - 1
	looking := v.Phase == game.Looking
	before, verdict, _, ok := signs(v)
	if looking {
		if position = before; !ok {
			return
		}
	}
	for col := range position.LegalMoves() {
		score := v.Advice.Score[col]
		if looking {
			score = int(verdict.Worth[col])
		}
		front, text := inkMark, "-"
		switch {
		case score > 0:
			front, text = ink(game.LEDWins), "+"
		case score == 0 && (looking || v.Advice.Exact):
			front, text = ink(game.LEDDraws), "0"
		}
		if !looking { // while looking back, only the outcome of most columns is known
			text = words.Score(v.Advice, col)
		}
		x := pic.number(col) - len(text)/2
		p.canvas.put(x, y, len(text), pic.style(front, inkNone), text)
	}
}
