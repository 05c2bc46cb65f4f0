package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// What a hostile peer sends on a connection, and no more.
const (
	askEvents = "GET /v1/events HTTP/1.1\r\nHost: 192.168.1.4\r\n\r\n"
	askFile   = "GET / HTTP/1.1\r\nHost: 192.168.1.4\r\n\r\n"
	half      = "GET /v1/ev"
	halfPress = "POST /v1/press HTTP/1.1\r\nHost: 192.168.1.4\r\nContent-Length: 4000\r\n\r\n{"
)

// read reads from a peer until the connection ends.
func read(from io.Reader) (ended chan error) {
	ended = make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, from)
		ended <- err
	}()
	return ended
}

// at checks that something is done without waiting.
func (g *table) at(once string, do func()) {
	g.t.Helper()
	began := time.Now()
	do()
	if took := time.Since(began); took > 0 {
		g.t.Fatalf("%s after %v", once, took)
	}
}

// key presses a key of the joystick.
func (g *table) key() {
	g.t.Helper()
	shown := len(g.Views())
	if g.Press(game.Press{Key: game.Left}); len(g.Views()) == shown {
		g.t.Error("a key has no effect")
	}
}

// Six hundred connections that stay open, from one address or from as many, do not slow the game and keep no
// paired browser waiting, old or new. Those from one address do not keep out strangers at another one. Only events are read, because synctest takes a [httputil.ReverseProxy] that waits for its peer
// for a running goroutine.
func TestFloods(t *testing.T) {
	for _, sends := range []string{"", half, halfPress, askFile, askEvents} {
		for _, from := range []string{tablet, "10.0.%d.%d"} {
			synctest.Test(t, func(t *testing.T) {
				g := newTable(t, nil)
				friend := g.paired(phone)
				events, err := send(t.Context(), friend, stream)
				must(t, err)
				defer events.Body.Close()
				ended := read(events.Body)
				for i := range 600 {
					address := from
					if from != tablet {
						address = fmt.Sprintf(from, i/200, i%200)
					}
					if conn := g.dial(address, sends); sends == askEvents {
						read(conn)
					}
				}
				g.at("the page", func() {
					for _, path := range []string{"/", "/app.js", "/v1/you"} {
						g.want(200, friend, "GET "+path)
						friend.CloseIdleConnections()
					}
				})
				g.at("a press", func() { g.want(200, friend, left) })
				g.at("a key", g.key)
				if from == tablet {
					g.at("a stranger's page", func() { g.want(200, g.browser(phone), askPage) })
				}
				select {
				case err := <-ended:
					t.Errorf("%q from %s: the paired browser's events end: %v", sends, from, err)
				default:
				}
			})
		}
	}
}

// Who has too many requests under way is told so.
func TestTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		for range ownRequests {
			read(g.dial(tablet, askEvents))
		}
		synctest.Wait()
		if text := g.want(503, g.browser(tablet), askPage); !strings.Contains(text, "too many") {
			t.Error(text)
		}
		g.want(200, g.browser(phone), askPage)
	})
}

// repeat makes a request over and over, until the context is done. If it is brief, nothing of the answer is read.
func repeat(ctx context.Context, c *http.Client, pause time.Duration, request string, brief bool) {
	for ctx.Err() == nil {
		if answer, err := send(ctx, c, request); err == nil {
			if !brief {
				_, _ = io.Copy(io.Discard, answer.Body)
			}
			answer.Body.Close()
		}
		time.Sleep(pause)
	}
}

// Busy strangers, forty connections at five addresses or streams that begin and end at sixty, and thirty busy
// paired browsers: a paired browser's presses are answered at once, the page loads, and the joystick works.
func TestCrowd(t *testing.T) {
	for _, crowd := range []struct {
		connections, addresses int
		requests               []string
		brief                  bool
	}{
		{40, 5, []string{
			askPair, "GET /v1/matches?last=1000", left, stream, askPage, `POST /v1/seat {"seat":"red"}`,
			`POST /v1/analyse {"moves":"656173566152215676422337377473141445425321","from":38}`, "",
		}, false},
		{60, 60, []string{stream}, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			g := newTable(t, nil)
			g.start()
			ctx, cancel := context.WithCancel(t.Context())
			for i := range crowd.connections {
				from := fmt.Sprint("192.168.1.", 66+i%crowd.addresses)
				if request := crowd.requests[i%len(crowd.requests)]; request != "" {
					go repeat(ctx, g.browser(from), time.Millisecond, request, crowd.brief)
				} else {
					g.dial(from, half)
				}
			}
			for i := range 30 {
				c := g.paired(fmt.Sprint("192.168.2.", i))
				go repeat(ctx, c, time.Second, stream, false)
				go repeat(ctx, c, 200*time.Millisecond, left, false)
			}
			friend := g.paired("192.168.1.66") // one of the strangers' addresses
			for range 20 {
				time.Sleep(200 * time.Millisecond)
				g.at("a press", func() { g.want(200, friend, left) })
				watcher := g.browser(phone)
				g.at("the page", func() {
					for _, path := range []string{"/", "/app.js", "/style.css"} {
						g.want(200, watcher, "GET "+path)
					}
				})
				watcher.CloseIdleConnections()
				g.at("a key", g.key)
			}
			cancel()
			time.Sleep(time.Minute)
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
		conn := g.dial(phone, askEvents)
		read(conn)
		time.Sleep(15 * time.Minute)
		conn.Close()
		must(t, <-g.ended)
		if took := time.Since(began).Round(time.Minute); took != 34*time.Minute {
			t.Errorf("ended after %v", took)
		}
	})
}

// A stream passes through: the game's current state comes first, then each change, and heartbeats. A stranger's
// headers do not.
func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		in := bufio.NewScanner(g.dial(phone, strings.Replace(askEvents, "\r\n", "\r\nC4hat-Token: x\r\nC4hat-Voice: yes\r\n", 1)))
		until := func(begins string) {
			t.Helper()
			for !strings.HasPrefix(in.Text(), begins) {
				if !in.Scan() {
					t.Fatalf("no %s: %v", begins, in.Err())
				}
			}
		}
		until(`data: {"phase":"attract"`)
		g.start()
		until(`data: {"phase":"aim"`)
		_, err := g.game.As(game.Source{}).Do(t.Context(), game.Pause)
		must(t, err)
		until(`data: {"phase":"pause"`)
		if strings.Contains(in.Text(), `"read"`) {
			t.Errorf("a stranger listens: %.200s", in.Text())
		}
		time.Sleep(10 * time.Second)
		until(":")
	})
}

// Each paired browser is a person of its own, on whichever connection its requests pass: one may drop a disc right
// after another's.
func TestPersons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		g.start()
		one, two := g.paired(phone), g.paired(phone)
		for _, press := range []struct {
			by           *http.Client
			column, want string
		}{{one, "1", "1"}, {two, "2", "12"}, {two, "3", "12"}, {one, "4", "124"}} {
			g.want(200, press.by, `POST /v1/press {"column":`+press.column+`}`)
			if time.Sleep(300 * time.Millisecond); g.Last().Game.String() != press.want {
				t.Errorf("after column %s: %s, want %s", press.column, g.Last().Game, press.want)
			}
		}
	})
}

// A machine with IPv6 has many addresses, but counts as one.
func TestAddressOf(t *testing.T) {
	for address, want := range map[string]string{
		"192.168.1.20:1": "192.168.1.20", "[::ffff:192.168.1.20]:1": "192.168.1.20", "[::1]:1": "::",
		"[2001:db8:0:1:a:b:c:d]:1": "2001:db8:0:1::", "[2001:db8:0:2::1]:1": "2001:db8:0:2::", "[fe80::1%eth0]:1": "fe80::",
	} {
		if got := addressOf(from{addr: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))}); got != want {
			t.Errorf("%s counts as %s, want %s", address, got, want)
		}
	}
}

// from is a connection from an address.
type from struct {
	net.Conn
	addr net.Addr
}

func (f from) RemoteAddr() net.Addr { return f.addr }
