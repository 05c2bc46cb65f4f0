package hat

import (
	"encoding/binary"
	"io"
	"math/bits"
	"strconv"
	"sync/atomic"
)

// Joystick is an open joystick. Only one goroutine at a time may call ReadEvent; the other methods are
// safe for concurrent use.
type Joystick struct {
	name   string
	device io.ReadCloser
	closed atomic.Bool
	turn   atomic.Int32    // in quarter turns
	held   [Middle + 1]Key // for each key that is held, the name under which it was pressed
	lost   bool            // true from a SYN_DROPPED until the next SYN_REPORT (the kernel's Documentation/input/event-codes.rst)
	events [room]Event
	unread []Event // those in events that ReadEvent has not returned yet
	buf    [room * recordSize]byte
}

// recordSize is the size of struct input_event (include/uapi/linux/input.h): the time in two words of the program's
// size, even under a 64-bit kernel, then a type and a code of 16 bits each and a value of 32 bits.
const recordSize = 2*strconv.IntSize/8 + 8

// room is how many records evdev keeps for a reader (EVDEV_MIN_BUFFER_SIZE), so that one read empties evdev's queue.
const room = 64

// From include/uapi/linux/input-event-codes.h.
const (
	evSyn = 0x00
	evKey = 0x01

	synReport  = 0
	synDropped = 3

	released = 0
	pressed  = 1
	repeated = 2
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

// NewJoystick reads a joystick that is not a kernel device, such as a test's pipe. r
// delivers struct input_event records of the program's own word size (24 bytes on 64-bit systems,
// 16 on 32-bit ones), whole ones in each Read. Closing the Joystick closes r, which must end a blocked Read.
func NewJoystick(r io.ReadCloser) *Joystick {
	return &Joystick{name: nameOf("joystick", r), device: r}
}

// Rotate turns the keys, from the next press on, as [Matrix.Rotate] turns the picture: at 90, pushing the joystick
// towards the edge that is usually on the right is Up. Any value but 0, 90, 180 and 270 is an error, without effect.
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
// device was disconnected, and io.EOF at the end of a regular file.
func (s *Joystick) ReadEvent() (Event, error) {
	for !s.closed.Load() {
		if len(s.unread) > 0 {
			e := s.unread[0]
			s.unread = s.unread[1:]
			return e, nil
		}
		n, err := s.device.Read(s.buf[:])
		s.decode(s.buf[:n])
		if n == 0 && err != nil && !s.closed.Load() { // an error that came with data comes again
			return Event{}, ioFault("reading", s.name, err)
		}
	}
	return Event{}, errClosed(s.name)
}

// decode turns the records that were read into events. evdev returns whole packets, which end with a
// SYN_REPORT (evdev.c, evdev_fetch_next_event).
func (s *Joystick) decode(rest []byte) {
	events, packet := s.events[:0], 0
	for ; len(rest) >= recordSize; rest = rest[recordSize:] {
		body := rest[recordSize-8:]
		kind, code := binary.NativeEndian.Uint16(body), binary.NativeEndian.Uint16(body[2:])
		switch key := keyCodes[code]; {
		case kind == evSyn && code == synReport:
			if impossible(events[packet:]) {
				events, s.held = events[:packet], [Middle + 1]Key{}
			}
			s.lost, packet = false, len(events)
		case kind == evSyn && code == synDropped:
			s.lost, s.held = true, [Middle + 1]Key{}
		case kind == evKey && key != 0 && !s.lost:
			if e := s.event(key, binary.NativeEndian.Uint32(body[4:])); e.Action != 0 {
				events = append(events, e)
			}
		}
	}
	s.unread = events
}

// event names what happened to a key as the viewer sees it. A key that was pressed before the joystick
// was opened, or before events were lost, has no event until it is pressed again.
func (s *Joystick) event(key Key, value uint32) Event {
	name := s.held[key]
	switch {
	case value == pressed:
		name = key
		if key != Middle { // after one quarter turn, the joystick's right is Up
			name = Up + (key-Up+Key(4-s.turn.Load()))%4
		}
		s.held[key] = name
		return Event{name, Press}
	case value == repeated && name != 0:
		return Event{name, Hold}
	case value == released && name != 0:
		s.held[key] = 0
		return Event{name, Release}
	}
	return Event{}
}

// impossible reports whether a packet presses keys that no hand can press at once: more than two, or
// two opposite ones.
func impossible(packet []Event) bool {
	var keys uint8 // one bit per key
	for _, e := range packet {
		if e.Action == Press {
			keys |= 1 << e.Key
		}
	}
	const vertical, horizontal = 1<<Up | 1<<Down, 1<<Left | 1<<Right
	return bits.OnesCount8(keys) > 2 || keys&vertical == vertical || keys&horizontal == horizontal
}

// Close closes the device and ends a blocked ReadEvent. The error of a second Close matches os.ErrClosed.
func (s *Joystick) Close() error {
	if s.closed.Swap(true) {
		return errClosed(s.name)
	}
	if err := s.device.Close(); err != nil {
		return ioFault("closing", s.name, err)
	}
	return nil
}

// String names the device by its file, for logs.
func (s *Joystick) String() string { return "Sense HAT " + s.name }
