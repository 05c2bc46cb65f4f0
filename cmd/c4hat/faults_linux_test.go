package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/store"
	"golang.org/x/sys/unix"
)

// faulty starts the service on a HAT simulated by files, and returns it in a match in which one
// disc was dropped. The service sends five watchdog keep-alives a second.
func faulty(t *testing.T) *running {
	t.Helper()
	d := newRunning(t)
	d.env = []string{"WATCHDOG_USEC=400000"}
	d.start(t)
	if _, err := d.client.Start(t.Context(), api.MatchRequest{}); err != nil {
		t.Fatal(err)
	}
	d.column(t, 4)
	d.aims(t, "4")
	d.shows(t, gametest.Colours(d.view))
	return d
}

// column drops a disc through the socket. Columns are numbered from 1.
func (d *running) column(t *testing.T, col int) {
	t.Helper()
	time.Sleep(300 * time.Millisecond) // an earlier drop would be ignored
	if _, err := d.client.Do(t.Context(), game.Column{Col: col - 1}); err != nil {
		t.Fatal(err)
	}
}

// If the HAT loses its picture, the service restores the picture without a key press.
func TestFaultyMatrix(t *testing.T) {
	t.Parallel()
	d := faulty(t)
	must(t, os.WriteFile(d.fb, []byte(strings.Repeat("\xaa", 128)), 0o666))
	d.shows(t, gametest.Colours(d.view))
	d.kill(t)
}

// After the kernel has dropped joystick events, no key is stuck and no disc falls.
func TestFaultyJoystick(t *testing.T) {
	t.Parallel()
	d := faulty(t)
	d.send(t, keyLeft, 1)
	d.until(t, "the cursor", func(v game.View) bool { return v.Cursor == 2 })
	d.record(t, 0, 3, 0)        // SYN_DROPPED
	d.record(t, 1, keyEnter, 1) // from an incomplete packet
	d.record(t, 0, 0, 0)
	for range 10 {
		d.send(t, keyLeft, 2)
		time.Sleep(40 * time.Millisecond)
	}
	d.send(t, keyLeft, 0)
	d.tap(t, keyRight)
	d.until(t, "the cursor", func(v game.View) bool { return v.Cursor == 3 })
	if v := d.latest(); v.Phase != game.Aim || v.Game.String() != "4" {
		t.Errorf("%v after %q", v.Phase, v.Game.String())
	}
	d.tap(t, keyEnter)
	d.aims(t, "44")
}

// While the LEDs and the disk accept only part of each write, the game continues and logs each
// failure once. Afterwards the LEDs and the saved match are correct.
func TestFaultyDisk(t *testing.T) {
	t.Parallel()
	d := faulty(t)
	limit := func(bytes uint64) {
		t.Helper()
		var l unix.Rlimit
		err := unix.Prlimit(d.program.Process.Pid, unix.RLIMIT_FSIZE, nil, &l)
		if l.Cur = min(bytes, l.Max); err == nil {
			err = unix.Prlimit(d.program.Process.Pid, unix.RLIMIT_FSIZE, &l, nil)
		}
		must(t, err)
	}
	limit(64) // setrlimit(2): files cannot grow beyond 64 bytes
	for i, col := range []int{3, 4, 5} {
		d.column(t, col)
		d.until(t, "the turn", func(v game.View) bool { return v.Phase == game.Aim && v.Unsaved && v.Game.String() == "4345"[:i+2] })
	}
	if d.leds(t) == packed(gametest.Colours(d.view)) {
		t.Error("no write to the LEDs failed")
	}
	limit(unix.RLIM_INFINITY)
	d.shows(t, gametest.Colours(d.view))
	d.column(t, 1)
	d.aims(t, "43451")
	d.shows(t, gametest.Colours(d.view))
	d.program.says(t, "matches are saved again")
	var m game.Record
	eventually(t, func() (ok bool) { // the disk may be slow
		m, ok = store.Left(d.state)
		return ok && m.Game.String() == "43451"
	}, func() string { return "saved: " + m.Game.String() })
	d.kill(t)
	said := d.program.errs.String()
	for what, most := range map[string]int{"the game continues": 1, "matches are saved again": 1} {
		if n := strings.Count(said, what); n != most {
			t.Errorf("%q is logged %d times:\n%s", what, n, said)
		}
	}
}

// A hanging write to the matrix blocks nothing else: the socket and the joystick work, the game's
// clock runs, watchdog keep-alives are sent, and every disc is saved.
func TestStuckMatrix(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := soak{t: t, hat: hattest.New(), door: socket.NewInside(), dir: dir, rng: rand.New(rand.NewPCG(1, 1))}
		stop := s.daemon()
		if status, err := s.ask("POST", "/v1/match", `{"first":"red"}`); status != 201 {
			t.Fatal(status, err)
		}
		s.now()
		release := s.hat.BlockWrites()
		for i, want := range []string{"1", "14", "141"} {
			if i == 1 {
				s.hat.Tap(hat.Middle)
			} else if status, err := s.ask("POST", "/v1/press", `{"column":1}`); status != 200 {
				t.Error(status, err)
			}
			before := s.lives()
			time.Sleep(time.Minute)
			if v := s.now(); v.Phase != game.Aim || v.Game.String() != want {
				t.Errorf("%v after %q, want %q", v.Phase, v.Game.String(), want)
			}
			if n := s.lives() - before; n != 6 {
				t.Errorf("%d watchdog keep-alives in a minute", n)
			}
			if m, ok := store.Left(dir); !ok || m.Game.String() != want {
				t.Errorf("saved: %q, %v", m.Game.String(), ok)
			}
		}
		release()
		if v := s.now(); s.hat.Letters() != lettersOf(v) {
			t.Errorf("the LEDs show\n%s", s.hat.Letters())
		}
		stop()
		if strings.Trim(s.hat.Letters(), ".\n") != "" {
			t.Errorf("left\n%s", s.hat.Letters())
		}
	})
	if _, err := os.Stat(filepath.Join(dir, "match.jsonl")); err != nil {
		t.Error(err)
	}
}

// lettersOf returns the LEDs of a view as [hattest.HAT.Letters] does.
func lettersOf(v game.View) string {
	f := gametest.Colours(v)
	return hattest.Letters(&f)
}
