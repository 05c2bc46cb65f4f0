package term

import "github.com/c4hat/c4hat/board"

// The size of the smallest window that the game fits in.
const (
	leastWidth  = 40
	leastHeight = 12
)

// The parts of the window, in cells.
const (
	headHeight   = 1  // the headline above the picture
	numberHeight = 1  // the column numbers below the picture
	textWidth    = 22 // of the text beside the picture
	textHeight   = 8  // of the text, if it is below the picture
	helpHeight   = 2  // of the help, if it is below a small picture or below the text
)

// layout is the position of everything in a window. A cell of the window is one pixel wide and two pixels
// high.
type layout struct {
	columns, rows int  // of the board
	wide, high    int  // a disc, in pixels
	gapX, gapY    int  // between two discs, and around them, in pixels
	left, top     int  // of the picture, in cells
	width, height int  // of the picture, in cells
	small         bool // a disc is one cell
	below         bool // the text is below the picture, as on a phone held upright
}

func fits(width, height int) bool { return width >= leastWidth && height >= leastHeight }

// layoutFor returns the layout of a window that is large enough, with the board centred and as
// large as possible. If coarse is true, every disc starts and ends at the edge of a cell.
func layoutFor(width, height int, r board.Rules, coarse bool) layout {
	l := layout{columns: r.Columns, rows: r.Rows, small: true, wide: 1, high: 2, gapX: 1}
	l.width, l.height = board.MaxSide*l.stepX()+l.gapX, board.MaxSide
	for pitch := 4; pitch < height; pitch++ {
		for _, extra := range extras[min(pitch, len(extras)-1)] {
			for _, below := range []bool{true, false} {
				large := enlarged(r, pitch, extra, coarse)
				large.below = below
				if w, h := large.total(); w <= width && h <= height {
					l = large
				}
			}
		}
	}
	w, h := l.total()
	l.left = max(width-w, 0) / 2
	l.top = max(height-h, 0)/2 + headHeight
	return l
}

// extras lists, for each pitch, by how many pixels a disc may be wider than high, because with few
// pixels no disc is a circle. The best value is the last.
var extras = [...][]int{4: {2}, 5: {0, 1}, 6: {0}}

// enlarged returns a layout with pitch pixels from one row to the next. The picture of a board smaller
// than the standard one is as large as the standard board's, because the icons need the room.
func enlarged(r board.Rules, pitch, extra int, coarse bool) layout {
	gap := (pitch + 3) / 6
	if coarse {
		pitch -= pitch % 2
		gap += gap % 2
		extra = max(1, 6-pitch)
	}
	l := layout{columns: r.Columns, rows: r.Rows, wide: pitch - gap + extra, high: pitch - gap, gapX: gap, gapY: gap}
	l.width = max(l.columns, board.Standard.Columns)*l.stepX() + gap
	l.height = (l.air() + max(l.rows, board.Standard.Rows)*pitch + gap + 1) / 2
	return l
}

// total returns the size of everything in the window.
func (l layout) total() (width, height int) {
	width, height = l.side()+textWidth, headHeight+l.height+numberHeight
	switch {
	case l.below:
		return max(l.width, leastWidth), height + textHeight + helpHeight
	case l.small:
		return width, height + helpHeight
	}
	return width, height
}

// stepX and stepY return how far one column, and one row, is from the next, in pixels.
func (l layout) stepX() int { return l.wide + l.gapX }
func (l layout) stepY() int { return l.high + l.gapY }

// air returns the height in pixels of the space above the board for the next disc, or 0 if the
// board's top row also shows the cursor.
func (l layout) air() int {
	if l.rows == board.MaxSide {
		return 0
	}
	return l.high
}

// edge returns the board's upper edge, in pixels.
func (l layout) edge() int { return 2*l.height - l.rows*l.stepY() - l.gapY }

// led returns the LED at a pixel of the picture, or -1 between discs, and the pixel's place (dx,
// dy) in the LED's disc. below reports whether the pixel is on the board.
func (l layout) led(x, y int) (led, dx, dy int, below bool) {
	col, dx := (x-l.gapX)/l.stepX(), (x-l.gapX)%l.stepX()
	row := board.MaxSide - l.rows
	if below = y >= l.edge(); below {
		y -= l.edge() + l.gapY
		row += y / l.stepY()
		y %= l.stepY()
	} else {
		y -= l.edge() - l.air()
		row = 0
	}
	below = below && x < l.columns*l.stepX()+l.gapX
	if x < l.gapX || col >= l.columns || y < 0 || dx >= l.wide || y >= l.high {
		return -1, 0, 0, below
	}
	return board.MaxSide*row + col, dx, y, below
}

// middle returns the cell in the middle of an LED's disc, and whether the disc is on the board.
func (l layout) middle(led int) (x, y int, ok bool) {
	col, row := led%board.MaxSide, led/board.MaxSide-(board.MaxSide-l.rows)
	y = l.edge() + l.gapY + l.stepY()*row + (l.high-1)/2
	return l.number(col), l.top + y/2, col < l.columns && row >= 0
}

// inDisc reports whether a pixel of the rectangle around a disc is in the disc.
func (l layout) inDisc(x, y int) bool { return l.distance(x, y) <= l.wide*l.wide*l.high*l.high }

// marks reports whether a pixel is in the hole in the middle of the last disc.
func (l layout) marks(x, y int) bool {
	return !l.small && 9*l.distance(x, y) <= l.wide*l.wide*l.high*l.high+2*l.wide*l.high
}

// distance is a measure of a pixel's distance from the middle of its disc.
func (l layout) distance(x, y int) int {
	x, y = (2*x+1-l.wide)*l.high, (2*y+1-l.high)*l.wide
	return x*x + y*y
}

// icon returns the layout of the 8×8 LEDs in the place of the board, without a board around them.
func (l layout) icon(coarse bool) layout {
	if l.small {
		l.columns, l.rows = board.MaxSide, board.MaxSide
		return l
	}
	pitch, gap := (min(l.width, 2*l.height)-1)/board.MaxSide, 1
	if coarse {
		pitch -= pitch % 2
		gap = 0
	}
	i := layout{columns: board.MaxSide, rows: board.MaxSide, wide: pitch - gap, high: pitch - gap, gapX: gap, gapY: gap}
	i.width, i.height = board.MaxSide*pitch+gap, (board.MaxSide*pitch+gap+1)/2
	i.left, i.top = l.left+max(l.width-i.width, 0)/2, l.top+max(l.height-i.height, 0)/2
	return i
}

// number returns the x of a column's number.
func (l layout) number(col int) int { return l.left + l.gapX + l.stepX()*col + (l.wide-1)/2 }

// column returns the column of the board at a cell, or -1 beside the board. The cell with a column's
// number is part of the column.
func (l layout) column(x, y int) int {
	x -= l.left
	y -= l.top
	if x < 0 || x >= l.stepX()*l.columns+l.gapX || y < 0 || y > l.height {
		return -1
	}
	return min(max(x-l.gapX/2, 0)/l.stepX(), l.columns-1)
}

// side returns how many cells to the right of the picture's left edge the text beside it starts.
func (l layout) side() int {
	if l.small {
		return l.width + 1
	}
	return l.width + 2
}

// text returns where the text starts, and how many lines it may have.
func (l layout) text() (x, y, room int) {
	if l.below {
		return l.left, l.foot() + numberHeight, textHeight
	}
	return l.left + l.side(), l.top, l.height
}

// foot returns the row of the column numbers.
func (l layout) foot() int { return l.top + l.height }
