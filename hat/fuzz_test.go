package hat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"
)

// FuzzDecode checks that the events do not depend on where reads are cut, that holds and releases
// follow their presses, and that a naive decoder returns the same events. The first and the last
// check leave out impossible packets, which are recognized only within one read.
func FuzzDecode(f *testing.F) {
	// Records depend on the program's word size, so the seeds are not files.
	join := func(records ...[]byte) []byte { return bytes.Join(records, nil) }
	press, release, end := record(evKey, 103, 1), record(evKey, 103, 0), record(evSyn, 0, 0)
	for _, stream := range [][]byte{
		join(press, end, release, end),
		join(press, end, record(evKey, 103, 2), record(evSyn, 0, 1), release, end),
		join(record(evKey, 0x222, 1), record(evSyn, synDropped, 0), record(evKey, 0x222, 2), end, record(evKey, 28, 1)),
		join(press, record(evSyn, synDropped, 0), release, record(evSyn, synDropped, 0), end, press),
		join(release, record(evKey, 103, 2), record(evKey, 30, 1), record(4, 4, 103), record(evKey, 103, -1)),
		join(press, end)[:recordSize+3],
		join(press, record(evKey, 108, 1), end, release, end),
		join(press, record(evKey, 106, 1), record(evKey, 28, 1), end, release, record(evKey, 28, 0), end, press),
		nil,
	} {
		for quarters := range uint8(4) {
			f.Add(stream, quarters, 5*quarters)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, quarters, cut uint8) {
		rotate := int(quarters%4) * 90
		whole, err := all(joystickOf(t, rotate, bytes.NewReader(stream)))
		torn := len(stream)%recordSize != 0
		if torn && !errors.Is(err, io.ErrUnexpectedEOF) || !torn && !errors.Is(err, io.EOF) {
			t.Fatalf("%d bytes end with %v", len(stream), err)
		}

		c := &chunks{}
		for rest := stream; len(rest) > 0; {
			n := min(int(cut)+1, len(rest))
			c.parts, rest = append(c.parts, rest[:n]), rest[n:]
		}
		pieces, _ := all(joystickOf(t, rotate, c))
		human := true
		var packet []byte
		for rest := stream; len(rest) >= recordSize; rest = rest[recordSize:] {
			packet = append(packet, rest[:recordSize]...)
			if bytes.Equal(rest[recordSize-8:recordSize-4], []byte{0, 0, 0, 0}) { // a report
				human = human && !impossible(naiveEvents(packet, 0))
				packet = nil
			}
		}
		if human && !slices.Equal(whole, pieces) {
			t.Fatalf("in one piece %v, in pieces of %d: %v", whole, cut+1, pieces)
		}
		if want := naiveEvents(stream, int(quarters%4)); human && !slices.Equal(whole, want) {
			t.Fatalf("got %v, want %v", whole, want)
		}
		down := map[Key]bool{}
		for _, e := range whole {
			if e.Action != Press && !down[e.Key] {
				t.Fatalf("%v of a key that is up: %v", e, whole)
			}
			down[e.Key] = e.Action != Release
		}
	})
}

// naiveEvents is a simple decoder with maps.
func naiveEvents(stream []byte, quarters int) (events []Event) {
	names := map[uint16]Key{103: Up, 106: Right, 108: Down, 105: Left, 28: Middle,
		0x220: Up, 0x223: Right, 0x221: Down, 0x222: Left, 0x13a: Middle}
	anticlockwise := map[Key]Key{Up: Left, Left: Down, Down: Right, Right: Up, Middle: Middle}
	held, skip := map[Key]bool{}, false
	for ; len(stream) >= recordSize; stream = stream[recordSize:] {
		kind := binary.NativeEndian.Uint16(stream[recordSize-8:])
		code := binary.NativeEndian.Uint16(stream[recordSize-6:])
		value := binary.NativeEndian.Uint32(stream[recordSize-4:])
		k := names[code]
		for range quarters {
			k = anticlockwise[k]
		}
		switch {
		case kind == 0 && code == 0:
			skip = false
		case kind == 0 && code == 3:
			skip = true
			held = map[Key]bool{}
		case skip || kind != 1 || k == 0:
		case value == 1:
			held[k] = true
			events = append(events, Event{k, Press})
		case value == 2 && held[k]:
			events = append(events, Event{k, Hold})
		case value == 0 && held[k]:
			held[k] = false
			events = append(events, Event{k, Release})
		}
	}
	return events
}
