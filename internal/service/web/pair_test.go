package web

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

const (
	askPair = `POST /v1/pair {"digit":4}`
	askPast = "GET /v1/matches?last=1"
	askPage = "GET /"
	stream  = "GET /v1/events"
)

// pair asks for a pairing until the context ends. It waits for the LEDs to ask, and sends the status of
// the answer.
func (g *table) pair(ctx context.Context, c *http.Client) <-chan int {
	g.t.Helper()
	status := make(chan int, 1)
	go func() {
		defer close(status)
		if answer, err := send(ctx, c, askPair); err == nil {
			answer.Body.Close()
			status <- answer.StatusCode
		}
	}()
	time.Sleep(2 * time.Second)
	if v := g.Last(); v.Phase != game.Admitting || v.Admission.Digit != 4 {
		g.t.Errorf("the LEDs show %v, %d", v.Phase, v.Admission.Digit)
	}
	return status
}

// Choosing the digit at the HAT pairs a browser. Browsers are paired one at a time, and not while a match is
// being played. After three requests that nobody admits, an address must wait ten minutes, however often it
// asks; another address need not.
func TestPairing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		one, two, other := g.browser(phone), g.browser(phone), g.browser(tablet)
		began := time.Now()
		asked := g.pair(t.Context(), one)
		g.want(409, two, askPair)
		g.Press(game.Press{Key: game.Up})
		if status := <-asked; status != 403 {
			t.Errorf("refused at the HAT: %d", status)
		}
		g.want(401, one, left)
		g.want(429, two, askPair) // by the game, right after a refusal
		time.Sleep(time.Minute)
		asking := time.Now()
		if status := <-g.pair(t.Context(), two); status != 403 || time.Since(asking) != 30*time.Second {
			t.Errorf("nobody there: %d after %v", status, time.Since(asking))
		}
		time.Sleep(time.Minute)
		ctx, leave := context.WithCancel(t.Context())
		asked = g.pair(ctx, two)
		leave()
		<-asked
		time.Sleep(30 * time.Second)
		if phase := g.Last().Phase; phase != game.Attract {
			t.Errorf("the browser has left, and the LEDs show %v", phase)
		}
		for time.Since(began) < 10*time.Minute {
			g.want(429, one, askPair)
			time.Sleep(15 * time.Second)
		}
		asked = g.pair(t.Context(), other)
		for _, key := range []game.Key{game.Left, game.Left, game.Left, game.Left, game.Middle} { // from 8 to 4
			g.Press(game.Press{Key: key})
		}
		if status := <-asked; status != 200 {
			t.Errorf("admitted: %d", status)
		}
		g.want(200, other, left)
		g.start()
		if text := g.want(409, one, askPair); !strings.Contains(text, "the HAT is in use") {
			t.Errorf("in a match: %s", text)
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
		one, two := g.browser(here), g.browser(here)
		g.want(409, one, askPair)
		for _, wrong := range []string{"/?key=x", links[0] + "x", links[0][:len(links[0])-1]} {
			g.want(303, one, "GET "+wrong)
		}
		g.want(200, one, "GET /?key=")
		g.want(401, one, left)
		if answer, _ := g.ask(one, "GET "+links[0]); answer.StatusCode != 303 || answer.Header.Get("Location") != "/" {
			t.Errorf("the link: %v", answer)
		}
		g.want(303, two, "GET "+links[0])
		g.want(200, one, left)
		g.want(401, two, left)
		g.want(303, two, "GET "+links[1])
		g.want(200, two, left)
		if len(links) != 3 {
			t.Errorf("the links: %q", links)
		}
	})
}

// If only paired browsers may watch, others get the page, which tells them so.
func TestWatchPaired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, func(o *Options) { o.WatchPaired = true })
		friend, stranger := g.paired(phone), g.browser(phone)
		for _, request := range []string{askPast, stream, `POST /v1/analyse {"moves":"4"}`} {
			g.want(401, stranger, request)
		}
		g.want(200, stranger, askPage)
		g.want(200, friend, askPast)
		for c, begins := range map[*http.Client]string{stranger: `{"press":false,"pair":true,"closed":true`, friend: `{"press":true,"pair":false,"closed":false`} {
			if text := g.want(200, c, "GET /v1/you"); !strings.HasPrefix(text, begins) {
				t.Errorf("a browser is told %s, want %s", text, begins)
			}
		}
	})
}

// A cookie is valid for 30 days, unless it is changed or all pairings are forgotten. A key of which a power cut
// has left a part, or zeros, is none.
func TestCookies(t *testing.T) {
	p := pairings(t.TempDir())
	valid := func(value string) bool { _, ok := p.read(value); return ok }
	cookie, err := p.issue()
	must(t, err)
	if !valid(cookie.Value) || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.MaxAge != 30*24*3600 {
		t.Errorf("%+v", cookie)
	}
	value := []byte(cookie.Value)
	for bit := range 8 * len(value) {
		value[bit/8] ^= 1 << (bit % 8)
		if valid(string(value)) {
			t.Fatalf("valid with bit %d changed", bit)
		}
		value[bit/8] ^= 1 << (bit % 8)
	}
	soon, past := time.Now().Add(time.Hour).Unix(), time.Now().Add(-time.Second).Unix()
	unsigned := sign(nil, "A", soon)
	for _, forged := range []string{
		"", ".", "..", cookie.Value + "A", cookie.Value + ".A", cookie.Value[1:], cookie.Value[:40], sign(p.key(), "A", past), unsigned,
	} {
		if valid(forged) {
			t.Errorf("%q is valid", forged)
		}
	}
	if !valid(sign(p.key(), "A", soon)) {
		t.Error("the test is void: what is signed is not valid")
	}
	for _, part := range []int64{keySize - 1, 0, keySize} { // the last are zeros
		must(t, os.Truncate(p.file(), part))
		if valid(cookie.Value) || valid(unsigned) || valid(sign(make([]byte, keySize), "A", soon)) {
			t.Errorf("valid with %d bytes of the key", part)
		}
	}
	cookie, err = p.issue()
	must(t, err)
	if !valid(cookie.Value) {
		t.Error("after another key the cookies are not valid")
	}
	must(t, Forget(string(p)))
	if err := Forget(string(p)); !os.IsNotExist(err) || valid(cookie.Value) {
		t.Errorf("forgotten twice: %v, valid: %v", err, valid(cookie.Value))
	}
}
