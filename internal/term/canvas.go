package term

import "github.com/gdamore/tcell/v3"

// canvas is the next picture of the window. Only cells that differ from the last picture are set on
// the screen: tcell sends a cell that is cleared and written again, even if it has not changed.
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

// set puts a rune into a cell, or nowhere if the cell is outside the window.
func (c *canvas) set(x, y int, r rune, style tcell.Style) {
	if x >= 0 && x < c.width && y >= 0 && y < c.height {
		c.cells[y*c.width+x] = cell{r, style}
	}
}

// put writes a text of narrow runes, and cuts it off after width cells.
func (c *canvas) put(x, y, width int, style tcell.Style, text string) {
	for i, r := range []rune(text) {
		if i >= width {
			return
		}
		c.set(x+i, y, r, style)
	}
}

func (c *canvas) show(s tcell.Screen) {
	for i, cell := range c.cells {
		if c.shown == nil || cell != c.shown[i] {
			s.SetContent(i%c.width, i/c.width, cell.r, nil, cell.style)
		}
	}
	c.shown = append(c.shown[:0], c.cells...)
	s.Show()
}
