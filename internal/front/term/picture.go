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
	inkLast                          // the last disc
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
// full block: there a disc is a rectangle. Without colours, it is made of its player's letter.
type picture struct {
	layout
	frame   *game.Frame
	coarse  bool // a disc is made of whole cells
	letters bool // there are no colours
	full    rune // fills a cell: a block or, without Unicode, a space on the ink
	bold    bool // bold discs are bright
	board   bool // the picture is the board, not an icon
	next    bool // the LEDs above the board show; there are no scores in their place
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

// rulesOf returns the rules of the board that the layout is for: those of the match or, outside a
// match (for the demo and the icons), those of the standard board.
func rulesOf(v *game.View) board.Rules {
	if inMatch(v) {
		return v.Match.Rules()
	}
	return board.Standard
}

// coarse reports whether a disc must start and end at the edge of a cell.
func (p *Panel) coarse() bool { return !p.unicode || p.console || p.screen.Colors() < 8 }

// picture returns the picture of the view. The caller holds the lock.
func (p *Panel) picture(l layout) picture {
	v := &p.view
	pic := picture{layout: l, frame: &v.Frame, coarse: p.coarse(), letters: p.screen.Colors() < 8, full: '█', bold: p.console,
		board: onBoard(v.Phase), next: l.small || v.Phase != game.Hinting && v.Phase != game.Looking, last: -1}
	if !p.unicode {
		pic.full = ' '
	}
	if !pic.board {
		pic.layout = l.icon(pic.coarse)
	}
	if col, row, ok := v.Game.Last(); ok && (v.Phase == game.Aim || v.Phase == game.Thinking || v.Phase == game.Hinting) {
		pic.last = ledAt(col, row)
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
	if pic.last >= 0 {
		pic.colours[inkLast] = pic.colours[v.Frame[pic.last]]
	}
	return pic
}

// ledAt returns the LED of a cell of the board.
func ledAt(col, row int) int { return board.MaxSide*(board.MaxSide-1-row) + col }

func (p *Panel) drawPicture(pic *picture) {
	for y := range pic.height {
		for x := range pic.width {
			r, style := pic.cell(x, y)
			p.set(pic.left+x, pic.top+y, r, style)
		}
	}
	for led := range pic.frame {
		x, y, ok := pic.middle(led)
		switch {
		case ok && pic.dots && pic.ink(led) == inkNone:
			p.set(x, y, '.', pic.style(inkMark, inkNone))
		case led == pic.last && pic.small:
			p.set(x-1, y, '(', pic.style(inkMark, pic.plate()))
			p.set(x+1, y, ')', pic.style(inkMark, pic.plate()))
		}
	}
}

// cell returns what a cell of the window shows.
func (pic *picture) cell(x, y int) (rune, tcell.Style) {
	upper, lower := pic.at(x, 2*y), pic.at(x, 2*y+1)
	led, _, _, below := pic.led(x, 2*y)
	switch {
	case pic.small && !pic.coarse && led >= 0 && pic.board && below:
		return '●', pic.style(upper, pic.plate())
	case pic.small && !pic.coarse && led >= 0 && upper != inkNone:
		return '●', pic.style(upper, inkNone)
	case upper != lower && (lower == inkPlate || lower == inkNone && upper != inkPlate):
		return '▀', pic.style(upper, lower)
	case upper != lower:
		return '▄', pic.style(lower, upper)
	case upper == inkNone || upper == inkPlate:
		return ' ', pic.style(upper, upper)
	case pic.letters:
		return pic.letter(upper), tcell.StyleDefault.Reverse(upper == inkLast)
	case pic.coarse && upper == inkLast:
		return '*', pic.style(inkNone, upper)
	}
	return pic.full, pic.style(upper, upper)
}

// style returns the style that draws one ink on another.
func (pic *picture) style(front, back ink) tcell.Style {
	if pic.letters {
		return tcell.StyleDefault
	}
	bold := pic.bold && front != inkNone && front != inkPlate
	return tcell.StyleDefault.Foreground(pic.colours[front]).Background(pic.colours[back]).Bold(bold)
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

// plate returns the ink between the cells of the board.
func (pic *picture) plate() ink {
	if pic.dots {
		return inkNone
	}
	return inkPlate
}

// at returns the ink of a pixel.
func (pic *picture) at(x, y int) ink {
	led, dx, dy, below := pic.led(x, y)
	switch {
	case led >= 0 && (!pic.board || pic.coarse || pic.inDisc(dx, dy)): // an icon is made of squares
		if led == pic.last && !pic.coarse && pic.marks(dx, dy) {
			return inkNone
		}
		return pic.ink(led)
	case below && pic.board:
		return pic.plate()
	}
	return inkNone
}

// ink returns the ink of an LED's disc. There is only one row above the board for all the LEDs there. The
// row shows the one LED that is lit, which is the next disc or a falling one.
func (pic *picture) ink(led int) ink {
	lit := pic.frame[led]
	switch above := board.MaxSide - pic.rows; {
	case led == pic.last:
		return inkLast
	case !pic.board || led >= board.MaxSide*above:
	case !pic.next:
		return inkNone
	default:
		for y := range above {
			lit = max(lit, pic.frame[board.MaxSide*y+led%board.MaxSide])
		}
	}
	if pic.board && (lit == game.LEDEmpty || lit == game.LEDEmpty.Dimmed()) {
		return inkNone
	}
	return ink(lit)
}
