package hat

import (
	"encoding/binary"
	"io"
	"time"
)

// leds is the screen of a [Matrix] that drives the board's LEDs.
type leds struct {
	*chip
	lock io.Closer // closed with the bus; may be nil
	out  [1 + 3*side*side]byte
}

// matrix opens the LEDs. Closing the Matrix closes the lock too. If matrix fails, the lock stays
// open.
func (i *I2C) matrix(o *Opts, lock io.Closer) (*Matrix, error) {
	c, err := i.board()
	if err != nil {
		return nil, err
	}
	m, err := NewMatrix(&leds{chip: c, lock: lock}, o)
	if err != nil {
		c.Close()
	}
	return m, err
}

// WriteAt writes a frame that has the format of [NewMatrix], in one transfer of 193 bytes, which takes
// 17.5 ms at 100 kHz. The registers 0x00 to 0xBF have for each row 8 red, 8 green and 8 blue values, 0
// to 31.
func (l *leds) WriteAt(p []byte, _ int64) (int, error) {
	dark := true
	for i := range side * side {
		pixel := binary.NativeEndian.Uint16(p[2*i:])
		dark = dark && pixel == 0
		row := l.out[1+i/side*3*side+i%side:] // behind the number of the first register
		row[0] = gamma[pixel>>11]
		row[side] = gamma[pixel>>6&31] // the lowest of green's six bits is dropped
		row[2*side] = gamma[pixel&31]
	}
	if err := l.tx(l.out[:], nil); err != nil {
		return 0, err
	}
	if !dark {
		l.dark.Store(0)
	} else {
		l.dark.CompareAndSwap(0, time.Now().UnixNano())
	}
	return len(p), nil
}

func (l *leds) Close() error {
	l.dark.Store(0)
	if l.lock != nil {
		defer l.lock.Close()
	}
	return l.chip.Close()
}
