package term

// The size of the smallest window that the game fits in.
const (
	leastWidth  = 40
	leastHeight = 12
)

// The parts of the window, in cells. A LED is 2·scale wide and scale high: about a square.
const (
	headHeight = 1  // the headline above the picture
	footHeight = 3  // column numbers and two lines of help below it
	gap        = 2  // between the picture and the text beside it
	sideWidth  = 22 // of the text beside it
	maxScale   = 3
)

// layout is the position of everything in a window.
type layout struct {
	fits      bool
	scale     int
	left, top int // of the picture
}

// layoutFor returns the layout of a window, with the picture as large as possible and
// centred.
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

// led returns the upper left cell of the LED at (x, y).
func (l layout) led(x, y int) (int, int) {
	return l.left + 2*l.scale*x, l.top + l.scale*y
}

// column returns the column of LEDs at a cell. The number below belongs to the column.
func (l layout) column(x, y int) (int, bool) {
	x -= l.left
	y -= l.top
	if !l.fits || x < 0 || x >= 16*l.scale || y < 0 || y > 8*l.scale {
		return 0, false
	}
	return x / (2 * l.scale), true
}

// side returns the upper left cell of the text beside the picture.
func (l layout) side() (int, int) { return l.left + 16*l.scale + gap, l.top }

// foot returns the row of the column numbers.
func (l layout) foot() int { return l.top + 8*l.scale }
