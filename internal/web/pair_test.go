package web

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// ask asks for a pairing, and sends the status of the answer to the channel it returns.
func (g *table) ask(ctx context.Context, c *http.Client) <-chan int {
	status := make(chan int, 1)
	go func() {
		defer close(status)
		r, _ := http.NewRequestWithContext(ctx, "POST", g.url+"/v1/pair", strings.NewReader(`{"digit":4}`))
		r.Header.Set("Origin", g.url)
		r.Header.Set("Content-Type", "application/json")
		if answer, err := c.Do(r); err == nil {
			answer.Body.Close()
			status <- answer.StatusCode
		}
	}()
	return status
}

func (g *table) untilPhase(p game.Phase) game.View {
	g.t.Helper()
	return g.until(p.String(), func(v game.View) bool { return v.Phase == p })
}

// Choosing the digit at the HAT pairs a browser. Browsers are paired one at a time, and not while a match is
// being played.
func TestPairing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		one, two := g.browser(), g.browser()
		asked := g.ask(t.Context(), one)
		if v := g.untilPhase(game.Admitting); v.Admission.Digit != 4 {
			t.Errorf("the LEDs show %d", v.Admission.Digit)
		}
		if answer, text := g.request(two, "POST", "/v1/pair", `{"digit":4}`); answer.StatusCode != 409 {
			t.Errorf("a second request: %d %s", answer.StatusCode, text)
		}
		time.Sleep(2 * time.Second)
		g.keys <- game.Press{Key: game.Up}
		if status := <-asked; status != 403 {
			t.Errorf("refused at the HAT: %d", status)
		}
		if answer, text := g.request(one, "POST", "/v1/press", left); answer.StatusCode != 401 {
			t.Errorf("not admitted, and presses: %d %s", answer.StatusCode, text)
		}
		if status := <-g.ask(t.Context(), two); status != 429 {
			t.Errorf("right after a refusal: %d", status)
		}
		time.Sleep(time.Minute)
		began := time.Now()
		if status := <-g.ask(t.Context(), two); status != 403 || time.Since(began) != 30*time.Second {
			t.Errorf("nobody there: %d after %v", status, time.Since(began))
		}
		g.keys <- game.Press{Key: game.Middle} // the menu
		time.Sleep(time.Second)
		g.keys <- game.Press{Key: game.Middle} // two players
		g.untilPhase(game.Aim)
		if answer, text := g.request(two, "POST", "/v1/pair", `{"digit":4}`); answer.StatusCode != 409 || !strings.Contains(text, "a match is being played") {
			t.Errorf("in a match: %d %s", answer.StatusCode, text)
		}
	})
}

// Of ten thousand requests from one address that nobody admits, only three show a digit. Another
// address is not delayed.
func TestMisses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		c := g.browser()
		for range maxMisses {
			ctx, leave := context.WithCancel(t.Context())
			asked := g.ask(ctx, c)
			g.untilPhase(game.Admitting)
			leave() // the browser disconnects, and the HAT stops showing its digit
			<-asked
			g.untilPhase(game.Attract)
			time.Sleep(30 * time.Second)
		}
		began := time.Now()
		for try := range 10_000 {
			answer, text := g.request(c, "POST", "/v1/pair", `{"digit":1}`)
			if answer.StatusCode == 429 {
				continue
			}
			if waited := time.Since(began); waited < missTime-time.Minute {
				t.Fatalf("request %d after three, after %v: %d %s", try, waited, answer.StatusCode, text)
			}
			break
		}
		g.remote.from.Store("192.168.1.21")
		time.Sleep(10 * time.Minute)
		other := g.browser()
		g.pair(other)
		if answer, text := g.request(other, "POST", "/v1/press", left); answer.StatusCode != 200 {
			t.Errorf("paired, and presses: %d %s", answer.StatusCode, text)
		}
	})
}

// A browser on this machine may press keys without a pairing. Without a HAT to pair at, every
// browser may.
func TestWithoutPairing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		g.remote.from.Store("127.0.0.1")
		here := []string{"Host: localhost:8484", "Origin: http://localhost:8484"}
		if answer, text := g.request(g.browser(), "POST", "/v1/press", left, here...); answer.StatusCode != 200 {
			t.Errorf("here: %d %s", answer.StatusCode, text)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, func(o *Options) { o.Pairings = nil })
		if answer, text := g.request(g.browser(), "POST", "/v1/press", left); answer.StatusCode != 200 {
			t.Errorf("without a HAT: %d %s", answer.StatusCode, text)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, func(o *Options) { o.WatchPaired = true })
		if answer, text := g.request(g.browser(), "GET", "/v1/events", ""); answer.StatusCode != 401 {
			t.Errorf("watching: %d %s", answer.StatusCode, text)
		}
	})
}
