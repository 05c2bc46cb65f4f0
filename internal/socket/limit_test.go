//go:build unix

package socket

import (
	"bufio"
	"context"
	"encoding/json"
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

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/quote"
)

func connect(t testing.TB, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", path)
	must(t, err)
	// Only a server that never answers takes this long.
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute))
	return conn
}

// The 33rd connection gets an error that says why it is rejected, however much it sends, and is closed
// if it sends nothing. Once another connection has been closed, a new one is accepted.
func TestTooManyConnections(t *testing.T) {
	g := newTable(t, game.Config{})
	path := serveTo(t, g.options(t), g, strangers())
	var inside []net.Conn
	defer func() {
		for _, c := range inside {
			c.Close()
		}
	}()
	for range maxConns {
		conn := connect(t, path)
		inside = append(inside, conn)
		if status, text := talk(t, conn, askStatus); status != 200 {
			t.Fatalf("connection %d: %d %s", len(inside), status, text)
		}
	}
	end := keepBusy(t, inside)
	defer end()
	for sends, status := range map[string]int{
		askStatus: 503,
		"POST /v1/press HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100000): 503,
		strings.Repeat("x", 3*maxHead): 431,
		"GET /v1/st":                   400, // then nothing for a while
	} {
		conn := connect(t, path)
		if _, err := io.WriteString(conn, sends); err != nil {
			t.Errorf("%s: %v", quote.Short(sends), err)
		}
		r := bufio.NewReader(conn)
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("%s: %v", quote.Short(sends), err)
		}
		var doc struct{ Error string }
		if err := json.NewDecoder(answer.Body).Decode(&doc); err != nil || answer.StatusCode != status || !answer.Close || doc.Error == "" ||
			status == 503 && !strings.Contains(doc.Error, "32 connections") {
			t.Errorf("%s: %d %q %v", quote.Short(sends), answer.StatusCode, doc.Error, err)
		}
		if _, err := r.ReadByte(); err != io.EOF {
			t.Errorf("%s: the end is %v, want EOF", quote.Short(sends), err)
		}
		conn.Close()
	}
	silent := connect(t, path)
	defer silent.Close()
	if n, err := silent.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("a silent connection gets %d bytes, %v", n, err)
	}
	if _, err := Dial(path).Status(t.Context()); err == nil || !strings.Contains(err.Error(), "32 connections are open already") {
		t.Errorf("the client gets %v", err)
	}
	if _, err := exec.LookPath("curl"); err == nil {
		curl := exec.Command("curl", "-s", "--unix-socket", path, "--data-binary", "@-", "http://c4hat/v1/press")
		curl.Stdin = strings.NewReader(strings.Repeat("x", 100000))
		if out, err := curl.Output(); err != nil || !strings.Contains(string(out), "32 connections are open already") {
			t.Errorf("curl gets %q, %v", out, err)
		}
	}
	end()
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

// keepBusy makes connections send requests now and then, so that the server does not
// close them.
func keepBusy(t *testing.T, conns []net.Conn) (end func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	for _, conn := range conns {
		asking.Go(func() {
			for ctx.Err() == nil {
				if status, text := talk(t, conn, askStatus); status != 200 {
					t.Errorf("an accepted connection: %d %s", status, text)
					return
				}
				select {
				case <-time.After(patience / 20):
				case <-ctx.Done():
				}
			}
		})
	}
	return func() {
		cancel()
		asking.Wait()
	}
}

// Streams take at most 24 connections; other requests are still answered.
func TestTooManyStreams(t *testing.T) {
	g := newTable(t, game.Config{})
	path := serveTo(t, g.options(t), g, strangers())
	for range maxStreams {
		conn := connect(t, path)
		defer conn.Close()
		_ = next(t, follow(t, conn))
	}
	c := over(t, path)
	if answer, text := request(t, c, "GET", "/v1/events", ""); answer.StatusCode != 503 || !strings.Contains(text, "24 programs are watching already") {
		t.Errorf("stream 25: %d %s", answer.StatusCode, text)
	}
	for range 20 {
		for _, ask := range [][3]string{{"GET", "/v1/status"}, {"POST", "/v1/press", `{"key":"left"}`}} {
			if answer, text := request(t, c, ask[0], ask[1], ask[2]); answer.StatusCode != 200 {
				t.Fatalf("%s with all streams open: %d %s", ask[1], answer.StatusCode, text)
			}
		}
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
		{strings.Repeat("[", maxBody), 4},
		{strings.Repeat("x", maxBody+1+rng.IntN(100000)), 4},
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
