package hat

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// FuzzDecode checks that holds and releases follow their presses, whatever the records are.
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
		join(press, record(evKey, 108, 1), end, release, end),
		join(press, record(evKey, 106, 1), record(evKey, 28, 1), end, release, record(evKey, 28, 0), end, press),
		nil,
	} {
		for quarters := range uint8(4) {
			f.Add(stream, quarters)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, quarters uint8) {
		events, err := all(joystickOf(t, int(quarters%4)*90, bytes.NewReader(stream)))
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		down := map[Key]bool{}
		for _, e := range events {
			if e.Action != Press && !down[e.Key] {
				t.Fatalf("%v of a key that is up: %v", e, events)
			}
			down[e.Key] = e.Action != Release
		}
	})
}
