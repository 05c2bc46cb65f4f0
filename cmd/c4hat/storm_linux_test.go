package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
)

var rages = flag.Int("rages", 50, "clients at a time that flood the socket in TestSocketStorm")

// The game continues while the socket is flooded with bad requests. The tests of package socket
// check that nothing leaks.
func TestSocketStorm(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	if _, err := d.client.Start(t.Context(), api.MatchRequest{}); err != nil {
		t.Fatal(err)
	}
	d.aims(t, "")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	for range *rages {
		wg.Go(func() { rage(ctx, d.socket, 10) })
	}
	for i := range 4 {
		d.tap(t, keyEnter)
		d.aims(t, strings.Repeat("4", i+1))
	}
	wg.Wait()
	for range 4 {
		d.press(t, game.Undo)
	}
	d.aims(t, "")
	d.kill(t)
	if errs := d.program.errs.String(); strings.Contains(errs, "goroutine ") {
		t.Error(errs)
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
