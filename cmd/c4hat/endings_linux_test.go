package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"golang.org/x/sys/unix"
)

// The service sends more than one keep-alive per watchdog interval, so that one may be late.
func TestWatchdogInterval(t *testing.T) {
	t.Parallel()
	const watchdog = time.Second
	socket := filepath.Join(socketdir.New(t), "notify")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	notified := os.NewFile(uintptr(fd), socket)
	defer notified.Close()
	must(t, unix.Bind(fd, &unix.SockaddrUnix{Name: socket}))
	h := newFileHAT(t)
	start(t, []string{"NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=1000000"}, "c4hat", "daemon", "--fb", h.fb, "--stick", h.stick)
	// On a busy machine some keep-alives are late, so wait for four in a row that arrive as fast as
	// on an idle machine.
	var answers []time.Time
	message := make([]byte, 1024)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		n, err := unix.Read(fd, message)
		must(t, err)
		if string(message[:n]) != "WATCHDOG=1" {
			continue
		}
		answers = append(answers, time.Now())
		if n := len(answers); n >= 4 && answers[n-1].Sub(answers[n-4]) < 5*watchdog/2 {
			return
		}
	}
	t.Errorf("no four keep-alives within 2.5 watchdog intervals: %v", answers)
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
	if _, err := d.client.Start(t.Context(), api.MatchRequest{}); err != nil {
		t.Fatal(err)
	}
	d.column(t, 4)
	d.aims(t, "4")
	if _, err := d.client.Do(t.Context(), game.End{}); err != nil {
		t.Fatal(err)
	}
	d.until(t, "the menu", func(v game.View) bool { return v.Phase == game.Menu })
	d.shows(t, gametest.Colours(d.latest()))
	_ = d.program.Process.Signal(syscall.SIGTERM)
	_ = d.program.Wait()
	ended := time.Now()
	d.gone() // stop reading events
	if d.leds(t) != dark {
		t.Errorf("the LEDs are not dark:\n%s", unpacked(d.leds(t)))
	}
	if said := d.program.errs.String(); !strings.Contains(said, "the disk does not respond") {
		t.Fatalf("the service did not wait for the disk:\n%s", said)
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
	exe, err := os.Executable()
	must(t, err)
	p := &program{Cmd: &exec.Cmd{Path: exe, Args: d.args, Env: testEnvironment(), Stderr: w}}
	must(t, p.Start())
	defer p.Process.Kill()
	w.Close()
	eventually(t, func() bool {
		_, err = d.client.Status(t.Context())
		return err == nil
	}, func() string { return err.Error() })
	_ = p.Process.Signal(syscall.SIGTERM)
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	if d.leds(t) != dark {
		t.Errorf("the LEDs are not dark:\n%s", unpacked(d.leds(t)))
	}
}
