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
	if !p.seen || p.closed || p.lent {
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
	v := &p.view
	l := p.layout()
	p.put(l.left, l.top-headHeight, width-l.left, tcell.StyleDefault.Bold(true), p.headline())
	pic := p.picture(l)
	p.drawPicture(&pic)
	worth := (v.Phase == game.Hinting || v.Phase == game.Looking) && !l.small && l.air() > 0 // there is room above the board
	if pic.board {
		p.drawNumbers(l)
	}
	if worth {
		p.drawWorth(&pic)
	}
	help := v.Text.Help
	switch {
	case v.Lost:
		help = [2]string{words.ServiceLost, "q quit"}
	case p.Watches:
		help = [2]string{"the match on the HAT", "q quit"}
	case p.State != nil:
		help[0] = p.State()
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
	for i, line := range beside(v, room, !worth, p.Note) {
		p.put(x, y+i, textWidth, tcell.StyleDefault, line)
	}
	for i, line := range lines {
		p.put(helpX, helpY+i, width-helpX, tcell.StyleDefault.Dim(true), line)
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

// layout returns the layout of the window. The caller holds the lock.
func (p *Panel) layout() layout {
	width, height := p.screen.Size()
	return layoutFor(width, height, rulesOf(&p.view), p.coarse())
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
		p.set(l.number(col), l.foot(), rune('1'+col), style)
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
		p.put(x, y, len(text), pic.style(front, inkNone), text)
	}
}
