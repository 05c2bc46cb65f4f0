package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

const askEvents = "GET /v1/events HTTP/1.1\r\nHost: 192.168.1.4\r\n\r\n"

// dial opens a connection from an address and sends text.
func (g *table) dial(from, text string) net.Conn {
	g.t.Helper()
	g.remote.from.Store(from)
	conn, err := g.remote.Dial(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { conn.Close() })
	go func() { _, _ = io.WriteString(conn, text) }()
	return conn
}

// An address that opens many connections and never reads the answers does not keep others out,
// and does not slow the game.
func TestFloods(t *testing.T) {
	for _, sends := range []string{"", "GET /v1/ev", askEvents, "GET / HTTP/1.1\r\nHost: 192.168.1.4\r\n\r\n", "POST /v1/press HTTP/1.1\r\nHost: 192.168.1.4\r\nContent-Length: 4000\r\n\r\n{"} {
		synctest.Test(t, func(t *testing.T) {
			g := newTable(t, nil)
			for range 500 {
				g.dial("192.168.1.66", sends)
			}
			g.remote.from.Store("192.168.1.20")
			for range 20 {
				before := time.Now()
				answer, text := g.request(g.browser(), "GET", "/", "")
				if answer.StatusCode != 200 || time.Since(before) > 0 {
					t.Fatalf("%q: %d after %v: %.100s", sends, answer.StatusCode, time.Since(before), text)
				}
				if _, err := g.game.Do(t.Context(), game.Press{Key: game.Left}, game.Source{}); err != nil || time.Since(before) > 0 {
					t.Fatalf("%q: a key after %v, %v", sends, time.Since(before), err)
				}
			}
		})
	}
}

// The server stops after the idle time without a request. An open stream of events keeps it
// running.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		g := newTable(t, func(o *Options) { o.Idle = 10 * time.Minute })
		time.Sleep(9 * time.Minute)
		conn := g.dial("192.168.1.20", askEvents)
		go func() { _, _ = io.Copy(io.Discard, conn) }()
		time.Sleep(time.Hour)
		select {
		case err := <-g.ended:
			t.Fatalf("ended while somebody watches, %v", err)
		default:
		}
		conn.Close()
		closed := time.Since(began)
		if err := <-g.ended; err != nil || (time.Since(began)-closed).Round(time.Minute) != 10*time.Minute {
			t.Errorf("ended %v after the last one, %v", time.Since(began)-closed, err)
		}
		g.ended <- nil
	})
}

// While nothing changes, a stream sends a keep-alive every thirty seconds and nothing else.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		g.start()
		synctest.Wait() // for the panels to show the match
		in := bufio.NewScanner(g.dial("192.168.1.20", askEvents))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour+time.Second)
		defer cancel()
		counts := map[string]int{}
		lines := make(chan string)
		go func() {
			for in.Scan() {
				lines <- in.Text()
			}
			close(lines)
		}()
		for ctx.Err() == nil {
			select {
			case line := <-lines:
				if kind, ok := strings.CutPrefix(line, "event: "); ok {
					counts[kind]++
				} else if strings.HasPrefix(line, "data: {\"phase\"") {
					counts["state"]++
				}
			case <-ctx.Done():
			}
		}
		if got := fmt.Sprint(counts); got != "map[alive:120 state:1 you:1]" {
			t.Errorf("in an hour: %s", got)
		}
		go func() { // so that the scanner ends
			for range lines {
			}
		}()
	})
}
