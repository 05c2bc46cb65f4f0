package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
	"github.com/c4hat/c4hat/internal/front/light"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/store"
	"golang.org/x/sys/unix"
)

// In a match played with the joystick, the matrix shows every position and phase as the game draws
// it, on a HAT and on the emulator.
func TestHATMatch(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"7x6", "8x8"} {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			d := newRunning(t, "--points", "1", "--board", size)
			d.start(t)
			d.playMatch(t, size)
		})
	}
	t.Run("emulator", func(t *testing.T) {
		t.Parallel()
		e := newEmulated(t)
		d := newRunning(t, "--emulator", "--fb", e.fb, "--stick", e.stick)
		d.start(t)
		e.greeted(t)
		d.fileHAT = e.fileHAT
		d.playMatch(t, "7x6")
		if b, err := os.ReadFile(e.fb); err != nil || string(b[128:]) != gammaTable {
			t.Errorf("the screen has %d bytes: %q, %v", len(b), b, err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(e.fb), "*client*")); left != nil {
			t.Errorf("%v are left", left)
		}
	})
}

// playMatch plays a match that red wins on the HAT, and stops the service.
func (d *running) playMatch(t *testing.T, size string) {
	t.Helper()
	setup := game.Setup{Rules: board.Standard, Points: 1}
	if size == "8x8" {
		setup.Rules = board.FullMatrix
	}
	d.press(t, game.Start{Setup: setup})
	r := gametest.New(t, game.Config{Setup: setup})
	middle := (setup.Rules.Columns - 1) / 2
	for i, col := range []int{3, 4, 3, 2, 3, 4, 3} {
		r.Until(game.Aim)
		d.shows(t, r.Frame())
		time.Sleep(secondTap)
		r.After(secondTap) // also, the cursor on the full matrix starts dark
		d.shows(t, r.Frame())
		for ; col > middle; col-- {
			d.tap(t, keyRight)
			r.Press(game.Right)
		}
		for ; col < middle; col++ {
			d.tap(t, keyLeft)
			r.Press(game.Left)
		}
		drop, key := uint16(keyEnter), game.Middle
		if i%2 == 1 {
			drop, key = keyDown, game.Down
		}
		d.tap(t, drop)
		r.Press(key)
	}
	for _, phase := range []game.Phase{game.Cheer, game.Score, game.Victory, game.Clear} {
		r.Until(phase)
		d.shows(t, r.Frame())
	}
	d.stop(t)
	if d.leds(t) != dark {
		t.Errorf("left\n%s", unpacked(d.leds(t)))
	}
}

// emulated simulates the Sense HAT emulator: in its screen file a gamma table follows the pixels,
// and its joystick is a socket. Package emulator tests what happens when it is started again.
type emulated struct{ *fileHAT }

const gammaTable = "0123456789abcdefghijklmnopqrstuv"

func newEmulated(t *testing.T) emulated {
	t.Helper()
	dir := socketdir.New(t)
	e := emulated{&fileHAT{fb: filepath.Join(dir, "screen"), stick: filepath.Join(dir, "stick")}}
	must(t, os.WriteFile(e.fb, []byte(strings.Repeat("\xff", 128)+gammaTable), 0o600))
	e.pipe = datagrams(t, e.stick)
	return e
}

// datagrams returns a new socket with a path, which receives datagrams.
func datagrams(t *testing.T, path string) *os.File {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	f := os.NewFile(uintptr(fd), path)
	t.Cleanup(func() { f.Close() })
	most := unix.NsecToTimeval(patience.Nanoseconds())
	must(t, unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &most))
	must(t, unix.Bind(fd, &unix.SockaddrUnix{Name: path}))
	return f
}

// receive returns the next datagram, and its sender.
func receive(t *testing.T, f *os.File) (text string, from unix.Sockaddr) {
	t.Helper()
	var b [1024]byte
	n, from, err := unix.Recvfrom(int(f.Fd()), b[:], 0)
	for err == unix.EINTR { // a receive with a timeout is not restarted, see signal(7)
		n, from, err = unix.Recvfrom(int(f.Fd()), b[:], 0)
	}
	must(t, err)
	return string(b[:n]), from
}

// greeted waits for the program's hello, and connects to the address that sent it, so that keys can
// be sent to the program.
func (e emulated) greeted(t *testing.T) {
	t.Helper()
	text, from := receive(t, e.pipe)
	if text != "hello" {
		t.Fatalf("received %q", text)
	}
	must(t, unix.Connect(int(e.pipe.Fd()), from))
}

// The service notifies systemd when it is ready and when it stops. While it runs, it sends more than one
// keep-alive per watchdog interval, so that one may be late.
func TestNotify(t *testing.T) {
	t.Parallel()
	h, path := newFileHAT(t), filepath.Join(socketdir.New(t), "notify")
	socket := datagrams(t, path)
	p := start(t, []string{"NOTIFY_SOCKET=" + path, "WATCHDOG_USEC=1000000"}, "c4hat", "daemon", "--fb", h.fb, "--stick", h.stick)
	hear := func(want string) {
		t.Helper()
		for got := ""; got != want; {
			got, _ = receive(t, socket)
		}
	}
	hear("READY=1")
	// On a busy machine some keep-alives are late, so wait for four in a row that arrive as fast as
	// on an idle machine.
	var alive []time.Time
	for n := 0; n < 4 || alive[n-1].Sub(alive[n-4]) > 5*time.Second/2; n = len(alive) {
		hear("WATCHDOG=1")
		alive = append(alive, time.Now())
	}
	_ = p.Process.Signal(syscall.SIGTERM)
	hear("STOPPING=1")
	if err := p.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.errs.String())
	}
}

// When the service stops, it turns the LEDs off before it waits for the disk.
func TestDarkBeforeDisk(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	must(t, os.MkdirAll(d.state, 0o700))
	// While another program has locked the history, writing to it waits.
	held, err := os.Create(filepath.Join(d.state, "matches.lock"))
	must(t, err)
	defer held.Close()
	must(t, unix.Flock(int(held.Fd()), unix.LOCK_EX))
	d.start(t)
	d.press(t, game.Start{Setup: game.Setup{Rules: board.Standard, Points: 1}})
	time.Sleep(secondTap)
	d.press(t, game.Column{Col: 3})
	d.aims(t, "4")
	d.press(t, game.End{})
	d.until(t, "the menu", func(v game.View) bool { return v.Phase == game.Menu })
	d.shows(t, gametest.Colours(d.view))
	_ = d.program.Process.Signal(syscall.SIGTERM)
	_ = d.program.Wait()
	ended := time.Now()
	if d.leds(t) != dark || !strings.Contains(d.program.errs.String(), "the disk does not respond") {
		t.Fatalf("the LEDs are not dark, or nothing waited for the disk:\n%s\n%s", unpacked(d.leds(t)), d.program.errs.String())
	}
	info, err := os.Stat(d.fb)
	must(t, err)
	if waited := ended.Sub(info.ModTime()); waited < time.Second {
		t.Errorf("dark for %v before the end, want at least a second: the service waits for the disk", waited)
	}
}

// The service works even if nobody reads its log.
func TestClosedLog(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	r, w, err := os.Pipe()
	must(t, err)
	r.Close()
	p := newProgram(t, nil, d.args...)
	p.Stderr = w
	p.begin(t)
	w.Close()
	d.lights(t)
	_ = p.Process.Signal(syscall.SIGTERM)
	if err := p.Wait(); err != nil || d.leds(t) != dark {
		t.Errorf("%v\n%s", err, unpacked(d.leds(t)))
	}
}

// While the LEDs and the disk accept only part of each write, the game continues and logs each
// failure once. Afterwards the LEDs and the saved match are correct.
func TestFaultyDisk(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	_, err := d.client.Start(t.Context(), api.MatchRequest{})
	must(t, err)
	column := func(col int) {
		t.Helper()
		time.Sleep(300 * time.Millisecond) // an earlier drop would be ignored
		d.press(t, game.Column{Col: col - 1})
	}
	column(4)
	d.aims(t, "4")
	limit := func(bytes uint64) {
		t.Helper()
		var l unix.Rlimit
		must(t, unix.Prlimit(d.program.Process.Pid, unix.RLIMIT_FSIZE, nil, &l))
		l.Cur = min(bytes, l.Max)
		must(t, unix.Prlimit(d.program.Process.Pid, unix.RLIMIT_FSIZE, &l, nil))
	}
	limit(64) // setrlimit(2): files cannot grow beyond 64 bytes
	for i, col := range []int{3, 4, 5} {
		column(col)
		d.until(t, "the turn", func(v game.View) bool { return v.Phase == game.Aim && v.Unsaved && v.Game.String() == "4345"[:i+2] })
	}
	if d.leds(t) == packed(gametest.Colours(d.view)) {
		t.Error("no write to the LEDs failed")
	}
	limit(unix.RLIM_INFINITY)
	column(1)
	d.aims(t, "43451")
	d.shows(t, gametest.Colours(d.view))
	d.program.says(t, "matches are saved again")
	d.kill(t)
	if m, ok := store.Left(d.state); !ok || m.Game.String() != "43451" {
		t.Errorf("saved: %s", m.Game.String())
	}
	said := d.program.errs.String()
	for _, what := range []string{"the game continues", "matches are saved again"} {
		if n := strings.Count(said, what); n != 1 {
			t.Errorf("%q is logged %d times:\n%s", what, n, said)
		}
	}
}

// After a reload during a match, the match continues. The LEDs change at once, and the rules change
// with the next match. A mistake in the configuration is reported with its line, and changes
// nothing.
func TestReload(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	must(t, os.WriteFile(file, nil, 0o644))
	d := newRunning(t, "--config", file, "--first", "yellow")
	d.start(t)
	reload := func(doc string) {
		t.Helper()
		must(t, os.WriteFile(file, []byte(doc), 0o644))
		must(t, d.program.Process.Signal(syscall.SIGHUP))
	}
	lit := func(palette string, brightness, degrees int) {
		t.Helper()
		v := d.latest()
		f := light.New(palette, brightness).Frame(&v.Frame)
		for range degrees / 90 {
			var turned light.Frame
			for i, c := range f {
				turned[8*(i%8)+7-i/8] = c
			}
			f = turned
		}
		d.shows(t, f)
	}
	d.press(t, game.Press{Key: game.Left}) // opens the menu
	d.press(t, game.Press{Key: game.Middle})
	d.aims(t, "")
	d.press(t, game.Column{Col: 3})
	d.aims(t, "4")
	id := d.view.ID
	lit(light.Classic, light.Full, 0)
	reload("screen = { palette = 'colourblind', brightness = 30, rotate = 90 }\ngame = { points = 3, first = 'red', level = 'hard' }\n")
	lit(light.Colourblind, 30, 90)
	d.tap(t, keyUp) // left, in the rotated picture
	d.until(t, "the cursor", func(v game.View) bool { return v.Cursor == 2 })
	reload("[screen]\npalette = \"night\"\nbrightness = 300\n")
	d.program.says(t, file+":3: brightness")
	lit(light.Colourblind, 30, 90)
	if v := d.latest(); v.ID != id || v.Game.String() != "4" || v.Match.Target() != 2 {
		t.Errorf("the match is %s after %s to %d points", v.ID, v.Game.String(), v.Match.Target())
	}
	d.press(t, game.End{})
	d.until(t, "the menu", func(v game.View) bool {
		return v.Phase == game.Menu && slices.Contains(v.Choices.Names[:], "computer: hard")
	})
	d.press(t, game.Press{Key: game.Middle})
	d.until(t, "a match to 3 points, from the file, that yellow starts, from the command line", func(v game.View) bool {
		return v.ID != id && v.Phase == game.Aim && v.Match.Target() == 3 && v.Game.Position().Turn() == board.Yellow
	})
	id = d.view.ID
	_, err := d.client.Start(t.Context(), api.MatchRequest{Force: true}) // leaves everything else to the configuration
	must(t, err)
	d.until(t, "a match by request", func(v game.View) bool { return v.ID != id && v.Match.Target() == 3 })
	d.stop(t)
}
