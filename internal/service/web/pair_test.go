package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
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
		g.remote.from = "192.168.1.21" // the first address has asked too often
		if answer, text := g.request(g.browser(), "POST", "/v1/pair", `{"digit":4}`); answer.StatusCode != 409 || !strings.Contains(text, "a match is being played") {
			t.Errorf("in a match: %d %s", answer.StatusCode, text)
		}
	})
}

// After three requests that nobody admits, an address must wait ten minutes, however often it asks.
// Another address need not.
func TestMisses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		c := g.browser()
		miss := func() {
			t.Helper()
			ctx, leave := context.WithCancel(t.Context())
			asked := g.ask(ctx, c)
			g.untilPhase(game.Admitting)
			leave() // the browser disconnects, and the HAT stops asking
			<-asked
			g.untilPhase(game.Attract)
			time.Sleep(30 * time.Second)
		}
		began := time.Now()
		for range 3 {
			miss()
		}
		for try := range 10_000 {
			answer, text := g.request(c, "POST", "/v1/pair", `{"digit":1}`)
			if answer.StatusCode == 429 {
				continue
			}
			if waited := time.Since(began); waited < 10*time.Minute {
				t.Fatalf("request %d after three, after %v: %d %s", try, waited, answer.StatusCode, text)
			}
			break
		}
		g.remote.from = "192.168.1.21"
		time.Sleep(10 * time.Minute)
		c = g.browser()
		miss()
		time.Sleep(time.Minute)
		g.pair(c)
		if answer, text := g.request(c, "POST", "/v1/press", left); answer.StatusCode != 200 {
			t.Errorf("paired, and presses: %d %s", answer.StatusCode, text)
		}
	})
}

// Requests to be paired that the game refuses are counted too.
func TestRefusedPairing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		g.start()
		counts, c := map[int]int{}, g.browser()
		for range 50 {
			answer, _ := g.request(c, "POST", "/v1/pair", `{"digit":1}`)
			counts[answer.StatusCode]++
		}
		if counts[409] != askBurst || counts[429] != 50-askBurst {
			t.Errorf("answers: %v", counts)
		}
	})
}

// A link pairs one browser. No address does: not this machine's, and not that of a proxy on it.
func TestLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var links []string
		g := newTable(t, func(o *Options) {
			o.Joystick = false
			o.Invite = func(path string) error { links = append(links, path); return nil }
		})
		synctest.Wait()
		g.remote.from = "127.0.0.1"
		presses := func(c *http.Client, want int) {
			t.Helper()
			if answer, text := g.request(c, "POST", "/v1/press", left); answer.StatusCode != want {
				t.Errorf("a press: %d %s, want %d", answer.StatusCode, text, want)
			}
		}
		one, two := g.browser(), g.browser()
		presses(one, 401)
		if answer, text := g.request(one, "POST", "/v1/pair", `{"digit":4}`); answer.StatusCode != 409 {
			t.Errorf("pairing without a HAT: %d %s", answer.StatusCode, text)
		}
		for _, wrong := range []string{"/?key=", "/?key=x", links[0] + "x", links[0][:len(links[0])-1]} {
			g.request(one, "GET", wrong, "")
			presses(one, 401)
		}
		if answer, _ := g.request(one, "GET", links[0], ""); answer.StatusCode != 303 || answer.Header.Get("Location") != "/" {
			t.Errorf("the link: %v", answer)
		}
		presses(one, 200)
		g.request(two, "GET", links[0], "")
		presses(two, 401)
		if len(links) != 2 {
			t.Fatalf("the links: %q", links)
		}
		g.request(two, "GET", links[1], "")
		presses(two, 200)
		presses(one, 200)
	})
	synctest.Test(t, func(t *testing.T) { // as the installed service does
		g := newTable(t, nil)
		g.request(g.browser(), "GET", "/?key=", "")
		if answer, _ := g.request(g.browser(), "GET", "/?key=", ""); len(answer.Cookies()) > 0 {
			t.Error("paired by a link that nobody printed")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, func(o *Options) { o.WatchPaired = true })
		if answer, text := g.request(g.browser(), "GET", "/v1/matches?last=1", ""); answer.StatusCode != 401 {
			t.Errorf("watching: %d %s", answer.StatusCode, text)
		}
		if answer, text := g.request(g.browser(), "GET", "/v1/events", ""); answer.StatusCode != 401 {
			t.Errorf("watching: %d %s", answer.StatusCode, text)
		}
		if _, text := g.request(g.browser(), "GET", "/v1/you", ""); !strings.HasPrefix(text, `{"press":false,"pair":true,"closed":true`) {
			t.Errorf("a stranger is told %s", text)
		}
		c := g.browser()
		g.pair(c)
		if _, text := g.request(c, "GET", "/v1/you", ""); !strings.HasPrefix(text, `{"press":true,"pair":false,"closed":false`) {
			t.Errorf("a paired browser is told %s", text)
		}
	})
}

// Behind a proxy on this machine that adds nothing to requests, a stranger may only watch, and a
// browser gets in by the link.
func TestProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := ""
		g := newTable(t, func(o *Options) { o.Invite = func(path string) error { link = path; return nil } })
		synctest.Wait()
		g.remote.from = "127.0.0.1"
		base, _ := url.Parse("http://127.0.0.1:8484")
		proxy := &httputil.ReverseProxy{Transport: g.browser().Transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(base) }}
		stranger, friend := map[string]int{}, map[string]int{}
		cookie := ""
		ask := func(method, path, body, cookie string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), method, "http://pi.example.org"+path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Cookie", cookie)
			if method != "GET" {
				r.Header.Set("Origin", "http://127.0.0.1:8484")
			}
			w := httptest.NewRecorder()
			proxy.ServeHTTP(w, r)
			return w
		}
		requests := [][3]string{
			{"GET", "/", ""}, {"GET", "/v1/matches?last=1", ""}, {"POST", "/v1/analyse", `{"moves":"4453"}`}, {"POST", "/v1/press", left},
			{"POST", "/v1/match", "{}"}, {"POST", "/v1/seat", `{"seat":"red"}`}, {"DELETE", "/v1/match", ""}, {"DELETE", "/v1/seat", ""},
		}
		for _, r := range requests {
			stranger[r[0]+" "+r[1]] = ask(r[0], r[1], r[2], "").Code
		}
		for _, c := range ask("GET", link, "", "").Result().Cookies() {
			cookie = c.Name + "=" + c.Value
		}
		for _, r := range requests {
			friend[r[0]+" "+r[1]] = ask(r[0], r[1], r[2], cookie).Code
		}
		want := "map[DELETE /v1/match:401 DELETE /v1/seat:401 GET /:200 GET /v1/matches?last=1:200 POST /v1/analyse:200 POST /v1/match:401 POST /v1/press:401 POST /v1/seat:401]"
		if got := fmt.Sprint(stranger); got != want {
			t.Errorf("a stranger: %s", got)
		}
		want = "map[DELETE /v1/match:200 DELETE /v1/seat:400 GET /:200 GET /v1/matches?last=1:200 POST /v1/analyse:200 POST /v1/match:201 POST /v1/press:200 POST /v1/seat:201]"
		if got := fmt.Sprint(friend); got != want {
			t.Errorf("with the link: %s", got)
		}
	})
}
