package hat

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func newFIFO(t testing.TB) (path string, s *Joystick) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "stick")
	must(t, unix.Mkfifo(path, 0o600))
	s, err := OpenJoystick(&Opts{Joystick: path})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return path, s
}

// next returns the joystick's next event, or fails the test.
func next(t *testing.T, s *Joystick) (Event, error) {
	t.Helper()
	type result struct {
		e   Event
		err error
	}
	c := make(chan result, 1)
	go func() {
		e, err := s.ReadEvent()
		c <- result{e, err}
	}()
	select {
	case r := <-c:
		return r.e, r.err
	case <-time.After(soon):
		t.Fatal("still waiting")
		panic(0)
	}
}

func TestFIFOAsJoystick(t *testing.T) {
	path, s := newFIFO(t)
	feed := func(b []byte) {
		t.Helper()
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		must(t, err)
		_, err = w.Write(b)
		must(t, err)
		must(t, w.Close())
	}
	press := record(evKey, 106, 1)
	feed(press[:7])
	feed(press[7:]) // the rest of a record, from another writer
	if e, err := next(t, s); err != nil || e != (Event{Right, Press}) {
		t.Errorf("%v, %v", e, err)
	}
	// There is no end of file although all writers have closed the FIFO.
	feed(append(record(evKey, 106, 0), record(evKey, 28, 1)...))
	if e, err := next(t, s); err != nil || e != (Event{Right, Release}) {
		t.Errorf("%v, %v", e, err)
	}
	if e, err := next(t, s); err != nil || e != (Event{Middle, Press}) {
		t.Errorf("%v, %v", e, err)
	}
	_, err := OpenJoystick(&Opts{Joystick: path})
	kinds(t, err, ErrBusy)
}

// waiting starts a ReadEvent and returns when it blocks in the kernel, after it has read records
// that cause no event.
func waiting(t *testing.T, s *Joystick, feed func([]byte)) <-chan error {
	t.Helper()
	result := make(chan error, 1)
	go func() {
		_, err := s.ReadEvent()
		result <- err
	}()
	feed(record(evSyn, synReport, 0))
	time.Sleep(20 * time.Millisecond)
	select {
	case err := <-result:
		t.Fatalf("ReadEvent did not wait: %v", err)
	default:
	}
	return result
}

func ended(t *testing.T, result <-chan error) error {
	t.Helper()
	select {
	case err := <-result:
		return err
	case <-time.After(soon):
		t.Fatal("still blocked")
		return nil
	}
}

func TestCloseWakesReader(t *testing.T) {
	path, s := newFIFO(t)
	result := waiting(t, s, func(b []byte) {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		must(t, err)
		w.Write(b)
		w.Close()
	})
	must(t, s.Close())
	if err := ended(t, result); !errors.Is(err, os.ErrClosed) || errors.Is(err, ErrGone) {
		t.Error(err)
	}
	again, err := OpenJoystick(&Opts{Joystick: path})
	must(t, err) // the device is free again
	must(t, again.Close())
}

// On a kernel without the HAT's driver, a terminal whose other end closes is the closest thing to
// an unplugged joystick: a blocked read fails with EIO.
func TestHangupDuringRead(t *testing.T) {
	path, master := pty(t)
	other, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	s, err := NewJoystick(master, nil)
	must(t, err)
	result := waiting(t, s, func([]byte) {})
	must(t, other.Close())
	err = ended(t, result)
	kinds(t, err, ErrGone)
	line(t, err, master.Name(), "disconnected", "input/output error")
}

func TestRegularFileAsJoystick(t *testing.T) {
	path := filepath.Join(t.TempDir(), "presses")
	must(t, os.WriteFile(path, slices.Concat(record(evKey, 103, 1), record(evKey, 103, 0), []byte{1, 2, 3}), 0o400))
	s, err := OpenJoystick(&Opts{Joystick: path, Rotate: 180})
	must(t, err)
	got, err := all(s)
	if !slices.Equal(got, []Event{{Down, Press}, {Down, Release}}) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, %v", got, err)
	}
	must(t, s.Close())
}
