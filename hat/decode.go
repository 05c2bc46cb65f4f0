package hat

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
)

// recordSize is the size of struct input_event (include/uapi/linux/input.h): the time in two words
// of the program's size, even under a 64-bit kernel, then a type and a code of 16 bits each and a
// value of 32 bits.
const recordSize = 2*strconv.IntSize/8 + 8

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

// turned returns the key's name after the picture was rotated clockwise by the given quarter turns.
// After one quarter turn, the joystick's right is Up.
func (k Key) turned(quarters int) Key {
	if k == Middle {
		return k
	}
	return Up + (k-Up+Key(4-quarters))%4
}

// decoder turns input_event records into events.
type decoder struct {
	quarters int
	held     uint8 // the keys that are pressed, one bit per key
	letGo    uint8 // the keys whose release is not yet reported, one bit per key
	lost     bool  // true from a SYN_DROPPED or a dropped packet until the next SYN_REPORT
}

// turn sets the rotation for the next records. Held keys were reported under their old names, so
// they are reported as released.
func (d *decoder) turn(quarters int) {
	if d.quarters != quarters {
		d.quarters = quarters
		d.letGo, d.held = d.letGo|d.held, 0
	}
}

// drop skips the records up to the next SYN_REPORT, the rest of a torn packet, and reports all held
// keys as released: after SYN_DROPPED presses and releases are missing (the kernel's
// Documentation/input/event-codes.rst).
func (d *decoder) drop() {
	d.lost = true
	d.letGo, d.held = d.letGo|d.held, 0
}

// release returns the next release that does not come from a record. Call it before each
// record, until it returns false.
func (d *decoder) release() (Event, bool) {
	for k := Up; k <= Middle; k++ {
		if d.letGo&(1<<k) != 0 {
			d.letGo &^= 1 << k
			return Event{k, Release}, true
		}
	}
	return Event{}, false
}

// record decodes one record of 24 or 16 bytes. The record's time is ignored, and so are holds and
// releases of keys that are not held.
func (d *decoder) record(rec []byte) (Event, bool) {
	kind, code, value := fields(rec)
	if kind == evSyn {
		switch code {
		case synReport:
			d.lost = false
		case synDropped:
			d.drop()
		}
		return Event{}, false
	}
	k, known := keyCodes[code]
	if kind != evKey || !known || d.lost {
		return Event{}, false
	}
	k = k.turned(d.quarters)
	switch down := d.held&(1<<k) != 0; {
	case value == 1:
		d.held |= 1 << k
		return Event{k, Press}, true
	case value == 2 && down:
		return Event{k, Hold}, true
	case value == 0 && down:
		d.held &^= 1 << k
		return Event{k, Release}, true
	}
	return Event{}, false
}

func fields(rec []byte) (kind, code uint16, value int32) {
	body := rec[len(rec)-8:]
	return binary.NativeEndian.Uint16(body), binary.NativeEndian.Uint16(body[2:]), int32(binary.NativeEndian.Uint32(body[4:]))
}

// impossible reports whether a packet presses keys that no hand can press at once: more than two, or
// two opposite ones.
func impossible(packet []byte) bool {
	var pressed uint8 // one bit per key
	for rec := range slices.Chunk(packet, recordSize) {
		kind, code, value := fields(rec)
		if k, known := keyCodes[code]; known && kind == evKey && value == 1 {
			pressed |= 1 << k
		}
	}
	const vertical, horizontal = 1<<Up | 1<<Down, 1<<Left | 1<<Right
	return bits.OnesCount8(pressed) > 2 || pressed&vertical == vertical || pressed&horizontal == horizontal
}
