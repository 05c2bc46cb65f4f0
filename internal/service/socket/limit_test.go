package socket

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// However many connections a user has open, and whatever they send, another user is answered at once. A few that
// are too many are refused, and the others closed.
func TestUserFloods(t *testing.T) {
	for _, sends := range []string{"", "GET /v1/st", askStatus, askEvents, askLeft} {
		inside(t, nil, func(b *bench) {
			if sends == askLeft { // the game is stuck
				b.before = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
			}
			flood := func(n int) (conns []net.Conn) {
				for range n {
					conn := b.dial("rude", sends)
					go func() { _, _ = bufio.NewReader(conn).ReadString('}') }()
					conns = append(conns, conn)
				}
				return conns
			}
			before := time.Now()
			conns := flood(ownConnections + ownRefused + 9)
			synctest.Wait()
			for i, conn := range conns[ownConnections+ownRefused:] {
				if _, err := conn.Write([]byte("x")); err == nil {
					t.Errorf("%q: connection %d is still open", sends, ownConnections+ownRefused+i)
				}
			}
			if sends == "" {
				conns[ownConnections].Close()
				synctest.Wait()
				if status, text := answer(b.dial("rude", askStatus)); status != 503 {
					t.Errorf("one too many: %d %s", status, text)
				}
			}
			b.before = nil
			for range 20 {
				conn := b.dial("kind", askStatus)
				if status, text := answer(conn); status != 200 {
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
