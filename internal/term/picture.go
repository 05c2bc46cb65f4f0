package term

import (
	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v3/color"
)

// ink is what a pixel of the picture shows: the meaning of an LED, or one of the constants below.
type ink uint8

const (
	inkNone  = ink(game.LEDDark)     // a hole, or nothing
	inkPlate = ink(game.LEDs) + iota // the board around the holes
	inkLast                          // the last disc
	inkMark                          // brackets around a last disc that is a letter; dots in empty cells
	inks
)

// picture is the board of the boxed game: a blue plate with round holes, discs in them, and the
// next disc above. If the board fills the matrix, the plate is dark. The menu, the pause screen and
// the points are icons of 8×8 LEDs. The background is black, so that the picture looks the same on
// light and dark terminals.
type picture struct {
	layout
	glyphs
	frame   *game.Frame
	board   bool // the picture is the board, not an icon
	next    bool // the next disc shows above the board
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

// picture returns the picture of the view. The caller holds the lock.
func (p *Panel) picture(l layout) picture {
	v := &p.view
	pic := picture{layout: l, glyphs: p.glyphs(), frame: &v.Frame, board: onBoard(v.Phase), next: v.Phase != game.Hinting && v.Phase != game.Looking, last: -1}
	if !pic.board {
		pic.layout = l.icon(pic.coarse())
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
	pic.dots = pic.board && (pic.dots || pic.letters())
	pic.colours[inkMark] = color.Silver
	if pic.last >= 0 {
		pic.colours[inkLast] = pic.colours[v.Frame[pic.last]]
	}
	return pic
}

// ledAt returns the LED of a cell of the board.
func ledAt(col, row int) int { return board.MaxSide*(board.MaxSide-1-row) + col }

func (pic *picture) draw(c *canvas) {
	if pic.small {
		pic.drawSmall(c)
		return
	}
	for y := range pic.height {
		for x := range pic.width {
			r, style := pic.cell(x, y)
			c.set(pic.left+x, pic.top+y, r, style)
		}
	}
	if !pic.dots {
		return
	}
	for led := range pic.frame {
		if x, y, ok := pic.middle(led); ok && pic.ink(led) == inkNone {
			c.set(x, y, '.', pic.style(inkMark, inkNone))
		}
	}
}

func (pic *picture) at(x, y int) ink {
	led, dx, dy, below := pic.led(x, y)
	switch {
	case led >= 0 && (!pic.board || pic.inDisc(dx, dy)): // an icon is made of squares
		if led == pic.last && !pic.coarse() && pic.marks(dx, dy) {
			return inkNone
		}
		return pic.ink(led)
	case below && pic.board && !pic.dots:
		return inkPlate
	}
	return inkNone
}

func (l layout) inDisc(x, y int) bool {
	width, height, d2 := l.ellipse(x, y)
	return d2 <= width*width*height*height
}

// marks reports whether a pixel is in the hole in the middle of the last disc.
func (l layout) marks(x, y int) bool {
	width, height, d2 := l.ellipse(x, y)
	return 9*d2 <= width*width*height*height+2*width*height
}

// ellipse returns the size of a disc, and a measure of a pixel's distance from its middle.
func (l layout) ellipse(x, y int) (width, height, d2 int) {
	width, height = l.disc()+l.extra, l.disc()
	x, y = (2*x+1-width)*height, (2*y+1-height)*width
	return width, height, x*x + y*y
}

// ink returns the ink of an LED's disc. A large picture has only one row above the board for all
// the LEDs there. The row shows the one LED that is lit, which is the next disc or a falling one.
func (pic *picture) ink(led int) ink {
	lit := pic.frame[led]
	switch above := board.MaxSide - pic.rows; {
	case led == pic.last:
		return inkLast
	case pic.small || !pic.board || led >= board.MaxSide*above:
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
