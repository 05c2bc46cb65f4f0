package web

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// stream follows /v1/events until leave is called, and returns each event: its kind, if it has one, and its
// data.
func (g *table) stream() (events <-chan string, leave func()) {
	conn, kinds := g.dial("192.168.1.20", askEvents), make(chan string, 10000)
	go func() {
		in := bufio.NewScanner(conn)
		kind := ""
		for in.Scan() {
			if next, ok := strings.CutPrefix(in.Text(), "event: "); ok {
				kind = next + " "
			} else if data, ok := strings.CutPrefix(in.Text(), "data: "); ok {
				kinds <- kind + data
				kind = ""
			}
		}
	}()
	return kinds, func() { conn.Close() }
}

// wait returns the first event that begins with a text.
func wait(t *testing.T, events <-chan string, begins string) string {
	t.Helper()
	timeout := time.After(time.Hour)
	for {
		select {
		case e := <-events:
			if strings.HasPrefix(e, begins) {
				return e
			}
		case <-timeout:
			t.Fatalf("no %s comes", begins)
		}
	}
}

// A browser that connects when no other is connected first gets the current state, not the last
// state that an earlier browser got.
func TestFeedBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		for _, phase := range []string{"attract", "menu"} {
			events, leave := g.stream()
			if first := wait(t, events, "{"); !strings.HasPrefix(first, `{"phase":"`+phase) {
				t.Errorf("the first state: %.50s, want %s", first, phase)
			}
			leave()
			time.Sleep(time.Second) // nobody is watching
			if _, err := g.game.Do(t.Context(), game.Press{Key: game.Left}, game.Source{}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A press that was made too long ago, on the server's clock, never reaches the game.
func TestLatePress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		c := g.browser()
		g.pair(c)
		g.start()
		events, leave := g.stream()
		defer leave()
		var now int64
		if _, err := fmt.Sscanf(wait(t, events, "alive"), "alive %d", &now); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			late   int64 // in milliseconds
			status int
		}{{0, 200}, {1900, 200}, {-5000, 200}, {2100, 502}, {2500, 502}, {60_000, 502}, {now, 502}, {10_000_000_000_000, 502}} {
			v, _ := g.game.Do(t.Context(), game.Tick{}, game.Source{})
			before := v.Discs()
			answer, text := g.request(c, "POST", "/v1/press", fmt.Sprintf(`{"column":4,"disc":%d}`, before+1), fmt.Sprintf("%s: %d", pressedHeader, g.server.now()-tt.late))
			if tt.late == 2100 && answer.StatusCode == 503 { // the service refuses it
				answer.StatusCode = 502
			}
			v, _ = g.game.Do(t.Context(), game.Tick{}, game.Source{})
			if answer.StatusCode != tt.status || (v.Discs() > before) != (tt.status == 200) {
				t.Errorf("%d ms late: %d %.99s, %d discs after %d", tt.late, answer.StatusCode, text, v.Discs(), before)
			}
			time.Sleep(3 * time.Second)
		}
		if answer, text := g.request(c, "POST", "/v1/press", left, pressedHeader+": soon"); answer.StatusCode != 400 {
			t.Errorf("no time: %d %s", answer.StatusCode, text)
		}
	})
}

// If the service hangs, every page hears within five seconds that the game is away, until the service is
// back. A press is refused within three seconds, and is not carried out later.
func TestHungService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		c := g.browser()
		g.pair(c)
		g.start()
		events, leave := g.stream()
		defer leave()
		wait(t, events, `{"phase":"aim"`)
		hang := make(chan struct{})
		g.hang.Store(&hang)
		began := time.Now()
		if wait(t, events, "away"); time.Since(began) > 4*time.Second {
			t.Errorf("away after %v", time.Since(began))
		}
		asked := g.asked.Load()
		time.Sleep(time.Minute)
		if n := g.asked.Load() - asked; n > 8 { // requests for a stream
			t.Errorf("asked %d times while it hangs", n)
		}
		g.hang.Store(nil)
		close(hang)
		wait(t, events, `{"phase":"aim"`)

		hang = make(chan struct{})
		g.hang.Store(&hang)
		began = time.Now()
		answer, text := g.request(c, "POST", "/v1/press", `{"column":4}`)
		if took := time.Since(began); answer.StatusCode != 502 || took > 3*time.Second {
			t.Errorf("%d %s after %v", answer.StatusCode, text, took)
		}
		wait(t, events, "away")
		time.Sleep(time.Minute)
		g.hang.Store(nil)
		close(hang)
		wait(t, events, `{"phase":"aim"`)
		time.Sleep(time.Minute)
		if v, err := g.game.Do(t.Context(), game.Tick{}, game.Source{}); err != nil || v.Discs() != 0 || v.Game.Position().Turn() != board.Red {
			t.Errorf("after it is back: %d discs, %v", v.Discs(), err)
		}
	})
}

// hangs waits while the service hangs.
func (g *table) hangs(ctx context.Context, ev game.Event, from game.Source) (game.View, error) {
	g.asked.Add(1)
	if hang := g.hang.Load(); hang != nil {
		<-*hang
		if err := ctx.Err(); err != nil {
			return game.View{}, err
		}
	}
	return g.game.Do(ctx, ev, from)
}
