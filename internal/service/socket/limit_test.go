//go:build unix

package socket

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/c4hat/c4hat/internal/command/quote"
	"github.com/c4hat/c4hat/internal/game"
)

func connect(t testing.TB, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", path)
	must(t, err)
	// Only a server that never answers takes this long.
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute))
	return conn
}

// A user's connection for which there is no place gets an error that says why, however much it sends. Once
// another connection has been closed, a new one is accepted.
func TestTooManyConnections(t *testing.T) {
	_, path := served(t, game.Config{})
	var inside []net.Conn
	for range ownConns {
		conn := connect(t, path)
		defer conn.Close()
		inside = append(inside, conn)
	}
	for sends, status := range map[string]int{
		askStatus: 503,
		"POST /v1/press HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100000): 503,
		strings.Repeat("x", 3*MaxHead): 431,
	} {
		conn := connect(t, path)
		if _, err := io.WriteString(conn, sends); err != nil {
			t.Errorf("%s: %v", quote.Short(sends), err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", quote.Short(sends), err)
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != status || !answer.Close || status == 503 && !strings.Contains(string(text), "512 connections are open already, or 256 of yours") {
			t.Errorf("%s: %d %q %v", quote.Short(sends), answer.StatusCode, text, err)
		}
		conn.Close()
	}
	if _, err := Dial(path).Status(t.Context()); err == nil || !strings.Contains(err.Error(), "connections are open already") {
		t.Errorf("the client gets %v", err)
	}
	if _, err := exec.LookPath("curl"); err == nil {
		curl := exec.Command("curl", "-s", "--unix-socket", path, "--data-binary", "@-", "http://c4hat/v1/press")
		curl.Stdin = strings.NewReader(strings.Repeat("x", 100000))
		if out, err := curl.Output(); err != nil || !strings.Contains(string(out), "connections are open already") {
			t.Errorf("curl gets %q, %v", out, err)
		}
	}
	inside[0].Close()
	for until := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		conn := connect(t, path)
		status, text := talk(t, conn, askStatus)
		conn.Close()
		if status == 200 {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("after one was closed: %d %s", status, text)
		}
	}
}

// However many connections a user has open, and whatever they send, another user is answered at once. Streams
// leave room for short requests.
func TestUserFloods(t *testing.T) {
	for _, sends := range []string{"", "GET /v1/st", askStatus, "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n"} {
		piped(t, newTable(t, game.Config{}).options(t), func(t *testing.T, l *pipes, _ func()) {
			flood := func(n int) {
				for range n {
					conn := l.dialAs("rude")
					t.Cleanup(func() { conn.Close() })
					go func() { _, _ = io.WriteString(conn, sends) }()
				}
			}
			before := time.Now()
			flood(2 * ownConns)
			for range 20 {
				conn := l.dialAs("kind")
				if status, text := talk(t, conn, askStatus); status != 200 {
					t.Fatalf("%q: %d %s", sends, status, text)
				}
				conn.Close()
				flood(5)
			}
			if took := time.Since(before); took > 0 {
				t.Errorf("%q: it took %v", sends, took)
			}
		})
	}
	piped(t, newTable(t, game.Config{}).options(t), func(t *testing.T, l *pipes, _ func()) {
		for range ownConns * 3 / 4 {
			conn := l.dialAs("watcher")
			defer conn.Close()
			_ = next(t, follow(t, conn))
		}
		conn := l.dialAs("watcher")
		defer conn.Close()
		if status, text := talk(t, conn, "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n"); status != 503 {
			t.Errorf("one stream more: %d %s", status, text)
		}
		if status, text := talk(t, conn, askStatus); status != 200 {
			t.Errorf("with the user's streams open: %d %s", status, text)
		}
	})
}

// Each user has a pace, and waits for at most half of the client's patience. A flood of users does not take
// memory without limit.
func TestPace(t *testing.T) {
	p := &Pace{Limit: 0.1, Burst: 5}
	for n := range 6 {
		err := p.Wait(t.Context(), "hasty")
		if why, refused := errors.AsType[*Refusal](err); refused != (n == 5) || refused && why.Status != http.StatusTooManyRequests {
			t.Errorf("request %d: %v", n, err)
		}
	}
	if err := p.Wait(t.Context(), "calm"); err != nil {
		t.Errorf("another user: %v", err)
	}
	p = &Pace{Limit: rate.Inf}
	for i := range 10 * maxUsers {
		p.Of(fmt.Sprint(i))
	}
	if len(p.of) > maxUsers+1 {
		t.Errorf("%d users", len(p.of))
	}
}

// Two hundred clients make five thousand requests, most of them bad: each gets the right
// kind of answer, and no goroutine, file or memory leaks.
func TestStorm(t *testing.T) {
	_, path := served(t, game.Config{})
	count := 5000
	if testing.Short() {
		count = 1000
	}
	storm := func(count int) {
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(i), 3))
				for range count / 200 {
					if err := gust(rng, path); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	storm(400) // so that what is allocated only once does not count as a leak
	before, _ := settled(weight{goroutines: 8, descriptors: 1 << 20, heap: 1 << 40})
	storm(count)
	after, ok := settled(weight{before.goroutines, before.descriptors, before.heap + 1<<20})
	t.Logf("before %+v, after %+v", before, after)
	if !ok {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if answer, text := request(t, over(t, path), "GET", "/v1/status", ""); answer.StatusCode != 200 {
		t.Errorf("after the storm: %d %s", answer.StatusCode, text)
	}
}

type weight struct {
	goroutines, descriptors int
	heap                    uint64
}

// settled waits for at most a minute until the process holds no more than most, and returns what it
// holds.
func settled(most weight) (w weight, ok bool) {
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		for range 3 { // a sync.Pool is emptied by the second collection
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w = weight{runtime.NumGoroutine(), 0, m.HeapAlloc}
		if files, err := os.ReadDir("/proc/self/fd"); err == nil {
			w.descriptors = len(files)
		}
		ok = w.goroutines <= most.goroutines && w.descriptors <= most.descriptors && w.heap <= most.heap
		if ok || time.Now().After(until) {
			return w, ok
		}
	}
}

// gust makes one random request on its own connection. It returns an error if the answer
// is of the wrong kind.
func gust(rng *rand.Rand, path string) error {
	conn, err := net.Dial("unix", path)
	for errors.Is(err, syscall.EAGAIN) { // the listener's backlog is full
		time.Sleep(time.Millisecond)
		conn, err = net.Dial("unix", path)
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute))
	bodies := []struct {
		body string
		kind int // of the answer's status, in hundreds
	}{
		{`{"key":"left"}`, 2},
		{`{"column":3}`, 2},
		{`{"column":99}`, 4},
		{`{"key":"left","x":1}`, 4},
		{strings.Repeat("[", MaxBody), 4},
		{strings.Repeat("x", MaxBody+1+rng.IntN(100000)), 4},
		{garbage(rng), 4},
		{"", 4},
	}
	b := bodies[rng.IntN(len(bodies))]
	sends := fmt.Sprintf("POST /v1/press HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(b.body), b.body)
	kind := b.kind
	switch rng.IntN(10) {
	case 0:
		sends, kind = askStatus, 2
	case 1:
		sends, kind = garbage(rng)+"\r\n\r\n", 4
	case 2:
		sends, kind = "GET /"+strings.Repeat("y", rng.IntN(30000))+" HTTP/1.1\r\nHost: x\r\n\r\n", 4
	case 3:
		sends, kind = "GET /v1/matches HTTP/1.1\r\nHost: x\r\n\r\n", 2
	case 4: // disconnects halfway
		_, _ = io.WriteString(conn, sends[:rng.IntN(len(sends))])
		return nil
	case 5: // never reads
		_, _ = io.WriteString(conn, strings.Repeat(askStatus, 50))
		return nil
	case 6: // reads events for a moment
		_, _ = io.WriteString(conn, "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
		return nil
	}
	go func() { _, _ = io.WriteString(conn, sends) }()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", quote.Short(sends), err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("%s: %d %w", quote.Short(sends), answer.StatusCode, err)
	}
	if answer.StatusCode != 503 && answer.StatusCode/100 != kind {
		return fmt.Errorf("%s: %d %s", quote.Short(sends), answer.StatusCode, text)
	}
	return nil
}

// garbage returns random bytes that are neither a request nor JSON.
func garbage(rng *rand.Rand) string {
	text := make([]byte, 1+rng.IntN(2000))
	for i := range text {
		text[i] = byte(rng.Uint32())
	}
	return "\x01" + string(text)
}
