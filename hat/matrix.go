package hat

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"io"
	"sync"
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

	mu     sync.Mutex
	device screen // nil once it is closed
	from   [64]uint8
	frame  [64]color.RGBA  // the last one requested, which Draw draws on
	packed [frameSize]byte // for the device
	shown  bool            // the device has packed
}

const (
	side      = 8               // the width and height
	frameSize = 2 * side * side // in bytes: RGB565 has 16 bits (rpisense-fb.c)
)

type screen interface {
	io.WriterAt
	io.Closer
}

// NewMatrix drives an 8×8 screen that is not a kernel device, such as a test's memory. Each frame is one WriteAt of
// 128 bytes at offset 0: RGB565 in the machine's byte order, row by row from the top left. The first frame, which
// NewMatrix writes, is dark. Closing the Matrix closes the screen; if NewMatrix fails, the screen stays open. A
// screen may have a method ResetGamma() error for [Matrix.Refresh].
func NewMatrix(screen interface {
	io.WriterAt
	io.Closer
}) (*Matrix, error) {
	m := &Matrix{name: nameOf("matrix", screen), device: screen}
	for i := range m.from {
		m.from[i] = uint8(i)
	}
	// This clears what an earlier program or the boot left on the LEDs. A device that cannot be
	// written to fails here rather than at the program's first frame.
	if err := m.Refresh(); err != nil {
		return nil, err
	}
	return m, nil
}

// WriteFrame shows the frame: pixel (x, y) is frame[y*8+x], and (0, 0) is at the top left. The LEDs show the top 5, 6
// and 5 bits of red, green and blue; a channel below 48 is dark, see [Brightness]. Alpha is ignored.
//
// WriteFrame makes one write of 128 bytes, or none if the last successful write had the same bytes.
// After an error the next call always writes. WriteFrame does not allocate. Errors match [ErrGone]
// if the device was disconnected, and os.ErrClosed after Close.
func (m *Matrix) WriteFrame(frame *[64]color.RGBA) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.show(frame)
}

// Rotate turns the picture that is shown, and all later ones, clockwise by 0, 90, 180 or 270 degrees, as
// python-sense-hat's set_rotation does, for a HAT that is mounted turned anticlockwise by the same angle. At 0, as at
// first, the Pi's HDMI socket points towards the viewer. At 90 the edge that is usually on the right is the top of the
// picture. Any other value is an error and changes nothing. Other errors are those of [Matrix.WriteFrame].
func (m *Matrix) Rotate(degrees int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	quarters, err := quarters(degrees)
	if err != nil {
		return err
	}
	for i := range m.from { // for each pixel of the device, the pixel of the frame that it shows
		x, y := i%side, i/side
		for range quarters {
			x, y = side-1-y, x
		}
		m.from[y*side+x] = uint8(i)
	}
	return m.show(&m.frame)
}

// Refresh writes the last frame again, or a dark one if there is none. The bus behind the driver can fail without an
// error, for instance when a loose HAT is reseated: call Refresh now and then to bring the picture back. Refresh also
// resets the gamma table of the kernel's driver to the default (see [Brightness]): a table that another program has
// set stays after that program, and with zeros every LED is dark. Errors are those of [Matrix.WriteFrame].
func (m *Matrix) Refresh() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d, ok := m.device.(interface{ ResetGamma() error }); ok {
		_ = d.ResetGamma() // a 32-bit program on a 64-bit kernel cannot
	}
	m.shown = false
	return m.show(&m.frame)
}

// Halt turns off all LEDs. It implements conn.Resource. The Matrix stays open. Errors are those of
// [Matrix.WriteFrame].
func (m *Matrix) Halt() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dark()
}

// Close turns off all LEDs and closes the device, a kernel device 20 ms later. The device is closed even if Close
// returns an error, but LEDs may then still be lit. The error of a second Close matches os.ErrClosed.
func (m *Matrix) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.device, m.dark()
	m.device = nil
	if d == nil {
		return err
	}
	if err == nil {
		time.Sleep(m.linger)
	}
	// If a framebuffer was deleted while open, the thread that closes it dies in the kernel
	// (rpisense-fb.c frees memory that fb_deferred_io_lastclose then uses).
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	select {
	case failed := <-closed:
		if err == nil && failed != nil {
			err = ioFault("closing", m.name, failed)
		}
	case <-time.After(100 * time.Millisecond):
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
	m.shown = false
	return m.show(&[64]color.RGBA{})
}

// show writes the frame to the device, whole and at offset 0. A write without an offset would continue where the last
// one ended, and fail with ENOSPC; mmap does not work on every kernel (raspberrypi/linux issues 5398, 5404).
func (m *Matrix) show(frame *[64]color.RGBA) error {
	if m.device == nil {
		return errClosed(m.name)
	}
	m.frame = *frame
	for i, from := range m.from {
		c, at := frame[from], m.packed[2*i:]
		pixel := uint16(c.R>>3)<<11 | uint16(c.G>>2)<<5 | uint16(c.B>>3)
		m.shown = m.shown && pixel == binary.NativeEndian.Uint16(at)
		binary.NativeEndian.PutUint16(at, pixel)
	}
	if m.shown {
		return nil
	}
	_, err := m.device.WriteAt(m.packed[:], 0)
	if m.shown = err == nil; !m.shown {
		return ioFault("writing to", m.name, err)
	}
	return nil
}

// gamma is the default gamma table of the kernel's driver (rpisense-fb.c, gamma_default): the index
// is a channel's highest 5 bits, the value goes to the board's register.
var gamma = [32]byte{0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 18, 20, 21, 23, 25, 27, 29, 31}

// Brightness returns the brightness of an LED, 0 to 31 in equal steps of light, for a value of a
// channel (red, green or blue), 0 to 255. It follows the default gamma table of the kernel's driver
// (rpisense-fb.c, gamma_default), which [I2C] uses too. Values below 48 are dark.
func Brightness(channel uint8) int { return int(gamma[channel>>3]) }
