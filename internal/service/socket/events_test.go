package socket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/dev/pipes"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/session"
)

// follow requests events, reads the answer's head, and returns a reader of the events.
func follow(t *testing.T, conn net.Conn) *bufio.Reader {
	t.Helper()
	if _, err := io.WriteString(conn, "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	for {
		line, err := r.ReadString('\n')
		must(t, err)
		if strings.HasPrefix(line, "HTTP/1.1 ") && !strings.Contains(line, "200 OK") {
			t.Fatal(line)
		}
		if line == "\r\n" {
			return r
		}
	}
}

// next reads the next event.
func next(t *testing.T, r *bufio.Reader) game.View {
	t.Helper()
	v, err := nextView(r)
	must(t, err)
	return v
}

func nextView(r *bufio.Reader) (game.View, error) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return game.View{}, err
		}
		doc, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var s api.State
		if err := json.Unmarshal([]byte(doc), &s); err != nil {
			return game.View{}, err
		}
		return s.Shown()
	}
}

// watched runs a game and its server in a synctest bubble, and calls play.
func watched(t *testing.T, play func(s *Server, g *table, l *network)) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, game.Config{})
		s := New(g.options(t))
		s.user = func(conn net.Conn) string { return conn.RemoteAddr().String() }
		l := &network{Listener: pipes.New(), t: t}
		end := run(t, s, l)
		defer end()
		play(s, g, l)
	})
}

// A reader gets the current state first, then every change once, and nothing else.
func TestEvents(t *testing.T) {
	watched(t, func(s *Server, g *table, l *network) {
		conn := l.dial()
		defer conn.Close()
		_, _ = g.do(t.Context(), game.Column{Col: 3})
		events := follow(t, conn)
		want := g.view()
		if v := next(t, events); v != want {
			t.Errorf("first comes %+v, want %+v", v, want)
		}
		for range 5 {
			want, _ = g.do(t.Context(), game.Press{Key: game.Left})
			if v := next(t, events); v != want {
				t.Errorf("%+v, want %+v", v, want)
			}
		}
		// A reader is not dropped if nothing happens for a day.
		got := make(chan game.View, 1)
		go func() {
			v, _ := nextView(events)
			got <- v
		}()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		select {
		case v := <-got:
			t.Errorf("%+v without a change", v)
		default:
		}
		want, _ = g.do(t.Context(), game.Press{Key: game.Left})
		if v := <-got; v != want {
			t.Errorf("after a day: %+v, want %+v", v, want)
		}
	})
}

// The pause screen offers to read the board while a voice has a stream open, however that ends.
func TestVoice(t *testing.T) {
	watched(t, func(_ *Server, g *table, l *network) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, _ = g.do(ctx, game.Pause)
		offers := func() bool { return slices.Contains(g.view().Choices.All(), "read") }
		var conns []net.Conn
		client := Connect("here", func(context.Context, string, string) (net.Conn, error) {
			conns = append(conns, l.dial())
			return conns[len(conns)-1], nil
		})
		for _, c := range []*Client{client, client.Voice(), client.Voice()} {
			next, stop := iter.Pull2(c.Events(ctx))
			defer stop()
			if _, err, _ := next(); err != nil {
				t.Fatal(err)
			}
			if voices := len(conns) - 1; offers() != (voices > 0) {
				t.Errorf("with %d voices: %q", voices, g.view().Choices.All())
			}
		}
		conns[1].Close()
		synctest.Wait()
		if !offers() {
			t.Error("a voice is left, and nothing to read")
		}
		conns[2].Close()
		synctest.Wait()
		if offers() {
			t.Error("nobody listens any more")
		}
	})
}

// A client gives up a service that does not come back within ten seconds. A voice waits for it, and
// seldom tries.
func TestServiceAway(t *testing.T) {
	for _, voice := range []bool{false, true} {
		watched(t, func(_ *Server, g *table, l *network) {
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			var conn net.Conn
			var back time.Time
			tries := 0
			c := Connect("here", func(context.Context, string, string) (net.Conn, error) {
				if tries++; time.Now().Before(back) {
					return nil, net.ErrClosed
				}
				conn = l.dial()
				return conn, nil
			})
			if voice {
				c = c.Voice()
			}
			next, stop := iter.Pull2(c.Views(ctx))
			defer stop()
			lose := func() {
				_, _ = g.do(ctx, game.Press{Key: game.Left})
				_, _, _ = next()
				back = time.Now().Add(time.Hour)
				conn.Close()
				if v, err, _ := next(); !v.Lost || err != nil {
					t.Fatalf("lost: %v, %v", v.Lost, err)
				}
			}
			lose()
			began := time.Now()
			if !voice {
				if _, err, _ := next(); err == nil || time.Since(began) < awayTime || time.Since(began) > awayTime+retryTime {
					t.Errorf("%v after %v", err, time.Since(began))
				}
				return
			}
			tries = 0
			v, err, _ := next()
			if late := time.Since(began) - time.Hour; err != nil || v.Lost || late < 0 || late > retryTime {
				t.Errorf("back: %v, %v, %v late", v.Lost, err, late)
			}
			if tries > int(time.Hour/retryTime)+20 {
				t.Errorf("%d tries in an hour", tries)
			}
			lose()
			time.AfterFunc(time.Minute, func() { cancel(session.ErrInterrupted) })
			began = time.Now()
			if _, err, _ := next(); !errors.Is(err, session.ErrInterrupted) || time.Since(began) != time.Minute {
				t.Errorf("Ctrl-C ends the wait with %v after %v", err, time.Since(began))
			}
		})
	}
}

// A stopped reader is dropped after ten seconds, and one that disconnects at once, even if nothing changes. The
// game never waits, and another reader gets the last view.
func TestSlowReaders(t *testing.T) {
	watched(t, func(s *Server, g *table, l *network) {
		good, slow, gone := l.dial(), l.dial(), l.dial()
		defer good.Close()
		defer slow.Close()
		events := follow(t, good)
		_ = next(t, events)
		_ = next(t, follow(t, slow))
		_ = next(t, follow(t, gone))
		gone.Close()
		synctest.Wait()
		before := time.Now()
		for range 200 {
			want, _ := g.do(t.Context(), game.Press{Key: game.Left})
			for v := next(t, events); v != want; v = next(t, events) {
			}
		}
		if time.Since(before) != 0 {
			t.Errorf("the game took %v", time.Since(before))
		}
		if n := s.streams.count(); n != 2 {
			t.Errorf("%d readers before the deadline", n)
		}
		go func() { _, _ = io.Copy(io.Discard, events) }()
		time.Sleep(readTime)
		synctest.Wait()
		if n := s.streams.count(); n != 1 {
			t.Errorf("%d readers are kept, want the good one", n)
		}
	})
}

// count returns how many places are taken.
func (p *Places) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}

// Every five seconds a stream tells the time on the server's clock, which a press may name as its limit.
func TestHeartbeats(t *testing.T) {
	watched(t, func(s *Server, g *table, l *network) {
		conn := l.dial()
		defer conn.Close()
		r := follow(t, conn)
		beat := func() (at int64) {
			for {
				line, err := r.ReadString('\n')
				must(t, err)
				if n, _ := fmt.Sscanf(line, ": %d", &at); n == 1 {
					return at
				}
			}
		}
		first := beat()
		if second := beat(); second-first != heartbeat.Milliseconds() {
			t.Errorf("%d and then %d", first, second)
		}
		for until, status := range map[int64]int{first: 503, first + 10_000: 200} {
			press := fmt.Sprintf("POST /v1/press HTTP/1.1\r\nHost: x\r\nC4hat-Until: %d\r\nContent-Length: 14\r\n\r\n{\"key\":\"left\"}", until)
			if got, text := talk(t, l.dial(), press); got != status {
				t.Errorf("until %d: %d %s", until, got, text)
			}
		}
	})
}
