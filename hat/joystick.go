package hat

import (
	"cmp"
	"errors"
	"io"
	"sync/atomic"
	"syscall"
)

// Joystick is the joystick. The methods of the zero value fail. Only one goroutine at a time may call
// ReadEvent; the other methods are safe for concurrent use.
type Joystick struct {
	name   string
	device io.ReadCloser
	closed atomic.Bool
	turn   atomic.Int32 // in quarter turns; ReadEvent passes it to keys
	keys   decoder

	// Room for as many records as evdev keeps for a reader (EVDEV_MIN_BUFFER_SIZE), so that
	// one read empties evdev's queue. buf[next:end] is not yet decoded, and buf[next:judged]
	// is the rest of a packet that judge has seen.
	buf               [64 * recordSize]byte
	next, judged, end int
}

// NewJoystick reads a joystick that is not a kernel device, such as a test's pipe. r
// delivers struct input_event records of the program's own word size (24 bytes on 64-bit systems,
// 16 on 32-bit ones), in pieces of any length. Only o.Rotate is used. Closing the Joystick closes
// r, which must end a blocked Read. NewJoystick fails only if Rotate is invalid; r then stays open.
func NewJoystick(r io.ReadCloser, o *Opts) (*Joystick, error) {
	q, err := o.turns()
	if err != nil {
		return nil, err
	}
	s := &Joystick{name: nameOf("joystick", r), device: r}
	s.turn.Store(int32(q))
	return s, nil
}

// Rotate sets the rotation of the keys, from the next event on, to 0, 90, 180 or 270 degrees, as
// [Opts].Rotate does. Keys that are held are reported as released. Any other value is an error and
// changes nothing.
func (s *Joystick) Rotate(degrees int) error {
	if s.device == nil {
		return errUnopened("joystick")
	}
	q, err := quarters(degrees)
	if err == nil {
		s.turn.Store(int32(q))
	}
	return err
}

// ReadEvent waits for the next press, hold or release. It does not allocate.
//
// A packet (the records up to a SYN_REPORT) that presses keys which no hand can press at once, three
// or two opposite ones, is dropped, and held keys are reported as released: rpisense-js.c mistakes
// the error code of a failed read for pressed keys. So it is if the kernel lost events.
//
// Errors match os.ErrClosed if the Joystick is closed before or during the call, [ErrGone] if the
// device was disconnected, io.EOF at the end of a regular file, and io.ErrUnexpectedEOF if the file
// ends within a record.
func (s *Joystick) ReadEvent() (Event, error) {
	if s.device == nil {
		return Event{}, errUnopened("joystick")
	}
	for {
		if s.closed.Load() {
			return Event{}, errClosed(s.name)
		}
		s.keys.turn(int(s.turn.Load()))
		if e, ok := s.keys.release(); ok {
			return e, nil
		}
		switch {
		case s.end-s.next < recordSize:
			if err := s.fill(); err != nil {
				return Event{}, err
			}
		case s.next == s.judged:
			s.judge()
		default:
			rec := s.buf[s.next : s.next+recordSize]
			s.next += recordSize
			if e, ok := s.keys.record(rec); ok {
				return e, nil
			}
		}
	}
}

// judge finds the end of the next packet, and drops the packet if it is impossible. evdev returns
// whole packets (evdev.c, evdev_fetch_next_event); a packet that a pipe has cut, or that has no
// SYN_REPORT, is accepted unchecked.
func (s *Joystick) judge() {
	last := false
	for s.judged = s.next; !last && s.judged+recordSize <= s.end; s.judged += recordSize {
		kind, code, _ := fields(s.buf[s.judged : s.judged+recordSize])
		last = kind == evSyn && code == synReport
	}
	if last && impossible(s.buf[s.next:s.judged]) {
		s.keys.drop()
	}
}

// fill reads once. It keeps a partial record of the previous read: a pipe may deliver any number of
// bytes.
func (s *Joystick) fill() error {
	s.end = copy(s.buf[:], s.buf[s.next:s.end])
	s.next, s.judged = 0, 0
	n, err := s.device.Read(s.buf[s.end:])
	s.end += n
	switch {
	case n > 0 || err == nil || errors.Is(err, syscall.EINTR):
		return nil // an error that comes with data is returned again by the next read
	case s.closed.Load():
		return errClosed(s.name)
	case err == io.EOF && s.end > 0:
		err = io.ErrUnexpectedEOF
	}
	return ioFault("reading", s.name, err)
}

// Close closes the device and ends a blocked ReadEvent. The error of a second Close matches
// os.ErrClosed. Close waits at most a second for the kernel: closing a device that was deleted
// while open may never return.
func (s *Joystick) Close() error {
	if s.device == nil {
		return errUnopened("joystick")
	}
	if s.closed.Swap(true) {
		return errClosed(s.name)
	}
	if err := letGo(s.device); err != nil {
		return ioFault("closing", s.name, err)
	}
	return nil
}

// String names the device by its file, for logs.
func (s *Joystick) String() string { return "Sense HAT " + cmp.Or(s.name, "joystick") }
