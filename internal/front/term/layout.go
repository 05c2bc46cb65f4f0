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
	helpHeight   = 2  // of the help, if it is below a small picture
)

// layout is the position of everything in a window: a headline, the picture with the columns' numbers below it,
// and the text beside it. The picture is a grid of LEDs: those of the board, and one row above it for the next
// disc. A cell of the window is one pixel wide and two pixels high.
type layout struct {
	columns, rows int  // of LEDs
	above         int  // how many of the rows are above the board: one, or none on the full matrix
	wide, high    int  // an LED, in pixels
	gapX, gapY    int  // between two LEDs, and around them, in pixels
	left, top     int  // of the picture, in cells
	width, height int  // of the picture, in cells
	text          int  // where the text beside it starts
	small         bool // an LED is one cell, and the help is below
}

func fits(width, height int) bool { return width >= leastWidth && height >= leastHeight }

// layoutFor returns the layout of a window that is large enough, in its middle: the largest picture in which each
// LED has a gap around it and looks like a disc, and if there is none that fits, the small one. If coarse is true,
// every LED starts and ends at the edge of a cell.
func layoutFor(width, height int, r board.Rules, coarse bool) layout {
	grid := layout{columns: r.Columns, rows: r.Rows}
	if grid.rows < board.MaxSide {
		grid.above = 1
		grid.rows++
	}
	l := grid
	l.small, l.wide, l.high, l.gapX = true, 1, 2, 1
	l.width, l.height = board.MaxSide*l.stepX()+l.gapX, board.MaxSide
	total := headHeight + l.height + numberHeight + helpHeight
	for pitch := 5; ; pitch++ {
		large := grid.enlarged(pitch, coarse)
		high := headHeight + large.height + numberHeight
		if large.width+2+textWidth > width || high > height {
			break
		}
		l, total = large, high
	}
	l.left = max(width-l.width-2-textWidth, 0) / 2
	l.text = min(l.left+l.width+2, width-textWidth)
	l.top = (height-total)/2 + headHeight
	return l
}

// enlarged returns a layout with pitch pixels from one row to the next.
func (l layout) enlarged(pitch int, coarse bool) layout {
	gap := (pitch + 3) / 6
	if coarse {
		pitch -= pitch % 2
		gap += gap % 2
	}
	l.wide, l.high, l.gapX, l.gapY = pitch-gap, pitch-gap, gap, gap
	if l.high == 4 && !coarse {
		l.wide++ // four by four pixels without their corners look like a cross
	}
	l.width = l.columns*l.stepX() + gap
	l.height = (l.rows*l.stepY() + gap + 1) / 2
	return l
}

// stepX and stepY return how far one column, and one row, is from the next, in pixels.
func (l layout) stepX() int { return l.wide + l.gapX }
func (l layout) stepY() int { return l.high + l.gapY }

// margin returns how many pixels of the picture are above the grid.
func (l layout) margin() int { return 2*l.height - l.rows*l.stepY() - l.gapY }

// onBoard reports whether a pixel of the picture is on the board.
func (l layout) onBoard(x, y int) bool {
	return y >= l.margin()+l.above*l.stepY() && x < l.columns*l.stepX()+l.gapX
}

// led returns the column and the row of the LED at a pixel of the picture. hole reports whether the pixel is in
// the hole that marks the last disc. ok is false between discs.
func (l layout) led(x, y int, round bool) (col, row int, hole, ok bool) {
	x, y = x-l.gapX, y-l.margin()-l.gapY
	if x < 0 || y < 0 || x >= l.columns*l.stepX() {
		return 0, 0, false, false
	}
	dx, dy := x%l.stepX(), y%l.stepY()
	cx, cy := (2*dx+1-l.wide)*l.high, (2*dy+1-l.high)*l.wide // from the middle
	distance, radius := cx*cx+cy*cy, l.wide*l.wide*l.high*l.high
	ok = dx < l.wide && dy < l.high && (!round || distance <= radius)
	return x / l.stepX(), y / l.stepY(), 9*distance <= radius+2*l.wide*l.high, ok
}

// middle returns the cell in the middle of an LED.
func (l layout) middle(col, row int) (x, y int) {
	return l.left + l.gapX + l.stepX()*col + (l.wide-1)/2, l.top + (l.margin()+l.gapY+l.stepY()*row+(l.high-1)/2)/2
}

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

// foot returns the row of the column numbers.
func (l layout) foot() int { return l.top + l.height }
