package socket

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
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

// Two hundred clients make five thousand requests, most of them bad: each gets the right kind of answer, and
// nothing is left of them.
func TestStorm(t *testing.T) {
	inside(t, nil, func(b *bench) {
		var clients sync.WaitGroup
		for i := range 200 {
			rng := rand.New(rand.NewPCG(uint64(i), 3))
			clients.Go(func() {
				for range 25 {
					b.gust(rng)
				}
			})
		}
		clients.Wait()
		time.Sleep(readTime)
		if status, text := answer(b.dial("a", askStatus)); status != 200 {
			t.Errorf("after the storm: %d %s", status, text)
		}
		synctest.Wait()
		if n := b.server.requests.count() + b.server.streams.count(); n > 0 {
			t.Errorf("%d requests are still under way", n)
		}
	}) // which waits for all goroutines
}

// gust makes one random request on its own connection.
func (b *bench) gust(rng *rand.Rand) {
	noise := make([]byte, 1+rng.IntN(2000))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	garbage := "\x01" + string(noise) // neither a request nor JSON
	body, kind := `{"key":"left"}`, 2 // of the answer's status, in hundreds
	if rng.IntN(3) > 0 {
		bad := []string{`{"column":99}`, `{"x":1}`, strings.Repeat("[", MaxBody), strings.Repeat("x", MaxBody+1+rng.IntN(100000)), garbage}
		body, kind = bad[rng.IntN(len(bad))], 4
	}
	sends := fmt.Sprintf(askPress+"Content-Length: %d\r\n\r\n%s", len(body), body)
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
		sends, kind = sends[:rng.IntN(len(sends))], 0
	case 5: // never reads
		sends, kind = strings.Repeat(askStatus, 50), 0
	case 6: // reads events for a moment
		sends, kind = askEvents, 0
	}
	conn := b.dial("a", sends)
	defer conn.Close()
	if kind == 0 {
		time.Sleep(time.Duration(rng.IntN(2000)) * time.Millisecond)
	} else if status, text := answer(conn); status != 503 && status/100 != kind {
		b.t.Errorf("%s: %d %s", words.Quote(sends), status, text)
	}
}
