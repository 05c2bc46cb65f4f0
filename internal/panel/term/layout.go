package term

// The smallest window the game fits into.
const (
	leastWidth  = 40
	leastHeight = 12
)

// The parts of the window, in cells. A LED is 2·scale wide and scale high, which
// is about square.
const (
	headHeight = 1  // the headline above the picture
	footHeight = 3  // column numbers and two lines of help below it
	gap        = 2  // between the picture and what stands beside it
	sideWidth  = 22 // of what stands beside it
	maxScale   = 3
)

// layout is where things stand in a window.
type layout struct {
	fits      bool
	scale     int
	left, top int // of the picture
}

// layoutFor is the layout of a window: the picture as large as it can be, in
// the middle.
func layoutFor(width, height int) layout {
	l := layout{fits: width >= leastWidth && height >= leastHeight, scale: 1}
	for l.scale < maxScale {
		if w, h := total(l.scale + 1); width < w+2*gap || height < h+2 {
			break
		}
		l.scale++
	}
	w, h := total(l.scale)
	l.left = max(width-w, 0) / 2
	l.top = max(height-h, 0)/2 + headHeight
	return l
}

func total(scale int) (width, height int) {
	return 16*scale + gap + sideWidth, headHeight + 8*scale + footHeight
}

// led is the upper left cell of the LED at (x, y).
func (l layout) led(x, y int) (int, int) {
	return l.left + 2*l.scale*x, l.top + l.scale*y
}

// column is the column of LEDs at a cell; the numbers below belong to it.
func (l layout) column(x, y int) (int, bool) {
	x -= l.left
	y -= l.top
	if !l.fits || x < 0 || x >= 16*l.scale || y < 0 || y > 8*l.scale {
		return 0, false
	}
	return x / (2 * l.scale), true
}

// side is the upper left cell of what stands beside the picture.
func (l layout) side() (int, int) { return l.left + 16*l.scale + gap, l.top }

// foot is the row of the column numbers.
func (l layout) foot() int { return l.top + 8*l.scale }
