package hat

import (
	"context"
	"encoding/binary"
	"io"

	"periph.io/x/conn/v3"
)

// ledBytes are the board's registers 0x00 to 0xBF: for each row 8 red, 8 green and 8 blue values, 0
// to 31.
const ledBytes = side * 3 * side

// leds is the screen of a [Matrix] that drives the board's LEDs.
type leds struct {
	*board
	lock io.Closer // closed with the bus; may be nil
	gone func(context.Context) error
	most int                // the most bytes in one transfer
	out  [1 + ledBytes]byte // the number of a register, and the values from this register on
}

// matrix opens the LEDs. Closing the Matrix closes the lock too. If matrix fails, the lock stays
// open.
func (i *I2C) matrix(o *Opts, lock io.Closer, w watch) (*Matrix, error) {
	b, err := i.board(w.taken)
	if err != nil {
		return nil, err
	}
	l := &leds{board: b, lock: lock, gone: w.gone, most: 1 + ledBytes}
	if limits, ok := b.bus.(conn.Limits); ok && limits.MaxTxSize() > 1 {
		l.most = min(limits.MaxTxSize(), l.most)
	}
	m, err := NewMatrix(l, o)
	if err != nil {
		b.close()
		return nil, err
	}
	i.lit.Store(m)
	return m, nil
}

// watch notices when a kernel driver takes over the board. The zero value notices nothing.
type watch struct {
	taken func() bool                 // called before each transfer
	gone  func(context.Context) error // waits until the kernel drives the board
}

// WriteAt writes a frame that has the format of [NewMatrix]. It makes one transfer of 193 bytes,
// which takes 17.5 ms at 100 kHz, or several if the adapter's limit is lower.
//
// It also makes an open joystick read the keys: the joystick may wait days for its line to rise,
// and the line does not show that the board was disconnected or taken over by the kernel.
func (l *leds) WriteAt(p []byte, _ int64) (int, error) {
	if keys := l.i2c.keys.Load(); keys != nil {
		defer keys.look()
	}
	for i := range side * side {
		pixel := binary.NativeEndian.Uint16(p[2*i:])
		row := l.out[1+i/side*3*side+i%side:]
		row[0] = gamma[pixel>>11]
		row[side] = gamma[pixel>>6&31] // the lowest of green's six bits is dropped
		row[2*side] = gamma[pixel&31]
	}
	for at := 0; at < ledBytes; {
		// The register's number precedes the values, in the place of a byte that was already sent.
		part := l.out[at:min(at+l.most, len(l.out))]
		part[0] = byte(at)
		if err := l.tx(part, nil); err != nil {
			return 0, err
		}
		at += len(part) - 1
	}
	return len(p), nil
}

// AwaitGone waits until the kernel drives the board. Only the next transfer notices that the board
// was unplugged.
func (l *leds) AwaitGone(ctx context.Context) error {
	if l.gone != nil {
		return l.gone(ctx)
	}
	<-ctx.Done()
	return ctx.Err()
}

func (l *leds) Close() error {
	if l.lock != nil {
		defer l.lock.Close()
	}
	return l.close()
}
