package main

import (
	"encoding/binary"
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/light"
	"golang.org/x/sys/unix"
)

// fileHAT is a HAT simulated by files: 128 bytes for the matrix, and a pipe for the joystick.
type fileHAT struct {
	fb, stick string
	pipe      *os.File
}

func newFileHAT(t testing.TB) *fileHAT {
	t.Helper()
	dir := memoryDir(t)
	h := &fileHAT{fb: filepath.Join(dir, "fb"), stick: filepath.Join(dir, "stick")}
	must(t, os.WriteFile(h.fb, []byte(strings.Repeat("\xff", 128)), 0o666))
	must(t, unix.Mkfifo(h.stick, 0o666))
	pipe, err := os.OpenFile(h.stick, os.O_RDWR, 0)
	must(t, err)
	t.Cleanup(func() { pipe.Close() })
	h.pipe = pipe
	return h
}

// memoryDir returns a folder in memory, if there can be one: a disk would wear out, is slow, and holds up
// pictures while other tests keep it busy.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "c4hat")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// The codes of the joystick's keys on Raspberry Pi OS, from Linux's input-event-codes.h.
const (
	keyUp    = 103
	keyLeft  = 105
	keyRight = 106
	keyDown  = 108
	keyEnter = 28
)

// send writes a key event and the SYN that ends its packet.
func (h *fileHAT) send(t testing.TB, code uint16, value uint32) {
	t.Helper()
	h.record(t, 1, code, value)
	h.record(t, 0, 0, 0)
}

// record writes a struct input_event with this machine's word size.
func (h *fileHAT) record(t testing.TB, kind, code uint16, value uint32) {
	t.Helper()
	const stamp = 2 * (4 + 4*(^uint(0)>>63)) // struct timeval
	record := make([]byte, stamp, stamp+8)
	record = binary.NativeEndian.AppendUint16(record, kind)
	record = binary.NativeEndian.AppendUint16(record, code)
	record = binary.NativeEndian.AppendUint32(record, value)
	if _, err := h.pipe.Write(record); err != nil {
		t.Fatal(err)
	}
}

func (h *fileHAT) tap(t testing.TB, codes ...uint16) {
	t.Helper()
	for _, code := range codes {
		h.send(t, code, 1)
		h.send(t, code, 0)
	}
}

func (h *fileHAT) leds(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(h.fb)
	must(t, err)
	return string(b[:min(len(b), len(dark))]) // the emulator's gamma table follows
}

// packed returns a frame as the matrix stores it: RGB565.
func packed(f light.Frame) string {
	var b []byte
	for _, c := range f {
		b = binary.NativeEndian.AppendUint16(b, uint16(c.R>>3)<<11|uint16(c.G>>2)<<5|uint16(c.B>>3))
	}
	return string(b)
}

// unpacked returns the matrix's memory as letters.
func unpacked(leds string) string {
	var f light.Frame
	for i := range f {
		p := binary.NativeEndian.Uint16([]byte(leds[2*i:]))
		f[i] = color.RGBA{uint8(p >> 11 << 3), uint8(p >> 5 << 2), uint8(p << 3), 255}
	}
	return standin.Lit(f).String()
}

// shows waits until the matrix shows the frame.
func (h *fileHAT) shows(t testing.TB, f light.Frame) {
	t.Helper()
	want := packed(f)
	leds := ""
	eventually(t, func() bool { leds = h.leds(t); return leds == want }, func() string {
		return "the matrix shows\n" + unpacked(leds) + "want\n" + unpacked(want)
	})
}

var dark = strings.Repeat("\x00", 128)

// program is a command under test without a terminal.
type program struct {
	*exec.Cmd
	out, errs gametest.Log
}

func start(t testing.TB, env []string, args ...string) *program {
	t.Helper()
	return startWith(t, nil, env, args...)
}

// startWith starts a program with a standard input.
func startWith(t testing.TB, in io.Reader, env []string, args ...string) *program {
	t.Helper()
	p := newProgram(t, env, args...)
	p.Stdin = in
	p.begin(t)
	return p
}

// newProgram returns a program that is not started yet.
func newProgram(t testing.TB, env []string, args ...string) *program {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	if args[1] == "daemon" && !slices.Contains(args, "--state") { // do not use this machine's own folder
		args = append(args, "--state", filepath.Join(t.TempDir(), "state"), "--socket", filepath.Join(socketdir.New(t), "socket"))
	}
	p := &program{Cmd: &exec.Cmd{Path: exe, Args: args, Env: append(testEnvironment("XDG_STATE_HOME="+t.TempDir()), env...)}}
	p.Stdout, p.Stderr = &p.out, &p.errs
	return p
}

func (p *program) begin(t testing.TB) {
	t.Helper()
	must(t, p.Start())
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait() // a running program would write to a folder that is being removed
	})
}

// Wait waits for the program to end. It kills a program that takes longer than patience.
func (p *program) Wait() error {
	timer := time.AfterFunc(patience, func() { _ = p.Process.Kill() })
	defer timer.Stop()
	return p.Cmd.Wait()
}

// says waits for a text on standard error.
func (p *program) says(t testing.TB, what string) {
	t.Helper()
	eventually(t, func() bool { return strings.Contains(p.errs.String(), what) }, func() string {
		return fmt.Sprintf("%q is not on standard error:\n%s", what, p.errs.String())
	})
}
