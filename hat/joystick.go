package hat

import (
	"cmp"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
)

// Joystick is the joystick, as opened by OpenJoystick and its like; every method of the
// zero value fails. One goroutine at a time may call ReadEvent, any may call Rotate and Close.
type Joystick struct {
	name   string
	device io.ReadCloser
	closed atomic.Bool
	turn   atomic.Int32 // in quarters, to be told to keys by who reads
	keys   decoder

	// A whole number of records, as many as evdev keeps for a reader
	// (EVDEV_MIN_BUFFER_SIZE), so that one read empties it. buf[next:end] is
	// what was read and not yet decoded, buf[next:judged] the rest of a packet.
	buf               [64 * recordSize]byte
	next, judged, end int
}

// NewJoystick reads a joystick that is not a device of the kernel's: the desktop
// emulator's socket, or a test's pipe. It delivers struct input_event records
// of the program's own word size (24 bytes on 64-bit, 16 on 32-bit), in pieces
// of any length. Of o only Rotate counts. Closing the Joystick closes r, which
// must wake a blocked Read. The only error is that of a Rotate that there is not.
func NewJoystick(r io.ReadCloser, o *Opts) (*Joystick, error) {
	q, err := o.turns()
	if err != nil {
		return nil, err
	}
	s := &Joystick{name: nameOf("joystick", r), device: r}
	s.turn.Store(int32(q))
	return s, nil
}

// Rotate turns the keys from the next one on by 0, 90, 180 or 270 degrees, as
// [Opts].Rotate does. Those that are held are reported as released. Any other number
// is an error and changes nothing.
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

// ReadEvent waits for the next press, hold or release. It allocates nothing.
//
// A packet, the records up to a SYN_REPORT, in which three or more keys are pressed, or
// two opposite ones, is dropped, and what is held is reported as released: no hand does
// that. rpisense-js.c takes the error code of a read that failed for keys.
//
// Errors match os.ErrClosed after Close, also when Close came during the
// call; [ErrGone] when the device went away; io.EOF at the end of a regular
// file, io.ErrUnexpectedEOF within a record of it. When the kernel lost events
// the keys then held are reported as released.
func (s *Joystick) ReadEvent() (Event, error) {
	if s.device == nil {
		return Event{}, errUnopened("joystick")
	}
	for {
		if s.closed.Load() {
			return Event{}, s.errClosed()
		}
		s.keys.turn(int(s.turn.Load()))
		if e, ok := s.keys.release(); ok {
			return e, nil
		}
		if s.end-s.next >= recordSize {
			if s.next >= s.judged {
				s.judge()
				continue
			}
			rec := s.buf[s.next : s.next+recordSize]
			s.next += recordSize
			if e, ok := s.keys.record(rec); ok {
				return e, nil
			}
			continue
		}
		if err := s.fill(); err != nil {
			return Event{}, err
		}
	}
}

// judge finds the end of the next packet, and drops it if no hand has made it. evdev
// hands out whole packets (evdev.c, evdev_fetch_next_event); one that a pipe has cut, or
// that has no SYN_REPORT, is taken as it is.
func (s *Joystick) judge() {
	var p presses
	last := false
	for s.judged = s.next; !last && s.judged+recordSize <= s.end; s.judged += recordSize {
		last = p.add(s.buf[s.judged : s.judged+recordSize])
	}
	if last && p.impossible() {
		s.keys.drop()
	}
}

// fill reads once, behind the part of a record that may be left over: a pipe
// delivers what its writer happened to write.
func (s *Joystick) fill() error {
	s.end = copy(s.buf[:], s.buf[s.next:s.end])
	s.next, s.judged = 0, 0
	n, err := s.device.Read(s.buf[s.end:])
	s.end += n
	switch {
	case n > 0 || err == nil || errors.Is(err, syscall.EINTR):
		return nil // an error beside data comes again with the next read
	case s.closed.Load():
		return s.errClosed()
	case err == io.EOF && s.end > 0:
		err = io.ErrUnexpectedEOF
	}
	return ioFault("reading", s.name, err)
}

// Close lets the device go and ends a ReadEvent that waits. The error is the
// device's, or os.ErrClosed for a second Close. It waits at most a second: the kernel may
// never let go of a device that was deleted while it was open.
func (s *Joystick) Close() error {
	if s.device == nil {
		return errUnopened("joystick")
	}
	if s.closed.Swap(true) {
		return s.errClosed()
	}
	if err := letGo(s.device); err != nil {
		return ioFault("closing", s.name, err)
	}
	return nil
}

// String names the device by its file, for logs.
func (s *Joystick) String() string { return "Sense HAT " + cmp.Or(s.name, "joystick") }

func (s *Joystick) errClosed() error {
	return &fault{"the " + s.name + " is closed", nil, os.ErrClosed}
}
