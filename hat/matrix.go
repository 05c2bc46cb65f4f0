package hat

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"io"
	"os"
	"syscall"
	"time"

	"periph.io/x/conn/v3"
	"periph.io/x/conn/v3/display"
)

var (
	_ display.Drawer = (*Matrix)(nil)
	_ conn.Resource  = (*Matrix)(nil)
)

// Matrix is the 8×8 LED matrix, as opened by OpenMatrix and its like; every method of the
// zero value fails. Its methods may be called from several goroutines; a write that the kernel does
// not finish holds up the others.
//
// Frames appear when the kernel's driver gets round to it, about 10 ms after
// the write and at most 57 times a second. It sends them over a bus that it
// does not watch: no error does not mean that anything is lit, see
// [Matrix.Refresh].
type Matrix struct {
	name   string
	device interface {
		io.WriterAt
		io.Closer
	}
	layout layout
	from   [64]uint8
	linger time.Duration // from the last frame to the device's Close

	// A lock of one place in a channel, where a sync.Mutex would do as well
	// if tests with testing/synctest's clock did not have to see a goroutine
	// that waits behind a stuck write as idle.
	lock chan struct{}

	frame  [64]color.RGBA // the last frame asked for, which Draw draws on
	next   []byte         // the same, packed
	shown  []byte         // the last successful write …
	stale  bool           // … or nothing known, after a failed one
	closed bool
}

// NewMatrix drives an 8×8 screen that is not a device of the kernel's: the
// desktop emulator's file, or a test's memory. Each frame is one WriteAt of
// 128 bytes at offset 0, RGB565 in the machine's byte order, row by row from
// the top left, dark to begin with. Of o only Rotate counts. The screen is
// closed with the Matrix, and left open if NewMatrix fails: over Rotate, or
// as the first write did, see [Matrix.WriteFrame]. It may have a gamma table, with
// methods Gamma(*[32]byte) error and ResetGamma() error: see [Matrix.RestoreGamma].
func NewMatrix(screen interface {
	io.WriterAt
	io.Closer
}, o *Opts) (*Matrix, error) {
	return newMatrix(screen, rgb565(), o)
}

func newMatrix(device interface {
	io.WriterAt
	io.Closer
}, l layout, o *Opts) (*Matrix, error) {
	q, err := o.turns()
	if err != nil {
		return nil, err
	}
	m := &Matrix{
		name:   nameOf("matrix", device),
		device: device,
		layout: l,
		from:   turned(q),
		lock:   make(chan struct{}, 1),
		next:   make([]byte, l.size()),
		shown:  make([]byte, l.size()),
	}
	// What an earlier program or the boot left on the LEDs goes, and a device
	// that takes no frames is found out here rather than at the first one.
	if err := m.Refresh(); err != nil {
		return nil, err
	}
	return m, nil
}

// WriteFrame shows the frame: pixel (x, y) is frame[y*8+x], (0, 0) the top
// left. Channels keep their top 5, 6 and 5 bits, and one below 48 is dark, see
// [Brightness]. Alpha is ignored.
//
// One write of 128 bytes, or none when the LEDs already show this: those that
// packed to the same bytes in the last successful write. Nothing is
// allocated. After an error the next call writes again in any case. Errors
// match [ErrGone] when the device went away, os.ErrClosed after Close.
func (m *Matrix) WriteFrame(frame *[64]color.RGBA) error {
	if err := m.acquire(); err != nil {
		return err
	}
	defer m.release()
	return m.show(frame)
}

// Rotate turns the picture that is shown, and all later ones, by 0, 90, 180 or 270
// degrees, as [Opts].Rotate does. Any other number is an error and changes nothing;
// else errors are those of [Matrix.WriteFrame].
func (m *Matrix) Rotate(degrees int) error {
	q, err := quarters(degrees)
	if err != nil {
		return err
	}
	if err := m.acquire(); err != nil {
		return err
	}
	defer m.release()
	m.from = turned(q)
	return m.show(&m.frame)
}

// Refresh writes the last frame again, changed or not (a dark one before the
// first). The bus behind the driver can fail without a word, a loose HAT
// being reseated for instance; calling this now and then lights it up again. Errors
// are those of [Matrix.WriteFrame].
func (m *Matrix) Refresh() error {
	if err := m.acquire(); err != nil {
		return err
	}
	defer m.release()
	m.stale = true
	return m.write()
}

// RestoreGamma gives the kernel's driver its default gamma table back (see [Brightness]) if
// another program has left it another one, and says whether it had to. With a table of
// zeros every LED is dark, and the driver keeps it until it is told otherwise. The devices
// that this package opens have the default table then; for the time after this is to be
// called now and then. It does nothing where the driver lets nobody ask: for a file, over
// I²C, and for a 32-bit program on a 64-bit kernel. What else fails shows with the next
// frame.
func (m *Matrix) RestoreGamma() (restored bool) {
	if m.acquire() != nil {
		return false
	}
	defer m.release()
	d, ok := m.device.(interface {
		Gamma(*[32]byte) error
		ResetGamma() error // to the default
	})
	var table [32]byte
	if !ok || m.closed || d.Gamma(&table) != nil || table == gamma {
		return false
	}
	return d.ResetGamma() == nil && d.Gamma(&table) == nil && table == gamma
}

// Halt makes all LEDs dark. It implements conn.Resource; the Matrix can be
// used on. Errors are those of [Matrix.WriteFrame].
func (m *Matrix) Halt() error {
	if err := m.acquire(); err != nil {
		return err
	}
	defer m.release()
	return m.dark()
}

// Close makes the LEDs dark and lets the device go, a kernel's 20 ms later. It does so
// whatever the error: that the LEDs may be lit still, or os.ErrClosed for a second Close.
// It waits at most a second for the kernel to let the device go, see [Joystick.Close].
func (m *Matrix) Close() error {
	if err := m.acquire(); err != nil {
		return err
	}
	defer m.release()
	if m.closed {
		return m.errClosed()
	}
	err := m.dark()
	if err == nil {
		time.Sleep(m.linger)
	}
	m.closed = true
	if cerr := letGo(m.device); err == nil && cerr != nil {
		err = ioFault("closing", m.name, cerr)
	}
	return err
}

// AwaitGone waits until the device goes away, which a program that writes nothing
// would not notice, and returns nil then. It returns the context's error, at its end,
// also for devices that do not tell.
func (m *Matrix) AwaitGone(ctx context.Context) error {
	if m.device == nil {
		return errUnopened("matrix")
	}
	if d, ok := m.device.(interface{ AwaitGone(context.Context) error }); ok {
		return d.AwaitGone(ctx)
	}
	<-ctx.Done()
	return ctx.Err()
}

// String names the device by its file, for logs.
func (m *Matrix) String() string { return "Sense HAT " + cmp.Or(m.name, "matrix") }

// ColorModel implements display.Drawer: color.RGBAModel, of which the LEDs show 5, 6
// and 5 bits.
func (m *Matrix) ColorModel() color.Model { return color.RGBAModel }

// Bounds implements display.Drawer: 8×8, (0, 0) the top left.
func (m *Matrix) Bounds() image.Rectangle { return image.Rect(0, 0, side, side) }

// Draw implements display.Drawer: the part of src that starts at sp replaces
// dst; the rest of the picture stays. It allocates, WriteFrame does not. Errors are
// those of [Matrix.WriteFrame].
func (m *Matrix) Draw(dst image.Rectangle, src image.Image, sp image.Point) error {
	if err := m.acquire(); err != nil {
		return err
	}
	defer m.release()
	canvas := image.NewRGBA(m.Bounds())
	for i, c := range m.frame {
		canvas.SetRGBA(i%side, i/side, c)
	}
	draw.Draw(canvas, dst, src, sp, draw.Src)
	var frame [64]color.RGBA
	for i := range frame {
		frame[i] = canvas.RGBAAt(i%side, i/side)
	}
	return m.show(&frame)
}

// acquire takes the lock, which the zero value has none of.
func (m *Matrix) acquire() error {
	if m.lock == nil {
		return errUnopened("matrix")
	}
	m.lock <- struct{}{}
	return nil
}

func (m *Matrix) release() { <-m.lock }

func (m *Matrix) show(frame *[64]color.RGBA) error {
	m.frame = *frame
	m.layout.pack(m.next, frame, &m.from)
	return m.write()
}

// dark writes even if all is dark by the last write: it is what stays.
func (m *Matrix) dark() error {
	m.stale = true
	return m.show(&[64]color.RGBA{})
}

// write brings m.next to the device, whole and from offset 0: a write without
// an offset would go on where the last one ended (ENOSPC), and nothing but a
// write shows on every kernel (raspberrypi/linux issues 5398, 5404).
func (m *Matrix) write() error {
	if m.closed {
		return m.errClosed()
	}
	if !m.stale && bytes.Equal(m.next, m.shown) {
		return nil
	}
	n, err := m.device.WriteAt(m.next, 0)
	for err != nil && errors.Is(err, syscall.EINTR) {
		n, err = m.device.WriteAt(m.next, 0)
	}
	if err == nil && n < len(m.next) {
		err = io.ErrShortWrite
	}
	if err != nil {
		m.stale = true
		return ioFault("writing to", m.name, err)
	}
	copy(m.shown, m.next)
	m.stale = false
	return nil
}

func (m *Matrix) errClosed() error {
	return &fault{"the " + m.name + " is closed", nil, os.ErrClosed}
}
