package hat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"
)

// FuzzDecode checks that the events do not depend on where reads are cut, and that holds and releases follow
// their presses. Packets with two presses may be impossible ones, which are recognized only within one read.
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
		alone, presses := true, 0 // whether no packet has two presses
		for rest := stream; len(rest) >= recordSize; rest = rest[recordSize:] {
			kind, value := binary.NativeEndian.Uint16(rest[recordSize-8:]), binary.NativeEndian.Uint32(rest[recordSize-4:])
			if kind == evKey && value == pressed {
				presses++
			} else if kind == evSyn {
				presses = 0
			}
			alone = alone && presses < 2
		}
		if alone && !slices.Equal(whole, pieces) {
			t.Fatalf("in one piece %v, in pieces of %d: %v", whole, cut+1, pieces)
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
