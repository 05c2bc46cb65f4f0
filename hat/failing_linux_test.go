package hat

import (
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// No event reports that a failing matrix works again: it is tried again at intervals, and the
// reason is reported once.
func TestAwaitFailingMatrix(t *testing.T) {
	t.Parallel()
	s := newTree(t)
	s.Failing = 30 * time.Millisecond
	s.name(t, "graphics/fb1/name", "RPi-Sense FB")
	s.file(t, "fb1", "/dev/null")
	d := senseHAT()
	var works atomic.Bool
	d.write = func(p []byte, _ int64) (int, error) {
		if !works.Load() {
			return 0, unix.EIO
		}
		return len(p), nil
	}
	s.device.Store(d)
	began := time.Now()
	a := s.startMatrix(t, nil)
	a.waits(t, ErrGone)
	for until := time.Now().Add(soon); s.opened.Load() < 12; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("opened %d times", s.opened.Load())
		}
	}
	// The matrix is tried at once, after each settling pause, and then at most once per failing
	// interval.
	if n, most := int(s.opened.Load()), 1+len(s.Settling)+int(time.Since(began)/s.Failing); n > most {
		t.Errorf("opened %d times, want at most %d", n, most)
	}
	if n := len(a.reports); n != 0 {
		t.Errorf("%d more reports", n)
	}
	works.Store(true)
	must(t, a.opens(t).WriteFrame(filled(red)))
}
