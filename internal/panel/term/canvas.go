package term

import "github.com/gdamore/tcell/v2"

// canvas is a picture of the window in the making. Only what differs from the last
// one goes to the screen: tcell takes a cell that is cleared and written again for
// changed, and sends it over the line once more.
type canvas struct {
	width, height int
	cells, shown  []cell
}

type cell struct {
	r     rune
	style tcell.Style
}

// begin makes the canvas blank.
func (c *canvas) begin(width, height int) {
	if width != c.width || height != c.height {
		c.width, c.height, c.shown = width, height, nil
	}
	c.cells = c.cells[:0]
	for range width * height {
		c.cells = append(c.cells, cell{' ', tcell.StyleDefault})
	}
}

// set puts a rune into a cell; outside the window it is lost.
func (c *canvas) set(x, y int, r rune, style tcell.Style) {
	if x >= 0 && x < c.width && y >= 0 && y < c.height {
		c.cells[y*c.width+x] = cell{r, style}
	}
}

// put writes a text, cut at a width in cells; texts are ASCII.
func (c *canvas) put(x, y, width int, style tcell.Style, text string) {
	for i, r := range text {
		if i >= width {
			return
		}
		c.set(x+i, y, r, style)
	}
}

// show brings the canvas to the screen.
func (c *canvas) show(s tcell.Screen) {
	for i, cell := range c.cells {
		if c.shown == nil || cell != c.shown[i] {
			s.SetContent(i%c.width, i/c.width, cell.r, nil, cell.style)
		}
	}
	c.shown = append(c.shown[:0], c.cells...)
	s.Show()
}
