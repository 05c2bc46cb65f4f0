package browser

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hat is a HAT simulated by files: 128 bytes for the matrix, and a pipe for the joystick.
type hat struct {
	fb, stick string
	pipe      *os.File
}

func newHAT(t *testing.T) *hat {
	t.Helper()
	h := &hat{fb: filepath.Join(t.TempDir(), "fb"), stick: filepath.Join(t.TempDir(), "stick")}
	if err := os.WriteFile(h.fb, make([]byte, 128), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(h.stick, 0o666); err != nil {
		t.Fatal(err)
	}
	var err error
	if h.pipe, err = os.OpenFile(h.stick, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.pipe.Close() })
	return h
}

// Linux's key codes.
const (
	keyLeft  = 105
	keyEnter = 28
)

// press presses and releases a key of the joystick.
func (h *hat) press(t *testing.T, code uint16) {
	t.Helper()
	const stamp = 2 * (4 + 4*(^uint(0)>>63)) // struct timeval
	for _, e := range [][3]uint32{{1, uint32(code), 1}, {0, 0, 0}, {1, uint32(code), 0}, {0, 0, 0}} {
		record := make([]byte, stamp, stamp+8)
		record = binary.NativeEndian.AppendUint16(record, uint16(e[0]))
		record = binary.NativeEndian.AppendUint16(record, uint16(e[1]))
		record = binary.NativeEndian.AppendUint32(record, e[2])
		if _, err := h.pipe.Write(record); err != nil {
			t.Fatal(err)
		}
	}
}

// lit returns the matrix: a letter for each LED, # if it is lit and . if it is dark.
func (h *hat) lit(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(h.fb)
	if err != nil {
		t.Fatal(err)
	}
	var s strings.Builder
	for i := range 64 {
		s.WriteByte(".#"[min(1, binary.NativeEndian.Uint16(b[2*i:]))])
	}
	return s.String()
}

// daemon is the service on a HAT simulated by files.
type daemon struct {
	*hat
	*program
	socket string
	args   []string
}

func newDaemon(t *testing.T) *daemon {
	t.Helper()
	h := newHAT(t)
	dir, err := os.MkdirTemp("", "c4hat-*") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	d := &daemon{hat: h, socket: filepath.Join(dir, "s")}
	d.args = []string{"daemon", "--fb", h.fb, "--stick", h.stick, "--state", filepath.Join(dir, "state"), "--socket", d.socket, "--points", "1", "--first", "red"}
	d.start(t)
	return d
}

func (d *daemon) start(t *testing.T) {
	t.Helper()
	d.program = run(t, c4hat, d.args...)
	eventually(t, "the service", func() bool { _, err := os.Stat(d.socket); return err == nil })
}

// kill kills the service, as a power cut would.
func (d *daemon) kill() {
	_ = d.Process.Kill()
	<-d.end
}

// admitted is how long the admission must be shown before a press answers it. An earlier press may
// have been meant for what was shown before.
const admitted = 1200 * time.Millisecond
