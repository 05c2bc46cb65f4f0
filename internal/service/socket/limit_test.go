package socket

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// However many connections a user has open, and whatever they send, another user is answered at once. The same
// user's newest connection takes the place of the one that has waited longest; a request too many is refused, and
// says why.
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
		{askEvents, ownRequests, askStatus, 503, "512 requests are under way, or 256 of yours"},
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
