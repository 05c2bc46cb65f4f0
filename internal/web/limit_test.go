package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/game"
)

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

// An address that opens many connections and never reads the answers does not keep others out,
// and does not slow the game.
func TestFloods(t *testing.T) {
	for _, sends := range []string{"", "GET /v1/ev", askEvents, "GET / HTTP/1.1\r\nHost: 192.168.1.4\r\n\r\n", "POST /v1/press HTTP/1.1\r\nHost: 192.168.1.4\r\nContent-Length: 4000\r\n\r\n{"} {
		synctest.Test(t, func(t *testing.T) {
			g := newTable(t, nil)
			for range 500 {
				g.dial("192.168.1.66", sends)
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
		{"POST", "/v1/analyse", analyse(36)}, {"GET", "/"}, {"POST", "/v1/seat", `{"seat":"red"}`},
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
		if most := g.most.Load(); most > 9 {
			t.Errorf("%d connections to the socket", most)
		}
		cancel()
		time.Sleep(time.Minute)
	})
}

// Hundreds of slow connections from as many addresses do not keep out a page, nor close a paired
// browser's connections.
func TestManyAddresses(t *testing.T) {
	for _, sends := range []string{"", askEvents, "GET / HTTP/1.1\r\nHost: 192.168.1.4\r\n\r\n"} {
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
				g.dial(fmt.Sprintf("10.0.%d.%d", i/200, i%200), sends)
				time.Sleep(5 * time.Millisecond)
			}
			synctest.Wait()
			g.remote.from = "192.168.1.21"
			for _, path := range []string{"/", "/app.js", "/v1/events"} {
				conn := g.dial("192.168.1.21", "GET "+path+" HTTP/1.1\r\nHost: 192.168.1.4\r\n\r\n")
				answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil || answer.StatusCode != 200 {
					t.Errorf("%q: %s: %v, %v", sends, path, answer, err)
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

// analyse returns a request to analyse a full game from a ply on.
func analyse(from int) string {
	return fmt.Sprintf(`{"moves":"656173566152215676422337377473141445425321","from":%d}`, from)
}

// slow is an analyst who takes 10 ms for a disc.
type slow struct{ done int }

func (a *slow) Discs(ctx context.Context, g board.Game, from int) iter.Seq2[analysis.Disc, error] {
	return func(yield func(analysis.Disc, error) bool) {
		for range len(g.String()) - from {
			a.done++
			if time.Sleep(10 * time.Millisecond); !yield(analysis.Disc{}, ctx.Err()) || ctx.Err() != nil {
				return
			}
		}
	}
}

// Strangers who have long games analysed delay a short one only by turns, and whoever leaves is
// analysed no further.
func TestAnalyses(t *testing.T) {
	for strangers, turns := range map[int]int{0: 8, 1: 8*2 + 1, 30: 8*6 + 1} { // the thirty are at five addresses
		synctest.Test(t, func(t *testing.T) {
			g := newTable(t, nil)
			a := new(slow)
			g.server.analysts[false].make = func() discs { return a }
			ctx, cancel := context.WithCancel(t.Context())
			for i := range strangers {
				g.remote.from = fmt.Sprint("192.168.1.", 66+i%5)
				go g.repeat(ctx, g.browser(), 0, "POST", "/v1/analyse", analyse(0), nil)
			}
			time.Sleep(time.Minute)
			g.remote.from = "192.168.1.20"
			began := time.Now()
			answer, text := g.request(g.browser(), "POST", "/v1/analyse", analyse(34)) // eight discs, and as many pauses
			if took := time.Since(began); answer.StatusCode != 200 || took > time.Duration(turns)*20*time.Millisecond {
				t.Errorf("%d strangers: %d %.99s after %v", strangers, answer.StatusCode, text, took)
			}
			cancel()
			time.Sleep(time.Second)
			synctest.Wait()
			done := a.done
			time.Sleep(time.Minute)
			synctest.Wait()
			if a.done > done || strangers > 0 && done < 1000 || g.server.analysts[false].discs != nil {
				t.Errorf("%d strangers: %d discs, and %d after they have left", strangers, done, a.done-done)
			}
		})
	}
}

// The page gets a game's discs in the order in which they fell.
func TestAnalysisInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		answer, text := g.request(g.browser(), "POST", "/v1/analyse", analyse(38))
		var report struct{ Discs []struct{ Ply int } }
		if err := json.Unmarshal([]byte(text), &report); err != nil || answer.StatusCode != 200 {
			t.Fatal(answer.StatusCode, text, err)
		}
		if got := fmt.Sprint(report.Discs); got != "[{39} {40} {41} {42}]" {
			t.Errorf("the plies are %s", got)
		}
	})
}

// A made-up token takes no place of a browser that holds a seat.
func TestMadeUpTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		for range ownStreams {
			in := bufio.NewScanner(g.dial("192.168.1.66", strings.Replace(askEvents, "\r\n", "\r\nC4hat-Token: x\r\n", 1)))
			for in.Scan() && !strings.HasPrefix(in.Text(), `data: {"phase"`) {
			}
		}
		if n := len(g.server.seated); n > 0 {
			t.Errorf("%d places are taken", n)
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

// While nothing changes, a stream sends a heartbeat every two seconds and nothing else. Without a stream,
// the game is asked nothing.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		g.start()
		synctest.Wait() // for the panels to show the match
		events, leave := g.stream()
		time.Sleep(time.Hour + time.Second)
		leave()
		synctest.Wait()
		asked := g.asked.Load()
		time.Sleep(time.Hour)
		if n := g.asked.Load() - asked; n > 0 {
			t.Errorf("asked %d times for nobody", n)
		}
		counts := map[string]int{}
		for len(events) > 0 {
			kind, _, _ := strings.Cut(<-events, " ")
			counts[kind[:min(8, len(kind))]]++
		}
		if got := fmt.Sprint(counts); got != "map[alive:1800 you:1 {\"phase\":1]" {
			t.Errorf("in an hour: %s", got)
		}
	})
}

// A machine with IPv6 has many addresses, but counts as one.
func TestAddressOf(t *testing.T) {
	for from, want := range map[string]string{
		"192.168.1.20": "192.168.1.20", "::ffff:192.168.1.20": "192.168.1.20", "::1": "::1",
		"2001:db8:0:1:a:b:c:d": "2001:db8:0:1::", "2001:db8:0:2::1": "2001:db8:0:2::",
	} {
		if got := addressOf(remote{from: from}).String(); got != want {
			t.Errorf("%s counts as %s, want %s", from, got, want)
		}
	}
}
