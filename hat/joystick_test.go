package hat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// record is an input_event of this program's word size. Its time is not zero, so that a test fails
// if the time is decoded as another field.
func record(kind, code uint16, value int32) []byte {
	b := bytes.Repeat([]byte{1}, recordSize-8)
	b = binary.NativeEndian.AppendUint16(b, kind)
	b = binary.NativeEndian.AppendUint16(b, code)
	return binary.NativeEndian.AppendUint32(b, uint32(value))
}

func joystickOf(t testing.TB, rotate int, r io.Reader) *Joystick {
	t.Helper()
	s := NewJoystick(io.NopCloser(r))
	must(t, s.Rotate(rotate))
	return s
}

// read decodes the records and returns all their events.
func read(t testing.TB, rotate int, records ...[]byte) []Event {
	t.Helper()
	got, err := all(joystickOf(t, rotate, bytes.NewReader(bytes.Join(records, nil))))
	if err != io.EOF && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return got
}

func all(s *Joystick) (events []Event, err error) {
	for {
		e, err := s.ReadEvent()
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

func TestDecode(t *testing.T) {
	const up, down, left, right, middle = 103, 108, 105, 106, 28
	key := func(code uint16, value int32) []byte { return record(evKey, code, value) }
	syn, dropped := record(evSyn, synReport, 0), record(evSyn, synDropped, 0)
	for _, test := range []struct {
		name    string
		records [][]byte
		want    []Event
	}{
		{"the codes of rpisense-js.c, and a hold",
			[][]byte{key(up, 1), syn, key(left, 1), syn, key(left, 2), record(evSyn, synReport, 1), key(right, 1), syn, key(down, 1), syn, key(middle, 1), syn},
			[]Event{{Up, Press}, {Left, Press}, {Left, Hold}, {Right, Press}, {Down, Press}, {Middle, Press}}},
		{"the codes of sensehat-joystick.c",
			[][]byte{key(0x220, 1), syn, key(0x221, 1), syn, key(0x222, 1), syn, key(0x223, 1), syn, key(0x13a, 1), syn},
			[]Event{{Up, Press}, {Down, Press}, {Left, Press}, {Right, Press}, {Middle, Press}}},
		{"several keys in a packet",
			[][]byte{key(up, 1), key(left, 1), syn, key(up, 0), syn, key(left, 2), syn},
			[]Event{{Up, Press}, {Left, Press}, {Up, Release}, {Left, Hold}}},
		{"other codes, types and values",
			[][]byte{key(30, 1), record(4, 4, 1), record(2, up, 1), key(up, 3), key(up, -1), key(up, 1<<24), syn, key(up, 1), key(up, 7)},
			[]Event{{Up, Press}}},
		{"pressed before the opening",
			[][]byte{key(up, 2), syn, key(up, 0), syn, key(up, 2), key(up, 1)},
			[]Event{{Up, Press}}},
		{"no release between two presses",
			[][]byte{key(up, 1), key(up, 1), key(up, 0), key(up, 0)},
			[]Event{{Up, Press}, {Up, Press}, {Up, Release}}},
		{"the kernel lost events",
			[][]byte{key(middle, 1), key(left, 1), syn, dropped, key(up, 1), key(left, 0), syn, key(left, 2), key(left, 0), key(down, 1), syn},
			[]Event{{Middle, Press}, {Left, Press}, {Down, Press}}},
		{"lost twice before a report",
			[][]byte{key(left, 1), syn, dropped, key(up, 1), dropped, key(up, 1), syn, key(up, 1)},
			[]Event{{Left, Press}, {Up, Press}}},
		{"lost with nothing held",
			[][]byte{dropped, key(up, 1), key(up, 0), syn, key(up, 1)},
			[]Event{{Up, Press}}},
		// rpisense-js.c takes the error code of a failed read for the value of the key register:
		// 0x07 for -121 (EREMOTEIO), 0x12 for -110 (ETIMEDOUT), 0x7B for -5 (EIO).
		{"three keys in a packet",
			[][]byte{key(down, 1), key(right, 1), key(up, 1), syn, key(down, 0), key(right, 0), key(up, 0), syn, key(left, 1), syn},
			[]Event{{Left, Press}}},
		{"four keys in a packet, while one is held",
			[][]byte{key(up, 1), syn, key(down, 1), key(right, 1), key(middle, 1), key(left, 1), syn, key(up, 2), syn, key(up, 0), key(down, 0), syn, key(up, 1), syn},
			[]Event{{Up, Press}, {Up, Press}}},
		{"three keys in a packet, none opposite",
			[][]byte{key(middle, 1), key(right, 1), key(up, 1), syn, key(left, 1), syn},
			[]Event{{Left, Press}}},
		{"opposite keys in a packet",
			[][]byte{key(right, 1), key(left, 1), syn, key(middle, 1), syn, key(up, 1), key(down, 1), syn, key(down, 1), syn},
			[]Event{{Middle, Press}, {Down, Press}}},
		{"two keys in a packet, and a third in the next",
			[][]byte{key(down, 1), key(right, 1), syn, key(middle, 1), syn},
			[]Event{{Down, Press}, {Right, Press}, {Middle, Press}}},
		{"three keys without a report",
			[][]byte{key(down, 1), key(right, 1), key(up, 1)},
			[]Event{{Down, Press}, {Right, Press}, {Up, Press}}},
		{"three keys released in a packet",
			[][]byte{key(down, 1), syn, key(right, 1), syn, key(middle, 1), syn, key(down, 0), key(right, 0), key(middle, 0), syn},
			[]Event{{Down, Press}, {Right, Press}, {Middle, Press}, {Down, Release}, {Right, Release}, {Middle, Release}}},
		{"lost, to the end", [][]byte{key(up, 1), dropped}, []Event{{Up, Press}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := read(t, 0, test.records...); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// answers is a reader with a list of results.
type answers []struct {
	data []byte
	err  error
}

func (a *answers) Read(p []byte) (int, error) {
	now := (*a)[0]
	*a = (*a)[1:]
	if len(p)%recordSize != 0 { // evdev returns whole records, and refuses a buffer that is smaller
		return 0, syscall.EINVAL
	}
	return copy(p, now.data), now.err
}

func TestReadErrors(t *testing.T) {
	press := record(evKey, 103, 1)
	for _, test := range []struct {
		err  error
		gone bool
	}{
		{syscall.ENODEV, true},
		{&os.PathError{Op: "read", Path: "x", Err: syscall.ENODEV}, true},
		{syscall.EIO, true},
		{syscall.EINVAL, false},
		{io.EOF, false},
	} {
		a := &answers{{press, nil}, {nil, nil}, {press, test.err}, {nil, test.err}}
		got, err := all(joystickOf(t, 0, a))
		if !slices.Equal(got, []Event{{Up, Press}, {Up, Press}}) || !errors.Is(err, test.err) || errors.Is(err, ErrGone) != test.gone {
			t.Errorf("%v: %v, %v", test.err, got, err)
		}
		if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "hat: ") {
			t.Errorf("not one line with our prefix: %q", err)
		}
	}
}

type endless struct{ records []byte }

func (r endless) Read(p []byte) (int, error) { return copy(p, r.records), nil }

func TestReadEventAllocs(t *testing.T) {
	s := joystickOf(t, 90, endless{bytes.Join([][]byte{
		record(evKey, 103, 1), record(evSyn, synReport, 0),
		record(evSyn, synDropped, 0), record(evKey, 103, 0), record(evSyn, synReport, 0),
	}, nil)})
	if n := testing.AllocsPerRun(100, func() {
		_, err := s.ReadEvent()
		must(t, err)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestNames(t *testing.T) {
	got := fmt.Sprint(Up, Right, Down, Left, Middle, Key(9), Press, Release, Hold, Action(0))
	if want := "up right down left middle Key(9) press release hold Action(0)"; got != want {
		t.Errorf("got %s", got)
	}
}
