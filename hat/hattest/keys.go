package hattest

import (
	"encoding/binary"
	"os"
	"strconv"
	"syscall"

	"github.com/c4hat/c4hat/hat"
)

// recordSize is the size of the kernel's struct input_event: two words of time,
// then type, code and value.
const recordSize = 2*strconv.IntSize/8 + 8

// keys is the open device of the joystick.
type keys struct {
	hat   *HAT
	queue []byte        // the records not yet read
	ended error         // what all reads return once the joystick is unplugged or closed
	ready chan struct{} // receives when a blocked read must try again
}

// Read returns whole records, as evdev does.
func (k *keys) Read(p []byte) (int, error) {
	if len(p) < recordSize {
		return 0, syscall.EINVAL
	}
	for {
		if n, err := k.take(p); n > 0 || err != nil {
			return n, err
		}
		<-k.ready
	}
}

// take is Read without waiting.
func (k *keys) take(p []byte) (int, error) {
	k.hat.mu.Lock()
	defer k.hat.mu.Unlock()
	if k.ended != nil {
		return 0, k.ended
	}
	if f := &k.hat.failRead; f.next() {
		signal(k.ready) // for the next read, which may find records
		return 0, f.err
	}
	n := copy(p[:len(p)/recordSize*recordSize], k.queue)
	k.queue = k.queue[n:]
	return n, nil
}

// end makes reads fail from now on, and lets the joystick be opened again. hat.mu is held.
func (k *keys) end(err error) {
	k.ended = err
	k.hat.keys = nil
	signal(k.ready)
}

func (k *keys) Close() error {
	k.hat.mu.Lock()
	defer k.hat.mu.Unlock()
	if k.hat.keys == k {
		k.end(os.ErrClosed)
	}
	return nil
}

// Name is what package hat's errors call the device.
func (k *keys) Name() string { return "in memory" }

// Press presses keys and leaves them down. They are named as on a HAT in its usual orientation;
// with Rotate, the events have the rotated names. As with the kernel, presses are lost
// while no joystick is open.
func (h *HAT) Press(keys ...hat.Key) { h.send(1, keys) }

// Hold sends one autorepeat of each of the keys.
func (h *HAT) Hold(keys ...hat.Key) { h.send(2, keys) }

// Release releases keys.
func (h *HAT) Release(keys ...hat.Key) { h.send(0, keys) }

// Tap presses and releases each of the keys in turn.
func (h *HAT) Tap(keys ...hat.Key) {
	for _, k := range keys {
		h.Press(k)
		h.Release(k)
	}
}

// Overflow acts as the kernel does when its queue of unread events is full (SYN_DROPPED): unread
// events are lost, except for the rest of a packet. This rest is a press of the middle key, which
// the reader must ignore.
func (h *HAT) Overflow() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.keys == nil {
		return
	}
	h.keys.queue = nil
	h.keys.put(0, 3, 0) // EV_SYN, SYN_DROPPED
	h.keys.put(1, codes[hat.Middle], 1)
	h.keys.put(0, 0, 0) // EV_SYN, SYN_REPORT
}

func (h *HAT) send(value int32, pressed []hat.Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.keys == nil {
		return
	}
	for _, key := range pressed {
		h.keys.put(1, codes[key], value)
		h.keys.put(0, 0, value/2) // the SYN_REPORT of a repeat has the value 1
	}
}

// put queues a record. hat.mu is held.
func (k *keys) put(kind, code uint16, value int32) {
	k.queue = append(k.queue, make([]byte, recordSize-8)...) // the time is not used
	k.queue = binary.NativeEndian.AppendUint16(k.queue, kind)
	k.queue = binary.NativeEndian.AppendUint16(k.queue, code)
	k.queue = binary.NativeEndian.AppendUint32(k.queue, uint32(value))
	signal(k.ready)
}

// codes are the keys' codes in Raspberry Pi OS.
var codes = map[hat.Key]uint16{hat.Up: 103, hat.Left: 105, hat.Right: 106, hat.Down: 108, hat.Middle: 28}
