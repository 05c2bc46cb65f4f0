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

// The pitch is the distance from one disc to the next, in pixels. A cell is one pixel wide and two
// pixels high.
const (
	smallPitch = 2 // of discs that are letters
	leastPitch = 4 // of discs that are drawn
)

// layout is the position of everything in a window.
type layout struct {
	columns, rows int  // of the board
	pitch         int  // from one disc to the next, in pixels
	gap           int  // between two discs, and around them
	extra         int  // by how much a disc is wider than high, in pixels
	left, top     int  // of the picture, in cells
	width, height int  // of the picture, in cells
	small         bool // discs are letters, two cells apart
	below         bool // the text is below the picture, as on a phone held upright
}

func fits(width, height int) bool { return width >= leastWidth && height >= leastHeight }

// layoutFor returns the layout of a window that is large enough, with the board centred and as
// large as possible. If coarse is true, every disc starts and ends at the edge of a cell.
func layoutFor(width, height int, r board.Rules, coarse bool) layout {
	l := layout{columns: r.Columns, rows: r.Rows, small: true, pitch: smallPitch, gap: 1}
	l.width, l.height = smallPitch*board.MaxSide+1, board.MaxSide
	for pitch := leastPitch; pitch < height; pitch++ {
		for _, extra := range extras[min(pitch, len(extras)-1)] {
			for _, below := range []bool{true, false} {
				large := l.enlarged(pitch, extra, coarse)
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

// enlarged returns the layout with drawn discs of the given pitch. The picture of a board smaller
// than the standard one is as large as the standard board's, because the icons need the room.
func (l layout) enlarged(pitch, extra int, coarse bool) layout {
	l.small, l.pitch, l.gap, l.extra = false, pitch, (pitch+3)/6, extra
	if coarse {
		l.pitch -= pitch % 2
		l.gap += l.gap % 2
		l.extra = max(1, 6-l.pitch)
	}
	l.width = max(l.columns, board.Standard.Columns)*l.step() + l.gap
	l.height = (l.air() + max(l.rows, board.Standard.Rows)*l.pitch + l.gap + 1) / 2
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

// step returns the pitch from one column to the next.
func (l layout) step() int { return l.pitch + l.extra }

// disc returns the height of a disc, in pixels.
func (l layout) disc() int { return l.pitch - l.gap }

// air returns the height in pixels of the space above the board for the next disc, or 0 if the
// board's top row also shows the cursor.
func (l layout) air() int {
	if l.rows == board.MaxSide {
		return 0
	}
	return l.disc()
}

// led returns the LED at a pixel of the picture, or -1 between discs, and the pixel's place (dx,
// dy) in the LED's disc. below reports whether the pixel is on the board.
func (l layout) led(x, y int) (led, dx, dy int, below bool) {
	plate := 2*l.height - l.rows*l.pitch - l.gap // the board's upper edge
	col, dx := (x-l.gap)/l.step(), (x-l.gap)%l.step()
	row := board.MaxSide - l.rows
	below = y >= plate
	if below {
		y -= plate + l.gap
		row += y / l.pitch
		y %= l.pitch
	} else {
		y -= plate - l.air()
		row = 0
	}
	below = below && x < l.columns*l.step()+l.gap
	if x < l.gap || col >= l.columns || y < 0 || dx >= l.disc()+l.extra || y >= l.disc() {
		return -1, 0, 0, below
	}
	return board.MaxSide*row + col, dx, y, below
}

// middle returns the cell in the middle of an LED's disc, and whether the disc is on the board.
func (l layout) middle(led int) (x, y int, ok bool) {
	col, row := led%board.MaxSide, led/board.MaxSide-(board.MaxSide-l.rows)
	y = 2*l.height - l.rows*l.pitch + l.pitch*row + (l.disc()-1)/2
	return l.number(col), l.top + y/2, col < l.columns && row >= 0
}

// icon returns the layout of the 8×8 LEDs in the place of the board, without a board around them.
func (l layout) icon(coarse bool) layout {
	if l.small {
		l.columns, l.rows = board.MaxSide, board.MaxSide
		return l
	}
	i := layout{columns: board.MaxSide, rows: board.MaxSide, pitch: (min(l.width, 2*l.height) - 1) / board.MaxSide, gap: 1}
	if coarse {
		i.pitch -= i.pitch % 2
		i.gap = 0
	}
	i.width, i.height = board.MaxSide*i.pitch+i.gap, (board.MaxSide*i.pitch+i.gap+1)/2
	i.left, i.top = l.left+max(l.width-i.width, 0)/2, l.top+max(l.height-i.height, 0)/2
	return i
}

// number returns the x of a column's number.
func (l layout) number(col int) int {
	return l.left + l.gap + l.step()*col + (l.disc()+l.extra-1)/2
}

// column returns the column of the board at a cell, or -1 beside the board. The cell with a column's
// number is part of the column.
func (l layout) column(x, y int) int {
	x -= l.left
	y -= l.top
	if x < 0 || x >= l.step()*l.columns+l.gap || y < 0 || y > l.height {
		return -1
	}
	return min(max(x-l.gap/2, 0)/l.step(), l.columns-1)
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
