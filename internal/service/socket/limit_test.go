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
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

func connect(t testing.TB, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", path)
	must(t, err)
	// Only a server that never answers takes this long.
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute))
	return conn
}

// Of a user's connections that send no request, the ones that have waited longest give way to new ones.
func TestTooManyConnections(t *testing.T) {
	_, path := served(t, game.Config{})
	var silent []net.Conn
	for range ownWaiting + 9 {
		conn := connect(t, path)
		defer conn.Close()
		silent = append(silent, conn)
	}
	if _, err := Dial(path).Status(t.Context()); err != nil {
		t.Error(err)
	}
	for i, conn := range silent[:9] {
		if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("connection %d: %v", i, err)
		}
	}
	if status, text := talk(t, silent[len(silent)-1], askStatus); status != 200 {
		t.Errorf("the last one: %d %s", status, text)
	}
}

// A user may have so many requests under way; the next is refused, and says why.
func TestTooManyRequests(t *testing.T) {
	g := newTable(t, game.Config{})
	g.stuck.Store(true)
	piped(t, g.options(t), func(t *testing.T, l *network, _ func()) {
		for range ownRequests {
			conn := l.dialAs("busy")
			defer conn.Close()
			go talk(t, conn, askStatus)
		}
		time.Sleep(answerTime / 2)
		conn := l.dialAs("busy")
		defer conn.Close()
		if status, text := talk(t, conn, askStatus); status != 503 || !strings.Contains(text, "512 requests are under way already, or 256 of yours") {
			t.Errorf("one more: %d %s", status, text)
		}
		g.stuck.Store(false)
		conn = l.dialAs("another")
		defer conn.Close()
		if status, text := talk(t, conn, askStatus); status != 200 {
			t.Errorf("another user: %d %s", status, text)
		}
		time.Sleep(answerTime) // until the others have their answer
	})
}

// However many connections a user has open, and whatever they send, another user is answered at once. Streams
// leave room for short requests.
func TestUserFloods(t *testing.T) {
	for _, sends := range []string{"", "GET /v1/st", askStatus, "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n"} {
		piped(t, newTable(t, game.Config{}).options(t), func(t *testing.T, l *network, _ func()) {
			flood := func(n int) {
				for range n {
					conn := l.dialAs("rude")
					t.Cleanup(func() { conn.Close() })
					go func() { _, _ = io.WriteString(conn, sends) }()
				}
			}
			before := time.Now()
			flood(2 * ownRequests)
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
	piped(t, newTable(t, game.Config{}).options(t), func(t *testing.T, l *network, _ func()) {
		for range ownRequests * 3 / 4 {
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
		return fmt.Errorf("%s: %w", words.Quote(sends), err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil && answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge { // the rest of the head is not read
		return fmt.Errorf("%s: %d %w", words.Quote(sends), answer.StatusCode, err)
	}
	if answer.StatusCode != 503 && answer.StatusCode/100 != kind {
		return fmt.Errorf("%s: %d %s", words.Quote(sends), answer.StatusCode, text)
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
