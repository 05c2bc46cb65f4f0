package term

import (
	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/color"
)

// ink is what a pixel of the picture shows: the meaning of an LED, or one of the constants below.
type ink uint8

const (
	inkNone  = ink(game.LEDDark)     // a hole, or nothing
	inkPlate = ink(game.LEDs) + iota // the board around the holes
	inkMark                          // brackets around a last disc of one cell; dots in empty cells
	inks
)

// picture is the board of the boxed game: a blue plate with round holes, discs in them, and the
// next disc above. If the board fills the matrix, the plate is dark. The menu, the pause screen and
// the points are icons of 8×8 LEDs. The background is black, so that the picture looks the same on
// light and dark terminals.
//
// Half blocks and ● are in the fonts of all common terminals (WGL4, Microsoft's list, has them);
// quadrants, sextants and larger circles are not. Debian's fonts for the Linux console have only the
// full block: there a disc is a rectangle. Without colours or Unicode, it is made of its player's letter.
type picture struct {
	layout
	frame   *game.Frame
	letters bool // a disc is a rectangle of letters
	console bool // a disc is a rectangle; bold ones are bright
	board   bool // the picture is the board, not an icon
	next    bool // the row above the board shows; there is no text in its place
	dots    bool // an empty cell is a dot, because its colour does not differ from the plate's
	last    int  // LED of the last disc, which is marked; -1: none
	colours [inks]color.Color
}

// onBoard reports whether the window shows the board in a phase. While the LEDs are dark, it does.
func onBoard(p game.Phase) bool {
	switch p {
	case game.Attract, game.Aim, game.Thinking, game.Fall, game.Cheer, game.Drawn, game.Hinting, game.Looking, game.Reading, game.Dark:
		return true
	}
	return false
}

func inMatch(v *game.View) bool { return v.Phase.InMatch() || v.Phase == game.Dark && v.UnderWay }

// rulesOf returns the rules of the board that the layout is for: those of the match or, for an icon, of a board
// that fills the matrix.
func rulesOf(v *game.View) board.Rules {
	switch {
	case !onBoard(v.Phase):
		return board.FullMatrix
	case inMatch(v):
		return v.Match.Rules()
	}
	return board.Standard
}

// letters reports whether the terminal shows discs as letters.
func (p *Panel) letters() bool { return !p.unicode || p.screen.Colors() < 8 }

// layout returns the layout of the window. The caller holds the lock.
func (p *Panel) layout() layout {
	width, height := p.screen.Size()
	return layoutFor(width, height, rulesOf(&p.view), p.letters() || p.console)
}

// picture returns the picture of the view. The caller holds the lock.
func (p *Panel) picture() picture {
	v := &p.view
	pic := picture{layout: p.layout(), frame: &v.Frame, letters: p.letters(), console: p.console, board: onBoard(v.Phase), last: -1}
	pic.next = pic.small || v.Phase != game.Hinting && v.Phase != game.Looking
	if col, row, ok := v.Game.Last(); ok && (v.Phase == game.Aim || v.Phase == game.Thinking || v.Phase == game.Hinting) {
		pic.last = board.MaxSide*(board.MaxSide-1-row) + col
	}
	rgb := func(r, g, b uint8) color.Color { return color.NewRGBColor(int32(r), int32(g), int32(b)) }
	for led := range pic.colours[:game.LEDs] {
		r, g, b, _ := p.Colours.Pixel(game.LED(led))
		pic.colours[led] = rgb(r, g, b)
	}
	empty := game.LEDEmpty
	if rulesOf(v).FillsMatrix() {
		empty = game.LEDDark
	}
	if v.Phase == game.Attract || v.Phase == game.Drawn {
		empty = empty.Dimmed()
	}
	pic.colours[inkPlate] = rgb(p.Colours.Plate(empty))
	if _, _, _, lit := p.Colours.Pixel(empty); !lit && p.screen.Colors() <= 16 {
		pic.colours[inkPlate] = color.Gray // only black is darker
		pic.dots = p.screen.Colors() < 16
	}
	pic.dots = pic.board && (pic.dots || pic.letters)
	pic.colours[inkMark] = color.Silver
	return pic
}

func (p *Panel) drawPicture(pic *picture) {
	for y := range pic.height {
		for x := range pic.width {
			r, style := pic.cell(x, y)
			p.set(pic.left+x, pic.top+y, r, style)
		}
	}
	for col := range pic.columns {
		for row := pic.above; row < pic.rows; row++ {
			x, y := pic.middle(col, row)
			switch {
			case pic.dots && pic.ink(col, row) == inkNone:
				p.set(x, y, '.', pic.style(inkMark, inkNone))
			case pic.small && pic.index(col, row) == pic.last:
				style := pic.style(inkMark, pic.ground(x-pic.left, 2*(y-pic.top)))
				p.set(x-1, y, '(', style)
				p.set(x+1, y, ')', style)
			}
		}
	}
}

// cell returns what a cell of the window shows.
func (pic *picture) cell(x, y int) (rune, tcell.Style) {
	upper, lower := pic.at(x, 2*y), pic.at(x, 2*y+1)
	col, row, _, led := pic.led(x, 2*y, false)
	last := led && pic.index(col, row) == pic.last
	switch {
	case pic.small && !pic.letters && !pic.console && led && (upper != inkNone || pic.ground(x, 2*y) != inkNone):
		return '●', pic.style(upper, pic.ground(x, 2*y))
	case upper != lower && (lower == inkPlate || lower == inkNone && upper != inkPlate):
		return '▀', pic.style(upper, lower)
	case upper != lower:
		return '▄', pic.style(lower, upper)
	case upper == inkNone || upper == inkPlate:
		return ' ', pic.style(upper, upper)
	case pic.letters:
		return rune(game.LED(upper).Letter()), tcell.StyleDefault.Reverse(last)
	case last && pic.console:
		return '*', pic.style(inkNone, upper)
	}
	return '█', pic.style(upper, upper)
}

// style returns the style that draws one ink on another.
func (pic *picture) style(front, back ink) tcell.Style {
	if pic.letters {
		return tcell.StyleDefault
	}
	bold := pic.console && front != inkNone && front != inkPlate
	return tcell.StyleDefault.Foreground(pic.colours[front]).Background(pic.colours[back]).Bold(bold)
}

// ground returns the ink of a pixel around the LEDs.
func (pic *picture) ground(x, y int) ink {
	if pic.board && !pic.dots && pic.onBoard(x, y) {
		return inkPlate
	}
	return inkNone
}

// at returns the ink of a pixel. A disc is round, except where it is made of whole cells; an icon is made of squares.
func (pic *picture) at(x, y int) ink {
	whole := pic.letters || pic.console
	col, row, hole, ok := pic.led(x, y, pic.board && !whole)
	switch {
	case !ok:
		return pic.ground(x, y)
	case hole && !whole && !pic.small && pic.index(col, row) == pic.last:
		return inkNone
	}
	return pic.ink(col, row)
}

// index returns the LED of a place in the picture.
func (pic *picture) index(col, row int) int { return board.MaxSide*(board.MaxSide-pic.rows+row) + col }

// ink returns the ink of an LED. The row above the board stands for all the LEDs there, and shows the one that is
// lit: the next disc, or a falling one.
func (pic *picture) ink(col, row int) ink {
	lit := pic.frame[pic.index(col, row)]
	if row < pic.above {
		if !pic.next {
			return inkNone
		}
		for led := col; led < pic.index(col, pic.above); led += board.MaxSide {
			lit = max(lit, pic.frame[led])
		}
	}
	if pic.board && (lit == game.LEDEmpty || lit == game.LEDEmpty.Dimmed()) {
		return inkNone
	}
	return ink(lit)
}
