package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"golang.org/x/sys/unix"
)

// BenchmarkPress measures the time from a record in the joystick's pipe to the inotify event for
// the matrix's file, while another program keeps one core busy.
func BenchmarkPress(b *testing.B) {
	for _, bb := range []struct {
		name  string
		keys  []uint16
		match game.Setup
	}{
		// The cursor moves back and forth, away from the edges.
		{"aiming", []uint16{keyLeft, keyLeft, keyLeft, keyRight, keyRight, keyRight}, game.Setup{}},
		// The keys alternately pause and resume the match. After each resume the computer thinks for
		// longer than the measurement takes.
		{"perfect thinks", []uint16{keyUp, keyEnter}, game.Setup{Computer: board.Red, Level: match.Perfect, Opening: "12"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			bb.match.Rules, bb.match.Points = board.Standard, 2
			d := newRunning(b, "--idle", "0")
			d.start(b)
			d.press(b, game.Start{Setup: bb.match})
			d.until(b, "the match", func(v game.View) bool { return v.UnderWay })
			time.Sleep(time.Second) // the LEDs show it
			busy := exec.Command("sh", "-c", "while :; do :; done")
			must(b, busy.Start())
			defer func() { _ = busy.Process.Kill() }()
			var core unix.CPUSet
			core.Set(0)
			must(b, unix.SchedSetaffinity(busy.Process.Pid, &core))
			watch, err := unix.InotifyInit1(unix.IN_CLOEXEC)
			must(b, err)
			defer unix.Close(watch)
			_, err = unix.InotifyAddWatch(watch, d.fb, unix.IN_MODIFY)
			must(b, err)
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				var event [4096]byte
				key := bb.keys[i%len(bb.keys)]
				began := time.Now()
				d.send(b, key, 1)
				_, err := unix.Read(watch, event[:])
				must(b, err)
				took = append(took, time.Since(began))
				d.send(b, key, 0)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-median")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
			d.kill(b)
		})
	}
}

// BenchmarkService measures the time from the start of the service to its first frame, and from SIGTERM to dark LEDs.
func BenchmarkService(b *testing.B) {
	var frame, ends time.Duration
	for b.Loop() {
		d, began := newRunning(b), time.Now()
		wait := func(ok func(leds string) bool) time.Duration {
			for !ok(d.leds(b)) {
				time.Sleep(100 * time.Microsecond)
			}
			return time.Since(began)
		}
		d.launch(b)
		frame = max(frame, wait(lit))
		began = time.Now()
		_ = d.program.Process.Signal(syscall.SIGTERM)
		ends = max(ends, wait(func(leds string) bool { return leds == dark }))
		_ = d.program.Wait()
	}
	b.ReportMetric(float64(frame.Microseconds())/1000, "ms-to-frame-most")
	b.ReportMetric(float64(ends.Microseconds())/1000, "ms-to-dark-most")
}

// BenchmarkIdle counts the context switches in 60 s while the LEDs are dark, with a watchdog of 30 s and without one.
func BenchmarkIdle(b *testing.B) {
	for _, watchdog := range []string{"30000000", ""} {
		b.Run("watchdog "+watchdog, func(b *testing.B) {
			for b.Loop() {
				d := newRunning(b, "--idle", "1s")
				d.launch(b, "WATCHDOG_USEC="+watchdog)
				time.Sleep(6 * time.Second)
				if d.leds(b) != dark {
					b.Fatal("the LEDs are not dark")
				}
				reportSwitches(b, d.program, 60)
				d.kill(b)
			}
		})
	}
}

// BenchmarkTerminal measures the time from the start of the process to its first picture, and counts the context
// switches of all threads in 30 s while the picture does not change.
func BenchmarkTerminal(b *testing.B) {
	for b.Loop() {
		began := time.Now()
		s := open(b, nil, "c4hat", "play", "--points", "2")
		s.shows(b, "red to move")
		b.ReportMetric(float64(time.Since(began).Microseconds())/1000, "ms-to-picture")
		time.Sleep(2 * time.Second)
		reportSwitches(b, s, 30)
		s.types(b, "q")
		s.ends(b, 0)
	}
}

// reportSwitches reports the context switches of all threads in some seconds, from /proc/PID/task/*/status.
func reportSwitches(b *testing.B, p *program, seconds int) {
	b.Helper()
	count := func() (sum int) {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.Process.Pid))
		for _, task := range tasks {
			status, err := os.ReadFile(task)
			must(b, err)
			for _, m := range regexp.MustCompile(`_ctxt_switches:\s*(\d+)`).FindAllSubmatch(status, -1) {
				n, _ := strconv.Atoi(string(m[1]))
				sum += n
			}
		}
		return sum
	}
	before := count()
	time.Sleep(time.Duration(seconds) * time.Second)
	b.ReportMetric(float64(count()-before), fmt.Sprintf("switches/%ds", seconds))
}
