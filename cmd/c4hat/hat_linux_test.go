package main

import (
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
			d := newRunning(t, "--points", "1", "--board", size)
			d.start(t)
			d.press(t, game.Start{Setup: hatMatch(size)})
			playMatch(t, d.fileHAT, size, func(int) {})
			d.stop(t)
			if d.leds(t) != dark {
				t.Errorf("left\n%s", unpacked(d.leds(t)))
			}
		})
	}
}

func hatMatch(size string) game.Setup {
	if size == "8x8" {
		return game.Setup{Rules: board.FullMatrix, Points: 1}
	}
	return game.Setup{Rules: board.Standard, Points: 1}
}

// playMatch plays a match that red wins on the HAT. It calls each before each disc.
func playMatch(t *testing.T, h *fileHAT, size string, each func(ply int)) {
	t.Helper()
	setup := hatMatch(size)
	rules := setup.Rules
	r := gametest.New(t, game.Config{Setup: setup})
	middle := (rules.Columns - 1) / 2
	for i, col := range []int{3, 4, 3, 2, 3, 4, 3} {
		r.Until(game.Aim)
		h.shows(t, r.Frame())
		time.Sleep(secondTap)
		r.After(secondTap) // also, the cursor on the full matrix starts dark
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
}

// --palette and --brightness set the colours and the brightness of the LEDs.
func TestHATLight(t *testing.T) {
	t.Parallel()
	d := newRunning(t, "--palette", "night", "--brightness", "20")
	d.start(t)
	v := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}, Attract: true}).View()
	d.shows(t, light.New("night", 20).Frame(&v.Frame))
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

// While one program uses the HAT, the service waits, and plays when that program has ended.
func TestOneOwner(t *testing.T) {
	t.Parallel()
	first := newRunning(t)
	first.start(t)
	attract := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}, Attract: true})
	first.shows(t, attract.Frame())

	second := newRunning(t, "--fb", first.fb, "--stick", first.stick)
	second.start(t)
	second.program.says(t, "waiting for the matrix") // logged only if the wait lasts
	first.tap(t, keyEnter)
	attract.Press(game.Middle)
	first.shows(t, attract.Frame())
	first.stop(t)
	attract = gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}, Attract: true})
	first.shows(t, attract.Frame())
	second.stop(t)
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
