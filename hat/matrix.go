package hat

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"io"
	"sync"
	"syscall"
	"time"

	"periph.io/x/conn/v3"
	"periph.io/x/conn/v3/display"
)

var (
	_ display.Drawer = (*Matrix)(nil)
	_ conn.Resource  = (*Matrix)(nil)
)

// Matrix is the 8×8 LED matrix. It is safe for concurrent use, but a write that hangs in the kernel
// blocks later calls.
//
// The kernel's driver shows a frame about 10 ms after the write, and at most 57 frames a second. It
// ignores bus errors, so the LEDs may not show a frame that was written; see [Matrix.Refresh].
type Matrix struct {
	name   string
	linger time.Duration // between the last frame and the device's Close

	mu          sync.Mutex
	device      screen // nil once it is closed
	from        [64]uint8
	frame       [64]color.RGBA // the last one requested, which Draw draws on
	next, shown []byte         // frame, packed; the last successful write
	stale       bool           // the LEDs may differ from shown: the next write is not skipped
}

type screen interface {
	io.WriterAt
	io.Closer
}

// NewMatrix drives an 8×8 screen that is not a kernel device, such as a test's memory. Each
// frame is one WriteAt of 128 bytes at offset 0: RGB565 in the machine's byte order, row by row
// from the top left. The first frame, which NewMatrix writes, is dark. Only o.Rotate is used.
// Closing the Matrix closes the screen; if NewMatrix fails, the screen stays open. A screen may have
// a method ResetGamma() error for [Matrix.Refresh].
func NewMatrix(screen interface {
	io.WriterAt
	io.Closer
}, o *Opts) (*Matrix, error) {
	q, err := o.turns()
	if err != nil {
		return nil, err
	}
	m := &Matrix{
		name: nameOf("matrix", screen), device: screen, from: turned(q),
		next: make([]byte, frameSize), shown: make([]byte, frameSize),
	}
	// This clears what an earlier program or the boot left on the LEDs. A device that cannot be
	// written to fails here rather than at the program's first frame.
	if err := m.Refresh(); err != nil {
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
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.show(frame)
}

// Rotate sets the rotation of the picture that is shown, and of all later ones, to 0, 90, 180 or
// 270 degrees, as [Opts].Rotate does. Any other value is an error and changes nothing. Other errors
// are those of [Matrix.WriteFrame].
func (m *Matrix) Rotate(degrees int) error {
	q, err := quarters(degrees)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.from = turned(q)
	return m.show(&m.frame)
}

// Refresh writes the last frame again, or a dark one if there is none. The bus behind the driver
// can fail without an error, for instance when a loose HAT is reseated: call Refresh now and then
// to bring the picture back. Refresh also resets the gamma table of the kernel's driver to the
// default (see [Brightness]): a table that another program has set stays after that program, and with
// zeros every LED is dark. Errors are those of [Matrix.WriteFrame].
func (m *Matrix) Refresh() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d, ok := m.device.(interface{ ResetGamma() error }); ok {
		_ = d.ResetGamma() // a 32-bit program on a 64-bit kernel cannot
	}
	m.stale = true
	return m.show(&m.frame)
}

// Halt turns off all LEDs. It implements conn.Resource. The Matrix stays open. Errors are those of
// [Matrix.WriteFrame].
func (m *Matrix) Halt() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dark()
}

// Close turns off all LEDs and closes the device, a kernel device 20 ms later. The device is closed
// even if Close returns an error, but LEDs may then still be lit. The error of a second Close matches
// os.ErrClosed.
func (m *Matrix) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.device
	err := m.dark()
	m.device = nil
	switch {
	case d == nil:
		return err
	case errors.Is(err, ErrGone):
		// If a framebuffer was deleted while open, the thread that closes it dies in the kernel
		// (rpisense-fb.c frees memory that fb_deferred_io_lastclose then uses).
		closed := make(chan error, 1)
		go func() { closed <- d.Close() }()
		select {
		case <-closed:
		case <-time.After(100 * time.Millisecond):
		}
		return err
	case err == nil:
		time.Sleep(m.linger)
	}
	if cerr := d.Close(); err == nil && cerr != nil {
		err = ioFault("closing", m.name, cerr)
	}
	return err
}

// String names the device by its file, for logs.
func (m *Matrix) String() string { return "Sense HAT " + m.name }

// ColorModel implements display.Drawer.
func (m *Matrix) ColorModel() color.Model { return color.RGBAModel }

// Bounds implements display.Drawer. The matrix is 8×8, with (0, 0) at the top left.
func (m *Matrix) Bounds() image.Rectangle { return image.Rect(0, 0, side, side) }

// Draw implements display.Drawer: it replaces the rectangle dst of the picture by the part of src
// that starts at sp. Unlike WriteFrame, Draw allocates. Errors are those of [Matrix.WriteFrame].
func (m *Matrix) Draw(dst image.Rectangle, src image.Image, sp image.Point) error {
	m.mu.Lock()
	defer m.mu.Unlock()
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

// dark turns off all LEDs. It writes even if the last frame was dark, because that frame may not
// have reached the LEDs.
func (m *Matrix) dark() error {
	m.stale = true
	return m.show(&[64]color.RGBA{})
}

// show writes the frame to the device, whole and at offset 0. A write without an offset would
// continue where the last one ended, and fail with ENOSPC; mmap does not work on every kernel
// (raspberrypi/linux issues 5398, 5404).
func (m *Matrix) show(frame *[64]color.RGBA) error {
	if m.device == nil {
		return errClosed(m.name)
	}
	m.frame = *frame
	pack(m.next, frame, &m.from)
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
	if m.stale = err != nil; m.stale {
		return ioFault("writing to", m.name, err)
	}
	copy(m.shown, m.next)
	return nil
}
