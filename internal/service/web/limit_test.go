package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// endgame is a request to analyse the end of a full game.
const endgame = `{"moves":"656173566152215676422337377473141445425321","from":38}`

const askEvents = "GET /v1/events HTTP/1.1\r\nHost: 192.168.1.4\r\n\r\n"

// dial opens a connection from an address and sends text.
func (g *table) dial(from, text string) net.Conn {
	g.t.Helper()
	conn, err := g.remote.dial(from)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { conn.Close() })
	go func() { _, _ = io.WriteString(conn, text) }()
	return conn
}

// hostile opens a connection that stays open. Only events are read, because synctest takes a
// [httputil.ReverseProxy] that waits for its peer for a running goroutine.
func (g *table) hostile(from, sends string) {
	if conn := g.dial(from, sends); sends == askEvents {
		go func() { _, _ = io.Copy(io.Discard, conn) }()
	}
}

// An address that opens many connections and never reads the answers does not keep others out,
// and does not slow the game.
func TestFloods(t *testing.T) {
	for _, sends := range []string{"", "GET /v1/ev", askEvents, "GET / HTTP/1.1\r\nHost: 192.168.1.4\r\n\r\n", "POST /v1/press HTTP/1.1\r\nHost: 192.168.1.4\r\nContent-Length: 4000\r\n\r\n{"} {
		synctest.Test(t, func(t *testing.T) {
			g := newTable(t, nil)
			for range 500 {
				g.hostile("192.168.1.66", sends)
			}
			g.remote.from = "192.168.1.20"
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

// paired returns a paired browser at an address.
func (g *table) paired(from string) *http.Client {
	g.remote.from = from
	c := g.browser()
	cookie, err := g.pairings.issue()
	if err != nil {
		g.t.Fatal(err)
	}
	at, _ := url.Parse(g.url)
	c.Jar.SetCookies(at, []*http.Cookie{cookie})
	return c
}

// repeat makes a request over and over, until the context is done. done, unless it is nil, is called
// after each.
func (g *table) repeat(ctx context.Context, c *http.Client, pause time.Duration, method, path, body string, done func()) {
	for ctx.Err() == nil {
		r, _ := http.NewRequestWithContext(ctx, method, g.url+path, strings.NewReader(body))
		r.Header.Set("Origin", g.url)
		r.Header.Set("Content-Type", "application/json")
		if answer, err := c.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			if done != nil {
				done()
			}
		}
		time.Sleep(pause)
	}
}

// Forty connections of strangers at five addresses and thirty busy paired browsers: a paired browser's
// presses are answered at once, the page loads, the joystick works, and connections to the socket are
// left for the user's other programs.
func TestCrowd(t *testing.T) {
	strangers := [][3]string{
		{"POST", "/v1/pair", `{"digit":4}`}, {"GET", "/v1/matches?last=1000"}, {"POST", "/v1/press", left}, {"GET", "/v1/events"},
		{"POST", "/v1/analyse", endgame}, {"GET", "/"}, {"POST", "/v1/seat", `{"seat":"red"}`},
	}
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		g.start()
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 40 {
			g.remote.from = fmt.Sprint("192.168.1.", 66+i%5)
			if kind := i % (len(strangers) + 1); kind < len(strangers) {
				ask := strangers[kind]
				go g.repeat(ctx, g.browser(), time.Millisecond, ask[0], ask[1], ask[2], nil)
			} else {
				g.dial(g.remote.from, "GET /v1/ev") // and no more
			}
		}
		for i := range 30 {
			c := g.paired(fmt.Sprint("192.168.2.", i))
			go g.repeat(ctx, c, time.Second, "GET", "/v1/events", "", nil)
			go g.repeat(ctx, c, 200*time.Millisecond, "POST", "/v1/press", left, nil)
		}
		friend := g.paired("192.168.1.66") // one of the strangers' addresses
		g.remote.from = "192.168.1.20"
		for range 20 {
			time.Sleep(200 * time.Millisecond)
			began := time.Now()
			if answer, text := g.request(friend, "POST", "/v1/press", left); answer.StatusCode != 200 || time.Since(began) > 0 {
				t.Fatalf("a press: %d after %v: %s", answer.StatusCode, time.Since(began), text)
			}
			watcher := g.browser()
			for _, path := range []string{"/", "/app.js", "/style.css"} {
				if answer, text := g.request(watcher, "GET", path, ""); answer.StatusCode != 200 || time.Since(began) > 0 {
					t.Fatalf("%s: %d after %v: %.100s", path, answer.StatusCode, time.Since(began), text)
				}
			}
			watcher.CloseIdleConnections()
			g.keys <- game.Press{Key: game.Left}
			g.until("the key", func(game.View) bool { return true })
			if time.Since(began) > 0 {
				t.Fatalf("a key of the joystick after %v", time.Since(began))
			}
		}
		cancel()
		time.Sleep(time.Minute)
	})
}

// Hundreds of connections from as many addresses do not close a paired browser's connections, nor keep out its
// new ones. Behind a proxy, paired browsers share nothing with the strangers at the same address.
func TestManyAddresses(t *testing.T) {
	for _, sends := range []string{"", askEvents, "GET / HTTP/1.1\r\nHost: 192.168.1.4\r\n\r\n"} {
		for _, from := range []string{"10.0.%d.%d", "192.168.1.20"} {
			synctest.Test(t, func(t *testing.T) {
				g := newTable(t, nil)
				friend := g.paired("192.168.1.20")
				events, _ := http.NewRequestWithContext(t.Context(), "GET", g.url+"/v1/events", nil)
				stream, err := friend.Do(events)
				if err != nil || stream.StatusCode != 200 {
					t.Fatal(stream, err)
				}
				defer stream.Body.Close()
				ended := make(chan error, 1)
				go func() {
					_, err := io.Copy(io.Discard, stream.Body)
					ended <- err
				}()
				for i := range 600 {
					if strings.Contains(from, "%") {
						g.hostile(fmt.Sprintf(from, i/200, i%200), sends)
					} else {
						g.hostile(from, sends)
					}
					time.Sleep(time.Millisecond)
				}
				for _, path := range []string{"/", "/app.js", "/v1/you"} {
					friend.CloseIdleConnections()
					if answer, text := g.request(friend, "GET", path, ""); answer.StatusCode != 200 {
						t.Errorf("%q: %s: %d %.99s", sends, path, answer.StatusCode, text)
					}
				}
				if answer, text := g.request(friend, "POST", "/v1/press", left); answer.StatusCode != 200 {
					t.Errorf("%q: a press: %d %s", sends, answer.StatusCode, text)
				}
				select {
				case err := <-ended:
					t.Errorf("%q: the paired browser's events end: %v", sends, err)
				default:
				}
			})
		}
	}
}

// The page gets a game's discs in the order in which they fell.
func TestAnalysisInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		answer, text := g.request(g.browser(), "POST", "/v1/analyse", endgame)
		var report struct{ Discs []struct{ Ply int } }
		if err := json.Unmarshal([]byte(text), &report); err != nil || answer.StatusCode != 200 {
			t.Fatal(answer.StatusCode, text, err)
		}
		if got := fmt.Sprint(report.Discs); got != "[{39} {40} {41} {42}]" {
			t.Errorf("the plies are %s", got)
		}
	})
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
		time.Sleep(15 * time.Minute)
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

// A stream passes through: the game's current state comes first, then each change, and a heartbeat every five
// seconds. A stranger's headers do not.
func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		in := bufio.NewScanner(g.dial("192.168.1.20", strings.Replace(askEvents, "\r\n", "\r\nC4hat-Token: x\r\nC4hat-Voice: yes\r\n", 1)))
		until := func(begins string) {
			t.Helper()
			for in.Scan() && !strings.HasPrefix(in.Text(), begins) {
			}
			if in.Err() != nil {
				t.Fatal(in.Err())
			}
		}
		until(`data: {"phase":"attract"`)
		g.keys <- game.Press{Key: game.Left}
		until(`data: {"phase":"menu"`)
		_, _ = g.game.Do(t.Context(), game.Start{Setup: game.Setup{Rules: board.Standard, Points: 1}}, game.Source{})
		until(`data: {"phase":"aim"`)
		_, _ = g.game.Do(t.Context(), game.Pause, game.Source{})
		until(`data: {"phase":"pause"`)
		if strings.Contains(in.Text(), `"read"`) {
			t.Errorf("a stranger listens: %.200s", in.Text())
		}
		time.Sleep(time.Second)
		began := time.Now()
		until(":")
		until(":")
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("two heartbeats take %v", took)
		}
	})
}

// A machine with IPv6 has many addresses, but counts as one.
func TestAddressOf(t *testing.T) {
	for from, want := range map[string]string{
		"192.168.1.20": "192.168.1.20", "::ffff:192.168.1.20": "192.168.1.20", "::1": "::1",
		"2001:db8:0:1:a:b:c:d": "2001:db8:0:1::", "2001:db8:0:2::1": "2001:db8:0:2::",
	} {
		if got := addressOf(remote{from: from}); got != want {
			t.Errorf("%s counts as %s, want %s", from, got, want)
		}
	}
}
