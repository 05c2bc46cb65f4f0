package hat

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"strconv"
	"sync/atomic"
	"syscall"
)

// Joystick is the joystick. Only one goroutine at a time may call ReadEvent; the other methods are
// safe for concurrent use.
type Joystick struct {
	name   string
	keys   keys
	closed atomic.Bool
	turn   atomic.Int32     // in quarter turns
	held   [Middle + 1]Key  // for each key that is held, the name under which it was pressed
	queue  []change         // what is not reported yet, in buf
	buf    [2 * room]change // also for what is lost
}

// keys is what a Joystick reads.
type keys interface {
	// next waits, and appends what has happened to the keys. It may append nothing.
	next([]change) ([]change, error)
	io.Closer
}

// change is what has happened to a key, named as on a HAT that is not rotated. value is that of an
// input_event: 1 for a press, 0 for a release, 2 for a repeat. The key 0 says that events were lost.
type change struct {
	key   Key
	value int32
}

// NewJoystick reads a joystick that is not a kernel device, such as a test's pipe. r
// delivers struct input_event records of the program's own word size (24 bytes on 64-bit systems,
// 16 on 32-bit ones), in pieces of any length. Only o.Rotate is used. Closing the Joystick closes
// r, which must end a blocked Read. NewJoystick fails only if Rotate is invalid; r then stays open.
func NewJoystick(r io.ReadCloser, o *Opts) (*Joystick, error) {
	return newJoystick(&records{ReadCloser: r}, nameOf("joystick", r), o)
}

func newJoystick(k keys, name string, o *Opts) (*Joystick, error) {
	q, err := o.turns()
	if err != nil {
		return nil, err
	}
	s := &Joystick{name: name, keys: k}
	s.turn.Store(int32(q))
	return s, nil
}

// Rotate sets the rotation of the keys, from the next press on, to 0, 90, 180 or 270 degrees, as
// [Opts].Rotate does. Any other value is an error and changes nothing.
func (s *Joystick) Rotate(degrees int) error {
	q, err := quarters(degrees)
	if err == nil {
		s.turn.Store(int32(q))
	}
	return err
}

// ReadEvent waits for the next press, hold or release. It does not allocate.
//
// If the kernel has lost events, keys that are held are forgotten: their release is not reported. So
// are keys that were pressed together and that no hand can press at once, three or two opposite ones:
// rpisense-js.c mistakes the error code of a failed read for pressed keys.
//
// Errors match os.ErrClosed if the Joystick is closed before or during the call, [ErrGone] if the
// device was disconnected, io.EOF at the end of a regular file, and io.ErrUnexpectedEOF if the file
// ends within a record.
func (s *Joystick) ReadEvent() (Event, error) {
	for {
		if s.closed.Load() {
			return Event{}, errClosed(s.name)
		}
		for len(s.queue) > 0 {
			c := s.queue[0]
			s.queue = s.queue[1:]
			if e, ok := s.event(c); ok {
				return e, nil
			}
		}
		var err error
		if s.queue, err = s.keys.next(s.buf[:0]); err != nil && !s.closed.Load() {
			return Event{}, ioFault("reading", s.name, err)
		}
	}
}

// event turns a change into an event. A key that was pressed before the joystick was opened, or
// before events were lost, has no event until it is pressed again.
func (s *Joystick) event(c change) (e Event, ok bool) {
	name := s.held[c.key]
	switch {
	case c.key == 0:
		s.held = [Middle + 1]Key{}
	case c.value == 1:
		name = c.key
		if name != Middle { // after one quarter turn, the joystick's right is Up
			name = Up + (name-Up+Key(4-s.turn.Load()))%4
		}
		s.held[c.key] = name
		return Event{name, Press}, true
	case c.value == 2 && name != 0:
		return Event{name, Hold}, true
	case c.value == 0 && name != 0:
		s.held[c.key] = 0
		return Event{name, Release}, true
	}
	return e, false
}

// Close closes the device and ends a blocked ReadEvent. The error of a second Close matches
// os.ErrClosed.
func (s *Joystick) Close() error {
	if s.closed.Swap(true) {
		return errClosed(s.name)
	}
	if err := s.keys.Close(); err != nil {
		return ioFault("closing", s.name, err)
	}
	return nil
}

// String names the device by its file, for logs.
func (s *Joystick) String() string { return "Sense HAT " + s.name }

// recordSize is the size of struct input_event (include/uapi/linux/input.h): the time in two words
// of the program's size, even under a 64-bit kernel, then a type and a code of 16 bits each and a
// value of 32 bits.
const recordSize = 2*strconv.IntSize/8 + 8

// room is how many records evdev keeps for a reader (EVDEV_MIN_BUFFER_SIZE), so that one read empties
// evdev's queue.
const room = 64

// From include/uapi/linux/input-event-codes.h.
const (
	evSyn = 0x00
	evKey = 0x01

	synReport  = 0
	synDropped = 3
)

// keyCodes are the codes of Raspberry Pi OS's driver (rpisense-js.c) and of the mainline kernel's
// (sensehat-joystick.c), for a picture that is not rotated.
var keyCodes = map[uint16]Key{
	103: Up, 0x220: Up, // KEY_UP, BTN_DPAD_UP
	108: Down, 0x221: Down,
	105: Left, 0x222: Left,
	106: Right, 0x223: Right,
	28: Middle, 0x13a: Middle, // KEY_ENTER, BTN_SELECT
}

// records reads input_event records.
type records struct {
	io.ReadCloser
	buf  [room * recordSize]byte
	end  int  // buf[:end] is the beginning of a record that a pipe has cut
	lost bool // true from a SYN_DROPPED until the next SYN_REPORT (the kernel's Documentation/input/event-codes.rst)
}

// next reads once. evdev returns whole packets, which end with a SYN_REPORT (evdev.c,
// evdev_fetch_next_event).
func (r *records) next(c []change) ([]change, error) {
	n, err := r.Read(r.buf[r.end:])
	r.end += n
	switch {
	case n > 0 || err == nil || errors.Is(err, syscall.EINTR): // an error that comes with data is returned again by the next read
	case err == io.EOF && r.end > 0:
		return c, io.ErrUnexpectedEOF
	default:
		return c, err
	}
	packet, rest := len(c), r.buf[:r.end]
	for ; len(rest) >= recordSize; rest = rest[recordSize:] {
		kind, code, value := fields(rest[:recordSize])
		switch {
		case kind == evSyn && code == synReport:
			if impossible(c[packet:]) {
				c = append(c[:packet], change{})
			}
			r.lost, packet = false, len(c)
		case kind == evSyn && code == synDropped:
			r.lost = true
			c = append(c, change{})
		case kind == evKey && keyCodes[code] != 0 && !r.lost:
			c = append(c, change{keyCodes[code], value})
		}
	}
	r.end = copy(r.buf[:], rest)
	return c, nil
}

func fields(rec []byte) (kind, code uint16, value int32) {
	body := rec[len(rec)-8:]
	return binary.NativeEndian.Uint16(body), binary.NativeEndian.Uint16(body[2:]), int32(binary.NativeEndian.Uint32(body[4:]))
}

// impossible reports whether a packet presses keys that no hand can press at once: more than two, or
// two opposite ones.
func impossible(packet []change) bool {
	var pressed uint8 // one bit per key
	for _, c := range packet {
		if c.value == 1 {
			pressed |= 1 << c.key
		}
	}
	const vertical, horizontal = 1<<Up | 1<<Down, 1<<Left | 1<<Right
	return bits.OnesCount8(pressed) > 2 || pressed&vertical == vertical || pressed&horizontal == horizontal
}
