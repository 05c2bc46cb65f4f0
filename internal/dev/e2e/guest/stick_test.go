//go:build guest

package guest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
)

// record is struct input_event.
type record struct {
	Time       unix.Timeval
	Type, Code uint16
	Value      int32
}

// plain is a record without its time.
type plain struct {
	Type, Code uint16
	Value      int32
}

func plugIn(t *testing.T, keys uinput.Keymap) (*uinput.Stick, *os.File) {
	t.Helper()
	s, err := uinput.Create(keys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	f, err := os.Open(s.Node())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return s, f
}

func read(f *os.File) (record, error) {
	var r record
	b := unsafe.Slice((*byte)(unsafe.Pointer(&r)), unsafe.Sizeof(r))
	_, err := f.Read(b)
	return r, err
}

func readPlain(t *testing.T, f *os.File, n int) []plain {
	t.Helper()
	var got []plain
	for range n {
		r, err := read(f)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, plain{r.Type, r.Code, r.Value})
	}
	return got
}

func TestStickName(t *testing.T) {
	s, _ := plugIn(t, uinput.RaspberryPi)
	b, err := os.ReadFile(filepath.Join("/sys/class/input", filepath.Base(s.Node()), "device/name"))
	if got := strings.TrimSpace(string(b)); got != "Raspberry Pi Sense HAT Joystick" {
		t.Errorf("name %q, %v", got, err)
	}
}

func TestStickKeys(t *testing.T) {
	for name, keys := range map[string]uinput.Keymap{"RaspberryPi": uinput.RaspberryPi, "mainline": uinput.Mainline} {
		t.Run(name, func(t *testing.T) {
			s, f := plugIn(t, keys)
			for k := uinput.Up; k <= uinput.Middle; k++ {
				if err := s.Tap(k); err != nil {
					t.Fatal(err)
				}
				want := []plain{{1, keys[k], 1}, {}, {1, keys[k], 0}, {}}
				if got := readPlain(t, f, len(want)); !slices.Equal(got, want) {
					t.Errorf("key %d: %v, want %v", k, got, want)
				}
			}
		})
	}
}

func TestStickAutorepeat(t *testing.T) {
	s, f := plugIn(t, uinput.RaspberryPi)
	right := uinput.RaspberryPi[uinput.Right]
	s.Press(uinput.Right)
	var got []plain
	var at []time.Duration
	for range 8 {
		r, err := read(f)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, plain{r.Type, r.Code, r.Value})
		at = append(at, time.Duration(r.Time.Nano()))
	}
	s.Release(uinput.Right)
	// A repeat's SYN record has value 1.
	want := []plain{{1, right, 1}, {}, {1, right, 2}, {0, 0, 1}, {1, right, 2}, {0, 0, 1}, {1, right, 2}, {0, 0, 1}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// The emulator may delay a repeat. On a busy computer it may also be early: the kernel's
	// timers count from the last tick, which may be long ago.
	if first, next := at[2]-at[0], at[4]-at[2]; first < 150*time.Millisecond || next < 10*time.Millisecond {
		t.Errorf("repeats after %v and %v, want 250 ms and some 40 ms", first, next)
	}
}

func TestStickUnplugged(t *testing.T) {
	s, f := plugIn(t, uinput.RaspberryPi)
	failed := make(chan error)
	go func() {
		_, err := read(f)
		failed <- err
	}()
	time.Sleep(50 * time.Millisecond) // until the read blocks
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-failed:
		if !errors.Is(err, unix.ENODEV) {
			t.Errorf("%v, want ENODEV", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the read still blocks")
	}
	_, again := plugIn(t, uinput.Mainline)
	if again.Name() != f.Name() {
		t.Errorf("came back as %s, was %s", again.Name(), f.Name())
	}
}
