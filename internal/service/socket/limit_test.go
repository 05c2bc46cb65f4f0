package socket

import (
	"bufio"
	"context"
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
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/words"
)

// However many connections a user has open, and whatever they send, another user is answered at once. The same
// user's newest connection takes the place of the one that has waited longest, and streams leave room for short
// requests; a request too many is refused, and says why.
func TestUserFloods(t *testing.T) {
	stuck := strings.Replace(askStatus, "\r\n", "\r\nC4hat-Person: stuck\r\n", 1)
	for _, tt := range []struct {
		sends string
		conns int
		again string // what the same user asks next
		want  int
		says  string
	}{
		{"", ownWaiting + 9, askStatus, 200, ""},
		{"GET /v1/st", ownWaiting + 9, askStatus, 200, ""},
		{askStatus, ownWaiting + 9, askStatus, 200, ""},
		{askEvents, ownRequests * 3 / 4, askStatus, 200, ""},
		{askEvents, ownRequests * 3 / 4, askEvents, 503, "384 programs are watching, or 192 of yours"},
		{stuck, ownRequests, askStatus, 503, "512 requests are under way, or 256 of yours"},
	} {
		inside(t, nil, func(b *bench) {
			if tt.sends == stuck {
				b.before = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
			}
			flood := func(n int) (conns []net.Conn) {
				for range n {
					conn := b.dial("rude", tt.sends)
					go func() { _, _ = bufio.NewReader(conn).ReadString('}') }()
					conns = append(conns, conn)
				}
				return conns
			}
			before := time.Now()
			conns := flood(tt.conns)
			synctest.Wait()
			if status, text := answer(b.dial("rude", tt.again)); status != tt.want || !strings.Contains(text, tt.says) {
				t.Errorf("%q, then %q: %d %s", tt.sends, tt.again, status, text)
			}
			for i, conn := range conns[:max(0, tt.conns-ownWaiting)] {
				if _, err := conn.Write([]byte("x")); err == nil && tt.sends != askStatus { // of those with an answer, any is the oldest
					t.Errorf("%q: connection %d is still open", tt.sends, i)
				}
			}
			b.before = nil
			for range 20 {
				conn := b.dial("kind", askStatus)
				if status, text := answer(conn); status != 200 {
					t.Fatalf("%q: %d %s", tt.sends, status, text)
				}
				conn.Close()
				flood(5)
			}
			if took := time.Since(before); took > 0 {
				t.Errorf("%q: it took %v", tt.sends, took)
			}
		})
	}
}

// Each user has a pace, and waits for at most half of the client's patience. A flood of users does not take
// memory without limit.
func TestPace(t *testing.T) {
	p := &Share{Limit: 0.1, Burst: 5}
	for n := range 6 {
		err := Wait(t.Context(), p.Pace("hasty"))
		if why, refused := errors.AsType[*Refusal](err); refused != (n == 5) || refused && why.Status != http.StatusTooManyRequests {
			t.Errorf("request %d: %v", n, err)
		}
	}
	if err := Wait(t.Context(), p.Pace("calm")); err != nil {
		t.Errorf("another user: %v", err)
	}
	for i := range 10 * maxUsers {
		p.Pace(fmt.Sprint(i))
	}
	if len(p.users) > maxUsers+1 {
		t.Errorf("%d users", len(p.users))
	}
}

// Two hundred clients make five thousand requests, most of them bad: each gets the right
// kind of answer, and no goroutine, file or memory leaks.
func TestStorm(t *testing.T) {
	_, path := outside(t, nil)
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
	before := settled(weight{goroutines: 9, descriptors: 1 << 20, heap: 1 << 40})
	storm(count)
	after := settled(weight{before.goroutines, before.descriptors, before.heap + 1<<20})
	t.Logf("before %+v, after %+v", before, after)
	if after.goroutines > before.goroutines || after.descriptors > before.descriptors || after.heap > before.heap+1<<20 {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if _, err := Dial(path).Status(t.Context()); err != nil {
		t.Errorf("after the storm: %v", err)
	}
}

type weight struct {
	goroutines, descriptors int
	heap                    uint64
}

// settled waits for at most a minute until the process holds no more than most, and returns what it
// holds.
func settled(most weight) (w weight) {
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		for range 3 { // a sync.Pool is emptied by the second collection
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		files, _ := os.ReadDir("/proc/self/fd")
		w = weight{runtime.NumGoroutine(), len(files), m.HeapAlloc}
		if w.goroutines <= most.goroutines && w.descriptors <= most.descriptors && w.heap <= most.heap || time.Now().After(until) {
			return w
		}
	}
}

// gust makes one random request on its own connection. It returns an error if the answer
// is of the wrong kind.
func gust(rng *rand.Rand, path string) error {
	conn, err := net.Dial("unix", path)
	for err != nil && strings.Contains(err.Error(), "temporarily unavailable") { // the listener's backlog is full
		time.Sleep(time.Millisecond)
		conn, err = net.Dial("unix", path)
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute))
	noise := make([]byte, 1+rng.IntN(2000)) // neither a request nor JSON
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	garbage := "\x01" + string(noise)
	bodies := []string{`{"key":"left"}`, `{"column":3}`, `{"column":99}`, `{"key":"left","x":1}`, strings.Repeat("[", MaxBody),
		strings.Repeat("x", MaxBody+1+rng.IntN(100000)), garbage, ""}
	n := rng.IntN(len(bodies))
	sends, kind := fmt.Sprintf(askPress+"Content-Length: %d\r\n\r\n%s", len(bodies[n]), bodies[n]), 4
	if n < 2 {
		kind = 2
	}
	switch rng.IntN(10) {
	case 0:
		sends, kind = askStatus, 2
	case 1:
		sends, kind = garbage+"\r\n\r\n", 4
	case 2:
		sends, kind = "GET /"+strings.Repeat("y", rng.IntN(30000))+" HTTP/1.1\r\nHost: x\r\n\r\n", 4
	case 3:
		sends, kind = askPast, 2
	case 4: // disconnects halfway
		_, _ = io.WriteString(conn, sends[:rng.IntN(len(sends))])
		return nil
	case 5: // never reads
		_, _ = io.WriteString(conn, strings.Repeat(askStatus, 50))
		return nil
	case 6: // reads events for a moment
		_, _ = io.WriteString(conn, askEvents)
		return nil
	}
	go func() { _, _ = io.WriteString(conn, sends) }()
	status, text := answer(conn)
	if status != 503 && status/100 != kind {
		return fmt.Errorf("%s: %d %s", words.Quote(sends), status, text)
	}
	return nil
}
