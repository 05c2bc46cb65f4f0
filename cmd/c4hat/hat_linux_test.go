package main

import (
	"encoding/binary"
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"golang.org/x/sys/unix"
)

// A HAT of files: 128 bytes for the matrix, a pipe for the joystick.
type fileHAT struct {
	fb, stick string
	pipe      *os.File
}

func newFileHAT(t testing.TB) *fileHAT {
	t.Helper()
	h := &fileHAT{fb: filepath.Join(t.TempDir(), "fb"), stick: filepath.Join(t.TempDir(), "stick")}
	if err := os.WriteFile(h.fb, []byte(strings.Repeat("\xff", 128)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(h.stick, 0o666); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(h.stick, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() })
	h.pipe = pipe
	return h
}

// Linux's codes of the joystick's keys on Raspberry Pi OS.
const (
	keyUp    = 103
	keyLeft  = 105
	keyRight = 106
	keyDown  = 108
	keyEnter = 28
)

// send writes a struct input_event of this machine's word size, and its SYN.
func (h *fileHAT) send(t testing.TB, code uint16, value uint32) {
	t.Helper()
	const stamp = 2 * (4 + 4*(^uint(0)>>63)) // struct timeval
	var records []byte
	for _, r := range []struct {
		kind, code uint16
		value      uint32
	}{{1, code, value}, {0, 0, 0}} {
		records = append(records, make([]byte, stamp)...)
		records = binary.NativeEndian.AppendUint16(records, r.kind)
		records = binary.NativeEndian.AppendUint16(records, r.code)
		records = binary.NativeEndian.AppendUint32(records, r.value)
	}
	if _, err := h.pipe.Write(records); err != nil {
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
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// packed is a frame as the matrix has it in memory.
func packed(f game.Frame) string {
	var b []byte
	for _, c := range f {
		b = binary.NativeEndian.AppendUint16(b, uint16(c.R>>3)<<11|uint16(c.G>>2)<<5|uint16(c.B>>3))
	}
	return string(b)
}

// unpacked shows the matrix's memory in letters, for people.
func unpacked(leds string) string {
	var f game.Frame
	for i := range f {
		p := binary.NativeEndian.Uint16([]byte(leds[2*i:]))
		f[i] = color.RGBA{uint8(p >> 11 << 3), uint8(p >> 5 << 2), uint8(p << 3), 255}
	}
	return gametest.Letters(f)
}

// shows waits until the matrix shows the frame.
func (h *fileHAT) shows(t testing.TB, f game.Frame) {
	t.Helper()
	want := packed(f)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		leds := h.leds(t)
		if leds == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the matrix shows\n%swant\n%s", unpacked(leds), unpacked(want))
		}
	}
}

var dark = strings.Repeat("\x00", 128)

// program is a command under test without a terminal.
type program struct {
	*exec.Cmd
	out, errs strings.Builder
}

func start(t testing.TB, env []string, args ...string) *program {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{Cmd: &exec.Cmd{Path: exe, Args: args, Env: append(os.Environ(), env...)}}
	p.Stdout, p.Stderr = &p.out, &p.errs
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// A whole match by the joystick alone: every position and every phase of it is
// seen on the matrix as the game itself shows it.
func TestMatchOnTheHAT(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"7x6", "8x8"} {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			h := newFileHAT(t)
			p := start(t, nil, "c4hat", "play", "--display", "hat", "--fb", h.fb, "--stick", h.stick, "--points", "1", "--board", size)
			rules := board.Standard
			if size == "8x8" {
				rules = board.FullMatrix
			}
			r := gametest.New(t, game.Config{Rules: rules, Points: 1})
			middle := (rules.Columns - 1) / 2
			for i, col := range []int{3, 4, 3, 2, 3, 4, 3} {
				r.Until(game.Aim)
				if rules == board.FullMatrix { // its cursor begins dark
					r.After(250 * time.Millisecond)
				}
				h.shows(t, r.Frame())
				for ; col > middle; col-- {
					h.tap(t, keyRight)
					r.Press(game.Right)
				}
				for ; col < middle; col++ {
					h.tap(t, keyLeft)
					r.Press(game.Left)
				}
				drop, key := uint16(keyEnter), game.Middle
				if i%2 == 1 {
					drop, key = keyDown, game.Down
				}
				h.tap(t, drop)
				r.Press(key)
			}
			for _, phase := range []game.Phase{game.Cheer, game.Score, game.Victory, game.Clear} {
				r.Until(phase)
				h.shows(t, r.Frame())
			}
			if err := p.Wait(); err != nil {
				t.Errorf("%v\n%s", err, p.errs.String())
			}
			if h.leds(t) != dark {
				t.Errorf("left\n%s", unpacked(h.leds(t)))
			}
			if got := p.out.String(); got != "red wins the match 1-0\n" {
				t.Errorf("printed %q", got)
			}
		})
	}
}

// With a terminal the match is in both places, and both play.
func TestHATAndTerminal(t *testing.T) {
	t.Parallel()
	h := newFileHAT(t)
	s := open(t, nil, "c4hat", "play", "--fb", h.fb, "--stick", h.stick)
	s.shows(t, "red to move")
	r := gametest.New(t, game.Config{Rules: board.Standard, Points: 2})
	h.shows(t, r.Frame())
	s.types(t, "\x1b[D") // left
	r.Press(game.Left)
	h.shows(t, r.Frame())
	h.tap(t, keyEnter)
	r.Press(game.Middle)
	r.Until(game.Aim)
	h.shows(t, r.Frame())
	s.types(t, "\x0c") // all of it anew
	s.shows(t, "red to move", "yellow to move", "moves")
	h.tap(t, keyUp)
	s.shows(t, "resume")
	s.types(t, "q")
	if got := s.status(t); got != 0 {
		t.Errorf("exit status %d", got)
	}
	s.intact(t)
	if h.leds(t) != dark {
		t.Errorf("left\n%s", unpacked(h.leds(t)))
	}
}

// The LEDs go dark at once also where the terminal takes no more output, and
// however many signals come.
func TestDarkDespiteTheTerminal(t *testing.T) {
	t.Parallel()
	h := newFileHAT(t)
	s := open(t, nil, "c4hat", "play", "--fb", h.fb, "--stick", h.stick)
	s.shows(t, "red to move")
	s.stall.Store(true)
	defer s.stall.Store(false)
	for range 200 {
		s.types(t, "\x0c")
		time.Sleep(time.Millisecond)
	}
	for range 3 {
		_ = s.cmd.Process.Signal(syscall.SIGHUP)
	}
	if got := s.status(t); got != 129 {
		t.Errorf("exit status %d", got)
	}
	if h.leds(t) != dark {
		t.Errorf("left\n%s", unpacked(h.leds(t)))
	}
}

// However it ends, the LEDs are left dark.
func TestTheHATIsLeftDark(t *testing.T) {
	tests := []struct {
		name string
		args []string
		do   func(t *testing.T, h *fileHAT, p *program)
		want int
	}{
		{"play, SIGTERM", []string{"c4hat", "play"}, func(_ *testing.T, _ *fileHAT, p *program) { _ = p.Process.Signal(syscall.SIGTERM) }, 143},
		{"play, SIGINT", []string{"c4hat", "play"}, func(_ *testing.T, _ *fileHAT, p *program) { _ = p.Process.Signal(syscall.SIGINT) }, 130},
		{"play, panic", []string{"c4hat-panics", "play"}, func(t *testing.T, h *fileHAT, _ *program) {
			h.tap(t, keyUp, keyRight, keyRight, keyEnter) // pause, hint
		}, 1},
		{"daemon, SIGTERM", []string{"c4hat", "daemon"}, func(_ *testing.T, _ *fileHAT, p *program) { _ = p.Process.Signal(syscall.SIGTERM) }, 0},
		{"daemon, SIGINT", []string{"c4hat", "daemon"}, func(_ *testing.T, _ *fileHAT, p *program) { _ = p.Process.Signal(syscall.SIGINT) }, 130},
		{"daemon, panic", []string{"c4hat-panics", "daemon"}, func(t *testing.T, h *fileHAT, _ *program) {
			h.tap(t, keyEnter, keyEnter, keyUp, keyRight, keyRight, keyEnter)
		}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newFileHAT(t)
			p := start(t, []string{"TMPDIR=" + t.TempDir()}, append(tt.args, "--fb", h.fb, "--stick", h.stick)...)
			lit := func() bool { return h.leds(t) != dark && h.leds(t) != strings.Repeat("\xff", 128) }
			for deadline := time.Now().Add(20 * time.Second); !lit(); time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("nothing is lit\n%s", p.errs.String())
				}
			}
			tt.do(t, h, p)
			_ = p.Wait()
			if got := p.ProcessState.ExitCode(); got != tt.want {
				t.Errorf("exit status %d, want %d\n%s", got, tt.want, p.errs.String())
			}
			if h.leds(t) != dark {
				t.Errorf("left\n%s", unpacked(h.leds(t)))
			}
			if strings.Contains(p.errs.String(), "\ngoroutine ") {
				t.Errorf("a stack trace:\n%s", p.errs.String())
			}
		})
	}
}

// A second program is refused, with the first one's process named; the daemon
// waits, and plays when the first is gone.
func TestOneOwner(t *testing.T) {
	t.Parallel()
	h := newFileHAT(t)
	first := start(t, nil, "c4hat", "play", "--fb", h.fb, "--stick", h.stick)
	r := gametest.New(t, game.Config{Rules: board.Standard, Points: 2})
	h.shows(t, r.Frame())

	second := start(t, nil, "c4hat", "play", "--fb", h.fb, "--stick", h.stick)
	_ = second.Wait()
	if got := second.ProcessState.ExitCode(); got != 1 {
		t.Errorf("exit status %d, want 1", got)
	}
	if got := second.errs.String(); !strings.Contains(got, fmt.Sprintf("process %d", first.Process.Pid)) || strings.Count(got, "\n") != 1 {
		t.Errorf("said %q", got)
	}
	h.shows(t, r.Frame())

	daemon := start(t, nil, "c4hat", "daemon", "--fb", h.fb, "--stick", h.stick)
	time.Sleep(time.Second) // it says that it waits once that has lasted
	h.shows(t, r.Frame())   // still the first one's
	_ = first.Process.Signal(syscall.SIGTERM)
	_ = first.Wait()
	attract := gametest.New(t, game.Config{Rules: board.Standard, Points: 2, Attract: true})
	h.shows(t, attract.Frame())
	_ = daemon.Process.Signal(syscall.SIGTERM)
	if err := daemon.Wait(); err != nil {
		t.Errorf("%v\n%s", err, daemon.errs.String())
	}
	if got := daemon.errs.String(); !strings.Contains(got, "waiting for the matrix") {
		t.Errorf("logged\n%s", got)
	}
}

// A HAT that is missing is said in one line, with what to do.
func TestMissingHAT(t *testing.T) {
	t.Parallel()
	h := newFileHAT(t)
	for _, args := range [][]string{
		{"--fb", filepath.Join(t.TempDir(), "none"), "--stick", h.stick},
		{"--fb", h.fb, "--stick", filepath.Join(t.TempDir(), "none")},
		{"--fb", "/dev/null", "--stick", h.stick},
		{"--fb", h.fb, "--stick", "/dev/null"},
		{"--fb", t.TempDir(), "--stick", h.stick},
		{"--display", "hat"},
	} {
		if _, err := os.Stat("/sys/class/graphics/fb0"); err == nil && args[0] == "--display" {
			continue // there may be one
		}
		p := start(t, nil, append([]string{"c4hat", "play"}, args...)...)
		_ = p.Wait()
		if got := p.ProcessState.ExitCode(); got != 1 {
			t.Errorf("%v: exit status %d", args, got)
		}
		if got := p.errs.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "c4hat: hat: ") {
			t.Errorf("%v: said %q", args, got)
		}
	}
}

// systemd hears when the daemon is ready, that it lives, and that it stops.
func TestNotify(t *testing.T) {
	t.Parallel()
	h := newFileHAT(t)
	socket := filepath.Join(t.TempDir(), "notify")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: socket}); err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), socket)
	defer f.Close()
	messages := make(chan string, 100)
	go func() {
		buf := make([]byte, 1024)
		for {
			n, err := f.Read(buf)
			if err != nil {
				return
			}
			messages <- string(buf[:n])
		}
	}()
	p := start(t, []string{"NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=200000"}, "c4hat", "daemon", "--fb", h.fb, "--stick", h.stick)
	heard := map[string]int{}
	hear := func(want string) {
		t.Helper()
		for heard[want] == 0 {
			select {
			case m := <-messages:
				heard[m]++
			case <-time.After(20 * time.Second):
				t.Fatalf("%q never came, but %v", want, heard)
			}
		}
	}
	hear("READY=1")
	for range 3 {
		heard["WATCHDOG=1"] = 0
		hear("WATCHDOG=1")
	}
	// A loop that is stopped pings no more.
	_ = p.Process.Signal(syscall.SIGTERM)
	hear("STOPPING=1")
	if err := p.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.errs.String())
	}
}

// BenchmarkPress is the time from a record written into the joystick's pipe to the
// kernel's word that the matrix's file was written, while another program keeps a
// core busy.
func BenchmarkPress(b *testing.B) {
	h := newFileHAT(b)
	p := start(b, nil, "c4hat", "play", "--idle", "0", "--fb", h.fb, "--stick", h.stick)
	h.shows(b, gametest.New(b, game.Config{Rules: board.Standard, Points: 2}).Frame())
	busy := exec.Command("sh", "-c", "while :; do :; done")
	if err := busy.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = busy.Process.Kill() }()
	var core unix.CPUSet
	core.Set(0)
	if err := unix.SchedSetaffinity(busy.Process.Pid, &core); err != nil {
		b.Fatal(err)
	}
	watch, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		b.Fatal(err)
	}
	defer unix.Close(watch)
	if _, err := unix.InotifyAddWatch(watch, h.fb, unix.IN_MODIFY); err != nil {
		b.Fatal(err)
	}
	var event [4096]byte
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		code := uint16(keyLeft)
		if i/3%2 == 1 {
			code = keyRight
		}
		began := time.Now()
		h.send(b, code, 1)
		if _, err := unix.Read(watch, event[:]); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
		h.send(b, code, 0) // which writes the frame again
		if _, err := unix.Read(watch, event[:]); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
	_ = p.Process.Signal(syscall.SIGTERM)
	_ = p.Wait()
}

// BenchmarkFirstFrame is the time from the start of the daemon to its first
// picture; BenchmarkDark that from SIGTERM to dark LEDs.
func BenchmarkFirstFrame(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		h := newFileHAT(b)
		b.StartTimer()
		p := start(b, nil, "c4hat", "daemon", "--fb", h.fb, "--stick", h.stick)
		for leds := h.leds(b); leds == dark || leds[0] == 0xff; leds = h.leds(b) {
			time.Sleep(100 * time.Microsecond)
		}
		b.StopTimer()
		_ = p.Process.Signal(syscall.SIGTERM)
		_ = p.Wait()
		b.StartTimer()
	}
}

func BenchmarkDark(b *testing.B) {
	signal := func(s syscall.Signal) func(*fileHAT, *program) {
		return func(_ *fileHAT, p *program) { _ = p.Process.Signal(s) }
	}
	for _, bb := range []struct {
		name string
		args []string
		end  func(*fileHAT, *program)
	}{
		{"play, SIGTERM", []string{"c4hat", "play"}, signal(syscall.SIGTERM)},
		{"play, SIGINT", []string{"c4hat", "play"}, signal(syscall.SIGINT)},
		{"play, panic", []string{"c4hat-panics", "play"}, func(h *fileHAT, _ *program) {
			h.tap(b, keyUp, keyRight, keyRight, keyEnter) // pause, hint
		}},
		{"daemon, SIGTERM", []string{"c4hat", "daemon"}, signal(syscall.SIGTERM)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var most time.Duration
			for b.Loop() {
				h := newFileHAT(b)
				p := start(b, []string{"TMPDIR=" + b.TempDir()}, append(bb.args, "--fb", h.fb, "--stick", h.stick)...)
				for leds := h.leds(b); leds == dark || leds[0] == 0xff; leds = h.leds(b) {
					time.Sleep(100 * time.Microsecond)
				}
				began := time.Now()
				bb.end(h, p)
				for h.leds(b) != dark {
					time.Sleep(100 * time.Microsecond)
				}
				most = max(most, time.Since(began))
				_ = p.Wait()
			}
			b.ReportMetric(float64(most.Microseconds())/1000, "ms-most")
		})
	}
}

// BenchmarkIdleDaemon counts the context switches of 60 s in the dark, with a
// watchdog of 30 s, and tells the resident memory.
func BenchmarkIdleDaemon(b *testing.B) {
	b.Run("watchdog", func(b *testing.B) { idleDaemon(b, "WATCHDOG_USEC=30000000") })
	b.Run("none", func(b *testing.B) { idleDaemon(b, "WATCHDOG_USEC=") })
}

func idleDaemon(b *testing.B, watchdog string) {
	for b.Loop() {
		h := newFileHAT(b)
		p := start(b, []string{watchdog}, "c4hat", "daemon", "--idle", "1s", "--fb", h.fb, "--stick", h.stick)
		time.Sleep(5 * time.Second)
		if h.leds(b) != dark {
			b.Fatal("it is not idle")
		}
		before := switches(b, p.Process.Pid)
		time.Sleep(60 * time.Second)
		b.ReportMetric(float64(switches(b, p.Process.Pid)-before), "switches/60s")
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(status)) {
			var kib float64
			if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kib); err == nil {
				b.ReportMetric(kib/1024, "MiB-resident")
			}
		}
		_ = p.Process.Signal(syscall.SIGTERM)
		_ = p.Wait()
	}
}
