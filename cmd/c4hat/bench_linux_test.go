package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/levels"
	"golang.org/x/sys/unix"
)

// BenchmarkPress measures the time from a record in the joystick's pipe to the inotify event for
// the matrix's file, while another program keeps one core busy.
func BenchmarkPress(b *testing.B) {
	// The cursor moves back and forth, away from the edges.
	left, right := uint16(keyLeft), uint16(keyRight)
	b.Run("aiming", func(b *testing.B) {
		benchmarkPress(b, []uint16{left, left, left, right, right, right}, game.Setup{})
	})
	// The keys alternately pause and resume the match. After each resume the computer thinks for
	// longer than the measurement takes.
	b.Run("perfect thinks", func(b *testing.B) {
		benchmarkPress(b, []uint16{keyUp, keyEnter}, game.Setup{Computer: board.Red, Level: levels.Perfect, Opening: "12"})
	})
}

// BenchmarkPressDaemon does the same as BenchmarkPress in the service, once without clients and
// once with 40 clients that flood its socket and keep the cores busy.
func BenchmarkPressDaemon(b *testing.B) {
	left, right := uint16(keyLeft), uint16(keyRight)
	for _, raging := range []int{0, 40} {
		b.Run(fmt.Sprintf("%d rage", raging), func(b *testing.B) {
			d := newRunning(b, "--idle", "0")
			d.start(b)
			if _, err := d.client.Start(b.Context(), api.MatchRequest{}); err != nil {
				b.Fatal(err)
			}
			d.aims(b, "")
			ctx, stop := context.WithCancel(b.Context())
			for range raging {
				go func() {
					for ctx.Err() == nil {
						rage(ctx, d.socket, 10)
					}
				}()
			}
			measurePress(b, d.fileHAT, []uint16{left, left, left, right, right, right})
			stop()
		})
	}
}

func benchmarkPress(b *testing.B, keys []uint16, m game.Setup) {
	m.Rules, m.Points = board.Standard, 2
	d := newRunning(b, "--idle", "0")
	d.start(b)
	d.press(b, game.Start{Setup: m})
	d.shows(b, gametest.New(b, game.Config{Setup: m}).Frame())
	measurePress(b, d.fileHAT, keys)
	d.kill(b)
}

func measurePress(b *testing.B, h *fileHAT, keys []uint16) {
	busy := exec.Command("sh", "-c", "while :; do :; done")
	must(b, busy.Start())
	defer func() { _ = busy.Process.Kill() }()
	var core unix.CPUSet
	core.Set(0)
	must(b, unix.SchedSetaffinity(busy.Process.Pid, &core))
	watch, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	must(b, err)
	defer unix.Close(watch)
	if _, err := unix.InotifyAddWatch(watch, h.fb, unix.IN_MODIFY); err != nil {
		b.Fatal(err)
	}
	var event [4096]byte
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		code := keys[i%len(keys)]
		began := time.Now()
		h.send(b, code, 1)
		if _, err := unix.Read(watch, event[:]); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
		h.send(b, code, 0)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
}

// BenchmarkFirstFrame measures the time from the start of the service to its first frame.
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

// BenchmarkDark measures the time from a signal or a panic to dark LEDs.
func BenchmarkDark(b *testing.B) {
	signal := func(s syscall.Signal) func(*fileHAT, *program) {
		return func(_ *fileHAT, p *program) { _ = p.Process.Signal(s) }
	}
	for _, bb := range []struct {
		name string
		args []string
		end  func(*fileHAT, *program)
	}{
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

// BenchmarkIdleDaemon counts the context switches in 60 s while the LEDs are dark, with a watchdog
// of 30 s and without one. It also reports the resident memory.
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
			b.Fatal("the LEDs are not dark")
		}
		before := switches(b, p.Process.Pid)
		time.Sleep(60 * time.Second)
		b.ReportMetric(float64(switches(b, p.Process.Pid)-before), "switches/60s")
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
		must(b, err)
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

// BenchmarkStill counts the context switches of all threads in 30 s while the terminal's picture
// does not change.
func BenchmarkStill(b *testing.B) {
	for b.Loop() {
		s := open(b, nil, "c4hat", "play", "--points", "2")
		s.shows(b, "red to move")
		time.Sleep(2 * time.Second)
		before := switches(b, s.Process.Pid)
		time.Sleep(30 * time.Second)
		b.ReportMetric(float64(switches(b, s.Process.Pid)-before), "switches/30s")
		s.types(b, "q")
		s.ends(b, 0)
	}
}

// switches returns the context switches so far of all threads, from /proc/PID/task/*/status.
func switches(b *testing.B, pid int) int {
	b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) == 0 {
		b.Fatal("no threads", err)
	}
	sum := 0
	for _, task := range tasks {
		status, err := os.ReadFile(task)
		must(b, err)
		for line := range strings.Lines(string(status)) {
			var n int
			if _, after, ok := strings.Cut(line, "_ctxt_switches:"); ok {
				if _, err := fmt.Sscan(after, &n); err != nil {
					b.Fatal(err)
				}
				sum += n
			}
		}
	}
	return sum
}

// BenchmarkStart measures the time from the start of the process to its first picture.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s := open(b, nil, "c4hat", "play", "--points", "2")
		s.shows(b, "red to move")
		b.StopTimer()
		s.types(b, "q")
		s.ends(b, 0)
		b.StartTimer()
	}
}

// rage sends requests that no correct client sends.
func rage(ctx context.Context, socket string, requests int) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 0))
	for range requests {
		c, err := net.Dial("unix", socket)
		if err != nil {
			continue
		}
		_ = c.SetDeadline(time.Now().Add(time.Second))
		junk := make([]byte, rng.IntN(9000))
		for i := range junk {
			junk[i] = byte(rng.Uint32())
		}
		switch rng.IntN(8) {
		case 0: // not HTTP
			_, _ = c.Write(junk)
		case 1: // a request that never ends
			_, _ = io.WriteString(c, "POST /v1/press HTTP/1.1\r\nHost: c4hat\r\nContent-Length: 4000\r\n\r\n{")
		case 2: // requests whose responses are not read
			for range 50 {
				_, _ = io.WriteString(c, "GET /v1/status HTTP/1.1\r\nHost: c4hat\r\n\r\n")
			}
		case 3:
			_, _ = io.WriteString(c, "GET /v1/events HTTP/1.1\r\nHost: c4hat\r\n\r\n")
		case 4: // a body that is too large
			_, _ = fmt.Fprintf(c, "POST /v1/match HTTP/1.1\r\nHost: c4hat\r\nContent-Length: %d\r\n\r\n%s", 1<<20, junk)
		case 5: // a client that disconnects
			_, _ = io.WriteString(c, "GET /v1/matches HTTP/1.1\r\nHost: c4hat\r\n\r\n")
		default:
			body := fmt.Sprintf(`{"column":%d,"x":%q}`, rng.IntN(100), junk[:rng.IntN(min(len(junk), 100)+1)])
			_, _ = fmt.Fprintf(c, "POST /v1/press HTTP/1.1\r\nHost: c4hat\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			_, _ = io.CopyN(io.Discard, c, 100)
		}
		select {
		case <-time.After(time.Duration(rng.IntN(20)) * time.Millisecond):
		case <-ctx.Done():
		}
		c.Close()
	}
}
