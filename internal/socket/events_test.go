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

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/httplimit"
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
func watched(t *testing.T, play func(s *Server, g *table, l *pipes)) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, game.Config{})
		s := New(g.options(t))
		g.show = s.Show
		l := newPipes()
		end := run(t, s, l)
		defer end()
		play(s, g, l)
	})
}

// A reader gets the current state first, then every change once, and nothing else.
func TestEvents(t *testing.T) {
	watched(t, func(s *Server, g *table, l *pipes) {
		conn := l.dial()
		defer conn.Close()
		_, _ = g.do(t.Context(), game.Column{Col: 3})
		events := follow(t, conn)
		want := g.view()
		if v := next(t, events); v != want {
			t.Errorf("first comes %+v, want %+v", v, want)
		}
		for range 5 {
			_ = s.Show(want, true) // repeated for the HAT, not for readers
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
	watched(t, func(_ *Server, g *table, l *pipes) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, _ = g.do(ctx, game.Pause)
		offers := func() bool { return slices.Contains(g.view().Choices.All(), "read") }
		var conns []net.Conn
		client := Connect(func(context.Context) (net.Conn, error) {
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
		watched(t, func(_ *Server, g *table, l *pipes) {
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			var conn net.Conn
			var back time.Time
			tries := 0
			c := Connect(func(context.Context) (net.Conn, error) {
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
				if _, err, _ := next(); err == nil || time.Since(began) < awayTime || time.Since(began) > awayTime+lastRetry {
					t.Errorf("%v after %v", err, time.Since(began))
				}
				return
			}
			tries = 0
			v, err, _ := next()
			if late := time.Since(began) - time.Hour; err != nil || v.Lost || late < 0 || late > lastRetry {
				t.Errorf("back: %v, %v, %v late", v.Lost, err, late)
			}
			if tries > int(time.Hour/lastRetry)+20 {
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

// While nothing changes, no timer runs, not even that of a write deadline.
func TestQuietStreamHasNoTimer(t *testing.T) {
	watched(t, func(s *Server, g *table, l *pipes) {
		conn := l.dial()
		defer conn.Close()
		_ = next(t, follow(t, conn))
		synctest.Wait()
		if deadline := l.last.deadline.Load(); deadline != 0 {
			t.Errorf("a deadline is set while nothing is written")
		}
	})
}

// A reader that stops reading is dropped when its queue is full or one write takes too
// long. The game never waits, and other readers miss nothing.
func TestSlowReaders(t *testing.T) {
	watched(t, func(s *Server, g *table, l *pipes) {
		good, slow, never := l.dial(), l.dial(), l.dial()
		defer good.Close()
		defer slow.Close()
		defer never.Close()
		events := follow(t, good)
		_ = next(t, events)
		late := follow(t, slow)
		_ = next(t, late)
		_ = follow(t, never)
		synctest.Wait()
		if n := s.readers.Count(); n != 3 {
			t.Fatalf("%d readers", n)
		}

		// Show more views than the queue holds. The clock does not advance meanwhile, so Show
		// cannot have waited for a deadline.
		before := time.Now()
		for i := range 3 * httplimit.Backlog {
			key := game.Left
			if i%7 == 0 {
				key = game.Right
			}
			want, _ := g.do(t.Context(), game.Press{Key: key})
			if v := next(t, events); v != want {
				t.Fatalf("the good reader gets %+v, want %+v", v, want)
			}
		}
		if time.Since(before) != 0 {
			t.Errorf("the game took %v", time.Since(before))
		}
		synctest.Wait()
		if n := s.readers.Count(); n != 1 {
			t.Errorf("%d readers are kept, want the good one", n)
		}
		time.Sleep(2 * patience)
		synctest.Wait()
		for stranger := range maxStreams - 1 {
			if s.streams.Take(stranger, nil) == nil {
				t.Errorf("%d streams are open, want the good one's", maxStreams-stranger)
				break
			}
		}
		// The slow reader gets the events up to some point and then the end of the stream, so it
		// misses none in between.
		for range httplimit.Backlog + 2 {
			if _, err := nextView(late); err != nil {
				return
			}
		}
		t.Error("the slow reader still gets events")
	})
}

// A reader that does not take a write within five seconds is dropped.
func TestStoppedReader(t *testing.T) {
	watched(t, func(s *Server, g *table, l *pipes) {
		conn := l.dial()
		defer conn.Close()
		events := follow(t, conn)
		_ = next(t, events)
		_, _ = g.do(t.Context(), game.Press{Key: game.Left})
		time.Sleep(patience - time.Millisecond)
		synctest.Wait()
		if n := s.readers.Count(); n != 1 {
			t.Errorf("%d readers before the deadline", n)
		}
		time.Sleep(2 * patience)
		synctest.Wait()
		if n := s.readers.Count() + s.readers.Count(); n != 0 {
			t.Errorf("%d readers and streams after the deadline", n)
		}
	})
}

// A reader that disconnects is removed even if nothing changes.
func TestDisconnectedReader(t *testing.T) {
	watched(t, func(s *Server, g *table, l *pipes) {
		conn := l.dial()
		_ = next(t, follow(t, conn))
		conn.Close()
		synctest.Wait()
		if n := s.readers.Count() + s.readers.Count(); n != 0 {
			t.Errorf("%d readers and streams are left", n)
		}
	})
}

// A reader that joins between two views gets neither the older one after the newer, nor the newer
// one twice.
func TestEventsDoNotGoBack(t *testing.T) {
	watched(t, func(s *Server, g *table, l *pipes) {
		g.show = nil
		older, _ := g.do(t.Context(), game.Press{Key: game.Left})
		newer, _ := g.do(t.Context(), game.Press{Key: game.Left})
		conn := l.dial()
		defer conn.Close()
		events := follow(t, conn)
		if v := next(t, events); v != newer {
			t.Errorf("first comes %+v", v)
		}
		_ = s.Show(older, false)
		_ = s.Show(newer, false)
		want, _ := g.do(t.Context(), game.Press{Key: game.Left})
		_ = s.Show(want, false)
		if v := next(t, events); v != want {
			t.Errorf("then comes %+v, want %+v", v, want)
		}
	})
}

// twoViews returns two different views, so that showing them in turn always changes the view.
func twoViews(t testing.TB) (views [2]game.View) {
	g := newTable(t, game.Config{})
	for i := range views {
		v, err := g.do(t.Context(), game.Press{Key: game.Left})
		must(t, err)
		views[i] = v
	}
	return views
}

// Without readers a view is not encoded.
func TestShowWithoutReadersAllocatesNothing(t *testing.T) {
	s, views, i := New(Options{}), twoViews(t), 0
	if n := testing.AllocsPerRun(100, func() {
		i++
		_ = s.Show(views[i%2], false)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkShow(b *testing.B) {
	views := twoViews(b)
	for _, readers := range []int{0, 1, 10} {
		b.Run(fmt.Sprintf("%d readers", readers), func(b *testing.B) {
			s := New(Options{})
			var all []chan *shown
			for range readers {
				all = append(all, s.readers.Join())
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				_ = s.Show(views[i%2], false)
				for _, queue := range all {
					<-queue
				}
			}
		})
	}
}
