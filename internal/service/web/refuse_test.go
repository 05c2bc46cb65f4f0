package web

import (
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/service/socket"
)

const left = `{"key":"left"}`

// Requests that a stranger might try get the right status and error.
func TestRefusals(t *testing.T) { synctest.Test(t, refusals) }

func refusals(t *testing.T) {
	g := newTable(t, nil)
	paired := g.browser()
	g.pair(paired)
	stranger := g.browser()
	const port = ":8484"
	for _, tt := range []struct {
		name         string
		by           *http.Client
		method, path string
		body         string
		status       int
		headers      []string
	}{
		{"the page", stranger, "GET", "/", "", 200, nil},
		{"a name of the local network", stranger, "GET", "/", "", 200, []string{"Host: pi.local" + port}},
		{"an address", stranger, "GET", "/", "", 200, []string{"Host: 192.168.1.4:8484"}},
		{"an address of version 6", stranger, "GET", "/", "", 200, []string{"Host: [fe80::1]:8484"}},
		{"localhost", stranger, "GET", "/", "", 200, []string{"Host: localhost"}},

		{"a foreign host", stranger, "GET", "/", "", 421, []string{"Host: example.com"}},
		{"a host that ends like ours", stranger, "GET", "/", "", 421, []string{"Host: pi.local.example.com"}},
		{"a host that begins like an address", stranger, "GET", "/", "", 421, []string{"Host: 127.0.0.1.example.com"}},
		{"a host that has local in it", stranger, "GET", "/", "", 421, []string{"Host: notlocal"}},
		{"a host of nothing but local", stranger, "GET", "/", "", 421, []string{"Host: .local"}},
		{"a foreign host, to press", paired, "POST", "/v1/press", left, 421, []string{"Host: example.com", "Origin: http://example.com"}},

		{"a press", paired, "POST", "/v1/press", left, 200, nil},
		{"another origin", paired, "POST", "/v1/press", left, 403, []string{"Origin: http://example.com"}},
		{"no origin", paired, "POST", "/v1/press", left, 403, []string{"Origin:"}},
		{"two origins", paired, "POST", "/v1/press", left, 403, []string{"Origin+: http://example.com"}},
		{"the null origin", paired, "POST", "/v1/press", left, 403, []string{"Origin: null"}},
		{"another port's origin", paired, "POST", "/v1/press", left, 403, []string{"Origin: http://192.168.1.4:1"}},
		{"an origin that begins like ours", paired, "POST", "/v1/press", left, 403, []string{"Origin: " + g.url + ".example.com"}},
		{"another site, by the browser's word", paired, "GET", "/v1/events", "", 403, []string{"Sec-Fetch-Site: cross-site"}},
		{"another page of this site", paired, "POST", "/v1/press", left, 403, []string{"Sec-Fetch-Site: same-site"}},
		{"plain text", paired, "POST", "/v1/press", left, 415, []string{"Content-Type: text/plain"}},
		{"a form", paired, "POST", "/v1/press", "key=left", 415, []string{"Content-Type: application/x-www-form-urlencoded"}},
		{"a form with a file", paired, "POST", "/v1/press", left, 415, []string{"Content-Type: multipart/form-data; boundary=x"}},
		{"no content type", paired, "POST", "/v1/press", left, 415, []string{"Content-Type:"}},
		{"the end of a match, from elsewhere", paired, "DELETE", "/v1/match", "", 403, []string{"Origin: http://example.com"}},

		{"no cookie", stranger, "POST", "/v1/press", left, 401, nil},
		{"a match without a cookie", stranger, "POST", "/v1/match", `{}`, 401, nil},
		{"the end without a cookie", stranger, "DELETE", "/v1/match", "", 401, nil},
		{"a seat without a cookie", stranger, "POST", "/v1/seat", `{"seat":"red"}`, 401, nil},
		{"an empty cookie", stranger, "POST", "/v1/press", left, 401, []string{"Cookie: c4hat="}},
		{"a made-up cookie", stranger, "POST", "/v1/press", left, 401, []string{"Cookie: c4hat=" + strings.Repeat("A", 75)}},
		{"a long cookie", stranger, "POST", "/v1/press", left, 401, []string{"Cookie: c4hat=" + strings.Repeat("A", 2000)}},
		{"localhost, by the browser's word", stranger, "POST", "/v1/press", left, 401, []string{"Host: localhost", "Origin: http://localhost"}},

		{"a long body", paired, "POST", "/v1/press", `{"key":"` + strings.Repeat("x", socket.MaxBody) + `"}`, 413, nil},
		{"a key that is none", paired, "POST", "/v1/press", `{"key":"x"}`, 400, nil},
		{"an unknown field", paired, "POST", "/v1/press", `{"key":"left","x":1}`, 400, nil},
		{"a digit that is none", paired, "POST", "/v1/pair", `{"digit":10}`, 400, nil},
		{"a game that is none", paired, "POST", "/v1/analyse", `{"moves":"48"}`, 400, nil},
		{"too many matches", paired, "GET", "/v1/matches?last=100000", "", 400, nil},

		{"a file above the page", stranger, "GET", "/../go.mod", "", 307, nil},
		{"the same, encoded", stranger, "GET", "/%2e%2e/go.mod", "", 404, nil},
		{"a path with a slash too many", stranger, "GET", "//", "", 307, nil},
		{"a null byte", stranger, "GET", "/app.js%00", "", 404, nil},
		{"a request that only the socket has", paired, "GET", "/v1/status", "", 404, nil},
		{"the socket's own admission", paired, "POST", "/v1/admit", `{"digit":1}`, 404, nil},
		{"another method", paired, "PUT", "/v1/press", left, 404, nil},
		{"a press as a link", paired, "GET", "/v1/press", "", 404, nil},
		{"a question before a foreign request", stranger, "OPTIONS", "/v1/press", "", 404, nil},
	} {
		answer, text := g.request(tt.by, tt.method, tt.path, tt.body, tt.headers...)
		if answer.StatusCode != tt.status {
			t.Errorf("%s: %d, want %d: %.100s", tt.name, answer.StatusCode, tt.status, text)
		}
		if h := answer.Header; h.Get("X-Frame-Options") != "DENY" || !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", tt.name, h)
		}
		if tt.status >= 400 && strings.Count(text, "\n") > 1 {
			t.Errorf("%s: more than a line: %q", tt.name, text)
		}
	}
}

// A cookie is valid for 30 days, unless it is changed or all pairings are forgotten.
func TestCookies(t *testing.T) {
	p := &Pairings{t.TempDir()}
	if p.valid("") {
		t.Error("valid without a key")
	}
	cookie, err := p.issue()
	if err != nil || !p.valid(cookie.Value) {
		t.Fatalf("%v, %v", cookie, err)
	}
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.MaxAge != 30*24*3600 {
		t.Errorf("%+v", cookie)
	}
	value, _ := base64.RawURLEncoding.DecodeString(cookie.Value)
	for i := range value {
		for bit := range 8 {
			value[i] ^= 1 << bit
			if p.valid(base64.RawURLEncoding.EncodeToString(value)) {
				t.Fatalf("valid with bit %d of byte %d changed", bit, i)
			}
			value[i] ^= 1 << bit
		}
	}
	for _, forged := range []string{cookie.Value + "A", cookie.Value[1:], cookie.Value + "=", " " + cookie.Value} {
		if p.valid(forged) {
			t.Errorf("%q is valid", forged)
		}
	}
	key, _ := p.key()
	binary.BigEndian.PutUint64(value, uint64(time.Now().Add(-time.Second).Unix()))
	copy(value[24:], sign(key, value[:24]))
	if p.valid(base64.RawURLEncoding.EncodeToString(value)) {
		t.Error("an expired cookie is valid")
	}
	if some, err := Forget([]string{p.Dir}); !some || err != nil || p.valid(cookie.Value) {
		t.Errorf("forgotten: %v, %v, valid: %v", some, err, p.valid(cookie.Value))
	}
	if some, err := Forget([]string{p.Dir}); some || err != nil {
		t.Errorf("forgotten twice: %v, %v", some, err)
	}
	if next, _ := p.issue(); !p.valid(next.Value) || p.valid(cookie.Value) {
		t.Error("after a new key the old cookies are valid, or the new ones are not")
	}
}
