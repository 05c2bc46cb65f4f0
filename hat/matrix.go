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
	"syscall"
	"time"

	"github.com/c4hat/c4hat/hat/internal/device"
	"periph.io/x/conn/v3"
	"periph.io/x/conn/v3/display"
)

var (
	_ display.Drawer = (*Matrix)(nil)
	_ conn.Resource  = (*Matrix)(nil)
)

// Matrix is the 8×8 LED matrix. The methods of the zero value fail. A Matrix is safe for concurrent
// use, but a write that hangs in the kernel blocks later calls.
//
// The kernel's driver shows a frame about 10 ms after the write, and at most 57 frames a second. It
// ignores bus errors, so the LEDs may not show a frame that was written; see [Matrix.Refresh].
type Matrix struct {
	name   string
	device screen
	layout layout
	from   [64]uint8
	linger time.Duration // between the last frame and the device's Close

	// A channel of capacity one rather than a sync.Mutex: testing/synctest treats a
	// goroutine that waits for a Mutex, behind a stuck write, as running.
	lock chan struct{}

	frame             [64]color.RGBA // the last frame requested, which Draw draws on
	next, shown, seen []byte         // frame, packed; the last successful write; what Check reads
	stale             bool           // the LEDs may differ from shown: the next write is not skipped
	closed            bool
}

type screen interface {
	io.WriterAt
	io.Closer
}

// NewMatrix drives an 8×8 screen that is not a kernel device, such as a test's memory. Each
// frame is one WriteAt of 128 bytes at offset 0: RGB565 in the machine's byte order, row by row
// from the top left. The first frame, which NewMatrix writes, is dark. Only o.Rotate is used.
// Closing the Matrix closes the screen; if NewMatrix fails, the screen stays open. A screen may have
// the methods Gamma(*[32]byte) error and ResetGamma() error for [Matrix.RestoreGamma],
// AwaitGone(context.Context) error for [Matrix.AwaitGone], and ReadAt for [Matrix.Check].
func NewMatrix(screen interface {
	io.WriterAt
	io.Closer
}, o *Opts) (*Matrix, error) {
	return newMatrix(screen, rgb565(), o)
}

func newMatrix(device screen, l layout, o *Opts) (*Matrix, error) {
	q, err := o.turns()
	if err != nil {
		return nil, err
	}
	m := &Matrix{
		name: nameOf("matrix", device), device: device, layout: l, from: turned(q), lock: make(chan struct{}, 1),
		next: make([]byte, l.size()), shown: make([]byte, l.size()), seen: make([]byte, l.size()),
	}
	// This clears what an earlier program or the boot left on the LEDs. A device that cannot be
	// written to fails here rather than at the program's first frame.
	m.stale = true
	if err := m.write(); err != nil {
		return nil, err
	}
	return m, nil
}

// WriteFrame shows the frame: pixel (x, y) is frame[y*8+x], and (0, 0) is at the top left. The LEDs
// show the top 5, 6 and 5 bits of red, green and blue; a channel below 48 is dark, see
// [Brightness]. Alpha is ignored.
//
// WriteFrame makes one write of 128 bytes, or none if the last successful write had the same bytes.
// After an error the next call always writes. WriteFrame does not allocate. Errors match [ErrGone]
// if the device was disconnected, and os.ErrClosed after Close.
func (m *Matrix) WriteFrame(frame *[64]color.RGBA) error {
	return m.locked(func() error { return m.show(frame) })
}

// Rotate sets the rotation of the picture that is shown, and of all later ones, to 0, 90, 180 or
// 270 degrees, as [Opts].Rotate does. Any other value is an error and changes nothing. Other errors
// are those of [Matrix.WriteFrame].
func (m *Matrix) Rotate(degrees int) error {
	q, err := quarters(degrees)
	if err != nil {
		return err
	}
	return m.locked(func() error {
		m.from = turned(q)
		return m.show(&m.frame)
	})
}

// Refresh writes the last frame again, or a dark one if there is none. The bus behind the driver
// can fail without an error, for instance when a loose HAT is reseated: call Refresh now and then
// to bring the picture back. It also resets the gamma table of the kernel's driver to the default (see
// [Brightness]): a table that another program has set stays after that program, and with zeros every LED
// is dark. Errors are those of [Matrix.WriteFrame].
func (m *Matrix) Refresh() error {
	return m.locked(func() error {
		if d, ok := m.device.(interface{ ResetGamma() error }); ok {
			_ = d.ResetGamma() // a 32-bit program on a 64-bit kernel cannot
		}
		m.stale = true
		return m.write()
	})
}

// Check is a Refresh without a transfer to the LEDs: it writes the last frame again only if it reads
// another one from the device, because another program has written to it. Over I²C, and for a device
// that cannot be read, it does nothing. Errors are those of [Matrix.WriteFrame].
func (m *Matrix) Check() error {
	return m.locked(func() error {
		if d, ok := m.device.(io.ReaderAt); ok {
			_, err := d.ReadAt(m.seen, 0)
			if device.KindOf(err) == ErrGone {
				return ioFault("reading", m.name, err)
			}
			m.stale = m.stale || err == nil && !bytes.Equal(m.seen, m.shown)
		}
		return m.write()
	})
}

// RestoreGamma resets the gamma table of the kernel's driver to the default (see [Brightness]) if
// another program has changed it, and reports whether it has. A changed table stays in the driver
// after that program exits; with zeros every LED is dark. [OpenMatrix] resets the table too.
// RestoreGamma does nothing if there is no table that it can read: for a regular file, over I²C,
// and in a 32-bit program on a 64-bit kernel. If the device fails, so does the next frame.
func (m *Matrix) RestoreGamma() (restored bool) {
	_ = m.locked(func() error { // it fails only if the matrix is not open
		d, ok := m.device.(interface {
			Gamma(*[32]byte) error
			ResetGamma() error // to the default
		})
		var table [32]byte
		if ok && d.Gamma(&table) == nil && table != gamma {
			restored = d.ResetGamma() == nil && d.Gamma(&table) == nil && table == gamma
		}
		return nil
	})
	return restored
}

// Halt turns off all LEDs. It implements conn.Resource. The Matrix stays open. Errors are those of
// [Matrix.WriteFrame].
func (m *Matrix) Halt() error { return m.locked(m.dark) }

// Close turns off all LEDs and closes the device, a kernel device 20 ms later. The device is closed
// even if Close returns an error, but LEDs may then still be lit. The error of a second Close matches
// os.ErrClosed. Close waits at most a second for the kernel; see [Joystick.Close].
func (m *Matrix) Close() error {
	return m.locked(func() error {
		err := m.dark()
		if err == nil {
			time.Sleep(m.linger)
		}
		m.closed = true
		if cerr := letGo(m.device); err == nil && cerr != nil {
			err = ioFault("closing", m.name, cerr)
		}
		return err
	})
}

// AwaitGone waits until the device is disconnected, which a program that writes nothing would not
// notice, and returns nil, or the context's error. Some devices, such as those of [I2C.OpenMatrix],
// cannot tell that they were disconnected: AwaitGone then waits for the end of the context.
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

// ColorModel implements display.Drawer.
func (m *Matrix) ColorModel() color.Model { return color.RGBAModel }

// Bounds implements display.Drawer. The matrix is 8×8, with (0, 0) at the top left.
func (m *Matrix) Bounds() image.Rectangle { return image.Rect(0, 0, side, side) }

// Draw implements display.Drawer: it replaces the rectangle dst of the picture by the part of src
// that starts at sp. Unlike WriteFrame, Draw allocates. Errors are those of [Matrix.WriteFrame].
func (m *Matrix) Draw(dst image.Rectangle, src image.Image, sp image.Point) error {
	return m.locked(func() error {
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
	})
}

// locked calls f with the lock held, unless the matrix was never opened or is closed.
func (m *Matrix) locked(f func() error) error {
	if m.lock == nil {
		return errUnopened("matrix")
	}
	m.lock <- struct{}{}
	defer func() { <-m.lock }()
	if m.closed {
		return errClosed(m.name)
	}
	return f()
}

func (m *Matrix) show(frame *[64]color.RGBA) error {
	m.frame = *frame
	m.layout.pack(m.next, frame, &m.from)
	return m.write()
}

// dark turns off all LEDs. It writes even if the last frame was dark, because that frame may not
// have reached the LEDs.
func (m *Matrix) dark() error {
	m.stale = true
	return m.show(&[64]color.RGBA{})
}

// write writes m.next to the device, whole and at offset 0. A write without an offset would
// continue where the last one ended, and fail with ENOSPC; mmap does not work on every kernel
// (raspberrypi/linux issues 5398, 5404).
func (m *Matrix) write() error {
	if !m.stale && bytes.Equal(m.next, m.shown) {
		return nil
	}
	n, err := m.device.WriteAt(m.next, 0)
	for errors.Is(err, syscall.EINTR) {
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
