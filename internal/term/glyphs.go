package term

import (
	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v3"
)

// glyphs are the runes that a picture is made of.
//
// Half blocks and ● are in the fonts of all common terminals (WGL4, Microsoft's list, has
// them); quadrants, sextants and larger circles are not. Debian's fonts for the Linux console
// have only the full block.
type glyphs struct {
	full         rune    // a filled cell; ' ' where the background colour fills it
	upper, lower [2]rune // the upper or the lower half of a cell, on the left or the right edge of a disc
	round        rune    // a small disc
	bold         bool    // discs are bold, which makes them bright
}

var (
	blocks  = glyphs{full: '█', upper: [2]rune{'▀', '▀'}, lower: [2]rune{'▄', '▄'}, round: '●'}
	slashes = glyphs{full: ' ', upper: [2]rune{'\\', '/'}, lower: [2]rune{'/', '\\'}, round: 'O'}
	console = glyphs{full: '█', upper: slashes.upper, lower: slashes.lower, round: 'O', bold: true}
	letters = glyphs{upper: slashes.upper, lower: slashes.lower} // full and round are the letter of the player
)

func (p *Panel) glyphs() glyphs {
	switch {
	case p.screen.Colors() < 8:
		return letters
	case !p.unicode:
		return slashes
	case p.console:
		return console
	}
	return blocks
}

func (g glyphs) letters() bool { return g.full == 0 }

// coarse reports whether the glyphs cannot fill exactly half a cell.
func (g glyphs) coarse() bool { return g.upper != blocks.upper }

// style returns the style that draws one ink on another.
func (pic *picture) style(front, back ink) tcell.Style {
	if pic.letters() {
		return tcell.StyleDefault
	}
	bold := pic.bold && front != inkNone && front != inkPlate
	return tcell.StyleDefault.Foreground(pic.colours[front]).Background(pic.colours[back]).Bold(bold)
}

func (pic *picture) cell(x, y int) (rune, tcell.Style) {
	upper, lower := pic.at(x, 2*y), pic.at(x, 2*y+1)
	if pic.board && pic.coarse() && pic.disc() == 2 {
		if r, back := pic.bracket(x, y, upper); r != ' ' {
			return r, pic.style(upper, back)
		}
	}
	switch {
	case upper != lower && (lower == inkPlate || lower == inkNone && upper != inkPlate):
		return edge(pic.upper, pic.at(x+1, 2*y) == upper), pic.style(upper, lower)
	case upper != lower:
		return edge(pic.lower, pic.at(x+1, 2*y+1) == lower), pic.style(lower, upper)
	case upper == inkNone || upper == inkPlate:
		return ' ', pic.style(upper, upper)
	case pic.letters():
		return pic.letter(upper), tcell.StyleDefault.Reverse(upper == inkLast)
	case pic.coarse() && upper == inkLast:
		return '*', pic.style(inkNone, upper)
	}
	return pic.full, pic.style(upper, upper)
}

// bracket returns the bracket at the edge of a disc that is one cell high, and the ink beside the
// disc. It returns ' ' if the cell is not at an edge.
func (pic *picture) bracket(x, y int, disc ink) (rune, ink) {
	left, right := pic.at(x-1, 2*y), pic.at(x+1, 2*y)
	switch {
	case disc == inkPlate, disc == inkNone && left != inkPlate && right != inkPlate:
	case left != disc:
		return '(', left
	case right != disc:
		return ')', right
	}
	return ' ', inkNone
}

func edge(of [2]rune, left bool) rune {
	if left {
		return of[0]
	}
	return of[1]
}

func (pic *picture) letter(i ink) rune {
	if i == inkLast {
		i = ink(pic.frame[pic.last])
	}
	if led := game.LED(i); led != game.LEDPlain {
		return rune(led.Letter())
	}
	return '#'
}

// drawSmall draws each LED as a letter with a gap on either side. The last disc is in
// brackets.
func (pic *picture) drawSmall(c *canvas) {
	for y := range board.MaxSide {
		onBoard := pic.board && y >= board.MaxSide-pic.rows
		back := inkNone
		if onBoard && !pic.dots {
			back = inkPlate
		}
		mark := pic.style(inkMark, back)
		for x := range 2*pic.columns + 1 {
			c.set(pic.left+x, pic.top+y, ' ', mark)
		}
		for col := range pic.columns {
			led, x := board.MaxSide*y+col, pic.left+2*col
			disc := pic.ink(led)
			r, style := pic.round, pic.style(disc, back)
			switch {
			case disc == inkNone && !onBoard:
				r = ' '
			case disc == inkNone && pic.dots:
				r, style = '.', mark
			case pic.letters():
				r = pic.letter(disc)
			case disc != inkNone && r == slashes.round:
				style = pic.style(inkNone, disc) // thin lines in colour on blue are hard to see
			}
			c.set(x+1, pic.top+y, r, style)
			if led == pic.last {
				c.set(x, pic.top+y, '(', mark)
				c.set(x+2, pic.top+y, ')', mark)
			}
		}
	}
}
