package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
)

var rages = flag.Int("rages", 50, "connections at a time that rage in TestSocketStorm")

// However the socket is abused, the game goes on, and afterwards the daemon holds
// no more than before.
func TestSocketStorm(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	if _, err := d.client.Start(t.Context(), control.MatchRequest{}); err != nil {
		t.Fatal(err)
	}
	d.aims(t, "")
	storm := func() {
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range *rages {
			wg.Go(func() { rage(ctx, d.socket, 10) })
		}
		for i := range 4 {
			d.tap(t, keyEnter)
			d.aims(t, strings.Repeat("4", i+1))
		}
		wg.Wait()
		stop()
		for range 4 {
			d.press(t, game.Undo)
		}
		d.aims(t, "")
		d.client.Close() // but for the events
	}
	storm() // what is there for the first time may stay
	d.quiet(t)
	files, memory := d.files(t), d.memory(t)
	for range 3 {
		storm()
	}
	eventually(t, func() bool { return d.files(t) <= files }, func() string {
		return fmt.Sprintf("%d open files, %d before", d.files(t), files)
	})
	// What the collector gives back, and when, is its own affair: three times as much
	// abuse as before must not leave anything like three times as much memory.
	eventually(t, func() bool { return d.memory(t) <= memory*3/2 }, func() string {
		return fmt.Sprintf("%d KiB resident, %d before", d.memory(t), memory)
	})
	t.Logf("%d then %d open files, %d then %d KiB resident", files, d.files(t), memory, d.memory(t))
	d.kill(t)
	if errs := d.program.errs.String(); strings.Contains(errs, "goroutine ") {
		t.Error(errs)
	}
}

// rage sends what no client would.
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
		case 0: // no HTTP
			_, _ = c.Write(junk)
		case 1: // never ends
			_, _ = io.WriteString(c, "POST /v1/press HTTP/1.1\r\nHost: c4hat\r\nContent-Length: 4000\r\n\r\n{")
		case 2: // asks and never reads
			for range 50 {
				_, _ = io.WriteString(c, "GET /v1/status HTTP/1.1\r\nHost: c4hat\r\n\r\n")
			}
		case 3:
			_, _ = io.WriteString(c, "GET /v1/events HTTP/1.1\r\nHost: c4hat\r\n\r\n")
		case 4: // too large
			_, _ = fmt.Fprintf(c, "POST /v1/match HTTP/1.1\r\nHost: c4hat\r\nContent-Length: %d\r\n\r\n%s", 1<<20, junk)
		case 5: // goes away
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

// quiet waits until the daemon has no connections but the test's own: until it opens and
// closes no files any more.
func (d *running) quiet(t testing.TB) {
	t.Helper()
	before := -1
	eventually(t, func() bool {
		now := d.files(t)
		defer func() { before = now }()
		if now == before {
			return true
		}
		time.Sleep(500 * time.Millisecond)
		return false
	}, func() string { return fmt.Sprintf("%d files are open, and then others", before) })
}

// files counts the daemon's open files.
func (d *running) files(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", d.program.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// memory is what the daemon has resident, in KiB.
func (d *running) memory(t testing.TB) (kib int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.program.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			return kib
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
