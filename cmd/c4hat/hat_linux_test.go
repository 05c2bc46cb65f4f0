package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/light"
	"golang.org/x/sys/unix"
)

// In a match played with the joystick, the matrix shows every position and phase as the game draws
// it.
func TestHATMatch(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"7x6", "8x8"} {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			h := newFileHAT(t)
			p := start(t, nil, "c4hat", "play", "--display", "hat", "--fb", h.fb, "--stick", h.stick, "--points", "1", "--board", size)
			playMatch(t, h, p, size, func(int) {})
		})
	}
}

// playMatch plays a match that red wins on the HAT. It calls each before each disc.
func playMatch(t *testing.T, h *fileHAT, p *program, size string, each func(ply int)) {
	t.Helper()
	rules := board.Standard
	if size == "8x8" {
		rules = board.FullMatrix
	}
	r := gametest.New(t, game.Config{Setup: game.Setup{Rules: rules, Points: 1}})
	middle := (rules.Columns - 1) / 2
	for i, col := range []int{3, 4, 3, 2, 3, 4, 3} {
		r.Until(game.Aim)
		if rules == board.FullMatrix { // the cursor on the full matrix starts dark
			r.After(250 * time.Millisecond)
		}
		h.shows(t, r.Frame())
		each(i)
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
}

// --palette and --brightness set the colours and the brightness of the LEDs.
func TestHATLight(t *testing.T) {
	t.Parallel()
	h := newFileHAT(t)
	start(t, nil, "c4hat", "play", "--display", "hat", "--fb", h.fb, "--stick", h.stick, "--palette", "night", "--brightness", "20")
	v := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}}).View()
	h.shows(t, light.New("night", 20).Frame(&v.Frame))
}

// In a terminal, the match is shown and played both there and on the HAT.
func TestHATAndTerminal(t *testing.T) {
	t.Parallel()
	h := newFileHAT(t)
	s := open(t, nil, "c4hat", "play", "--points", "2", "--fb", h.fb, "--stick", h.stick)
	s.shows(t, "red to move")
	r := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}})
	h.shows(t, r.Frame())
	s.types(t, "\x1b[D") // left
	r.Press(game.Left)
	h.shows(t, r.Frame())
	h.tap(t, keyEnter)
	r.Press(game.Middle)
	r.Until(game.Aim)
	h.shows(t, r.Frame())
	s.redraws(t, "yellow to move", "moves")
	h.tap(t, keyUp)
	s.redraws(t, "> resume")
	s.types(t, "q")
	if got := s.status(t); got != 0 {
		t.Errorf("exit status %d", got)
	}
	s.intact(t)
	if h.leds(t) != dark {
		t.Errorf("left\n%s", unpacked(h.leds(t)))
	}
}

// The LEDs go dark at once after a signal or several, even if the terminal accepts no output.
func TestDarkStalledTerminal(t *testing.T) {
	t.Parallel()
	h := newFileHAT(t)
	s := open(t, nil, "c4hat", "play", "--points", "2", "--fb", h.fb, "--stick", h.stick)
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

// lights waits for a program's first frame.
func (h *fileHAT) lights(t testing.TB, p *program) {
	t.Helper()
	eventually(t, func() bool {
		leds := h.leds(t)
		return leds != "" && leds != dark && leds != strings.Repeat("\xff", len(dark))
	}, func() string { return "nothing is lit\n" + p.errs.String() })
}

// The LEDs are dark however the program ends, except by SIGKILL.
func TestHATLeftDark(t *testing.T) {
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
			h.lights(t, p)
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

// While one program uses the HAT, a second one fails with an error that names the first one's
// process. The service waits instead, and plays when the first program has ended.
func TestOneOwner(t *testing.T) {
	t.Parallel()
	h := newFileHAT(t)
	first := start(t, nil, "c4hat", "play", "--fb", h.fb, "--stick", h.stick)
	r := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}})
	h.shows(t, r.Frame())

	second := start(t, nil, "c4hat", "play", "--fb", h.fb, "--stick", h.stick)
	_ = second.Wait()
	if got := second.ProcessState.ExitCode(); got != 1 {
		t.Errorf("exit status %d, want 1", got)
	}
	if got := second.errs.String(); !strings.Contains(got, fmt.Sprintf("process %d", first.Process.Pid)) || strings.Count(got, "\n") != 1 {
		t.Errorf("printed %q", got)
	}
	h.shows(t, r.Frame())

	daemon := start(t, nil, "c4hat", "daemon", "--fb", h.fb, "--stick", h.stick)
	daemon.says(t, "waiting for the matrix") // logged only if the wait lasts
	h.shows(t, r.Frame())                    // still the first program's picture
	_ = first.Process.Signal(syscall.SIGTERM)
	_ = first.Wait()
	attract := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}, Attract: true})
	h.shows(t, attract.Frame())
	_ = daemon.Process.Signal(syscall.SIGTERM)
	if err := daemon.Wait(); err != nil {
		t.Errorf("%v\n%s", err, daemon.errs.String())
	}
}

// If the HAT is missing, the error is one line.
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
			continue // this machine may have a HAT
		}
		p := start(t, nil, append([]string{"c4hat", "play"}, args...)...)
		_ = p.Wait()
		if got := p.ProcessState.ExitCode(); got != 1 {
			t.Errorf("%v: exit status %d", args, got)
		}
		if got := p.errs.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "c4hat: hat: ") {
			t.Errorf("%v: printed %q", args, got)
		}
	}
}

// The service notifies systemd when it is ready, regularly while it runs, and when it stops.
func TestNotify(t *testing.T) {
	t.Parallel()
	h := newFileHAT(t)
	socket := filepath.Join(socketdir.New(t), "notify")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	must(t, unix.Bind(fd, &unix.SockaddrUnix{Name: socket}))
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
			case <-time.After(patience):
				t.Fatalf("%q is missing from %v", want, heard)
			}
		}
	}
	hear("READY=1")
	for range 3 {
		heard["WATCHDOG=1"] = 0
		hear("WATCHDOG=1")
	}
	_ = p.Process.Signal(syscall.SIGTERM)
	hear("STOPPING=1")
	if err := p.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.errs.String())
	}
}
