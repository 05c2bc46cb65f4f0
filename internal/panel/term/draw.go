package term

import (
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v2"
)

// draw draws the view in the window. The lock is held.
func (p *Panel) draw() {
	if !p.seen || p.closed {
		return
	}
	c := &p.canvas
	c.begin(p.screen.Size())
	defer c.show(p.screen)
	l := layoutFor(c.width, c.height)
	if !l.fits {
		c.put(0, 0, c.width, tcell.StyleDefault, fmt.Sprintf("%dx%d is too small:", c.width, c.height))
		c.put(0, 1, c.width, tcell.StyleDefault, fmt.Sprintf("c4hat needs %dx%d", leastWidth, leastHeight))
		return
	}
	v := &p.view
	c.put(l.left, l.top-headHeight, c.width-l.left, tcell.StyleDefault.Bold(true), headline(v))
	p.drawPicture(l)
	p.drawNumbers(l)
	x, y := l.side()
	for i, line := range beside(v) {
		c.put(x, y+i, sideWidth, tcell.StyleDefault, line)
	}
	for i, line := range p.help(v) {
		c.put(l.left, l.foot()+1+i, leastWidth, tcell.StyleDefault.Dim(true), line)
	}
}

// drawPicture draws the 64 LEDs: as discs in their colours, or as letters on a terminal
// without colours.
func (p *Panel) drawPicture(l layout) {
	v := &p.view
	cells := v.Phase == game.Menu || v.Phase != game.Attract && v.Match.Rules().FillsMatrix() // an empty cell is dark
	round := strings.HasPrefix(strings.ToLower(p.screen.CharacterSet()), "utf")               // locales write UTF-8 or utf8
	for i, led := range p.view.Frame {
		x, y := l.led(i%8, i/8)
		style, lit := p.style(led)
		switch {
		case p.screen.Colors() < 8:
			p.drawLetter(l, x, y, letter(led, cells))
		case round:
			drawDisc(&p.canvas, l, x, y, discs[l.scale-1], style, lit)
		default:
			drawDisc(&p.canvas, l, x, y, squares[l.scale-1], style, lit)
		}
	}
}

// discs show a LED at each scale; squares do so in ASCII.
var (
	discs = [maxScale][]string{
		{"● "},
		{"▄██▄", "▀██▀"},
		{" ▄██▄ ", " ████ ", " ▀██▀ "},
	}
	squares = [maxScale][]string{
		{"O "},
		{"/##\\", "\\##/"},
		{" /##\\ ", " #### ", " \\##/ "},
	}
)

func drawDisc(c *canvas, l layout, x, y int, disc []string, style tcell.Style, lit bool) {
	for dy, line := range disc {
		dx := 0
		for _, r := range line {
			switch {
			case lit:
			case dy == l.scale/2 && dx == l.scale-1:
				r = '.' // a dark LED
			default:
				r = ' '
			}
			c.set(x+dx, y+dy, r, style)
			dx++
		}
	}
}

func (p *Panel) drawLetter(l layout, x, y int, letter rune) {
	p.canvas.set(x+l.scale-1, y+l.scale/2, letter, tcell.StyleDefault)
}

// letter shows a LED without colour: empty cells are dots, so that the discs stand out.
func letter(led game.LED, darkCells bool) rune {
	switch {
	case led == game.LEDEmpty, led == game.LEDEmpty.Dimmed(), led == game.LEDDark && darkCells:
		return '.'
	case led == game.LEDDark:
		return ' '
	case led == game.LEDPlain:
		return '#'
	}
	return rune(led.Letter())
}

// style returns the colour of a LED, on black.
func (p *Panel) style(led game.LED) (s tcell.Style, lit bool) {
	s = tcell.StyleDefault.Background(tcell.ColorBlack)
	r, g, b, lit := p.Look.Pixel(led)
	if !lit {
		return s.Foreground(tcell.ColorGray), false
	}
	return s.Foreground(tcell.NewRGBColor(int32(r), int32(g), int32(b))), true
}

// drawNumbers writes the numbers of the columns below the board, that of the cursor in
// reverse video.
func (p *Panel) drawNumbers(l layout) {
	v := &p.view
	if !v.Phase.InMatch() {
		return
	}
	for col := range v.Match.Rules().Columns {
		x, _ := l.led(col, 0)
		style := tcell.StyleDefault
		if v.Phase == game.Aim && col == v.Cursor {
			style = style.Reverse(true)
		}
		p.canvas.set(x+l.scale-1, l.foot(), rune('1'+col), style)
	}
}

// turn returns the name of the player to move.
func turn(g board.Game) string {
	position := g.Position()
	return position.Rules().Name(position.Turn())
}
