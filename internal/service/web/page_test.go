package web

import (
	"bytes"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/c4hat/c4hat/internal/service/socket"
)

// The page is small, nothing in it is loaded from elsewhere, and every file has its content type. index.html
// names every module, so that the browser loads all of them at once instead of finding each in another
// module's imports.
func TestPage(t *testing.T) {
	address := regexp.MustCompile(`(?:https?:)?//[a-z0-9-]+\.[a-z]`)
	kinds := map[string]string{
		".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
		".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json",
	}
	index, err := files.ReadFile("page/index.html")
	must(t, err)
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		entries, err := files.ReadDir("page")
		must(t, err)
		size := 0
		for _, e := range entries {
			url := "/" + strings.TrimSuffix(strings.Replace(e.Name(), "screen.html", "screen", 1), "index.html")
			answer, text := g.ask(g.browser(phone), "GET "+url)
			size += len(text)
			if kind := answer.Header.Get("Content-Type"); answer.StatusCode != 200 || kind != kinds[path.Ext(e.Name())] {
				t.Errorf("%s: %d, %s", url, answer.StatusCode, kind)
			}
			if found := address.FindString(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")); found != "" {
				t.Errorf("%s: %s", url, found)
			}
			want := fmt.Sprintf(`<link rel="modulepreload" href="%s">`, e.Name())
			switch e.Name() {
			case "app.js":
				want = `<script type="module" src="app.js">`
			case "start.js": // no module
				want = `<script src="start.js" defer>`
			}
			if path.Ext(url) == ".js" && url != "/screen.js" && !bytes.Contains(index, []byte(want)) {
				t.Errorf("want %s", want)
			}
		}
		if size < 10_000 || size > 100_000 {
			t.Errorf("%d bytes", size)
		}
	})
}

// Requests that a browser makes, or that a stranger might try, get the right status, and answers cannot be
// framed or read by other pages.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		friend, stranger, proxied := g.paired(phone), g.browser(phone), g.browser(here)
		for _, tt := range []struct {
			by      *http.Client
			request string
			status  int
			header  string
		}{
			// The hosts of the page.
			{stranger, "GET /", 200, ""},
			{stranger, "GET /", 200, "Host: pi.local:8484"},
			{stranger, "GET /", 200, "Host: PI.local.:80"},
			{stranger, "GET /", 200, "Host: localhost"},
			{stranger, "GET /", 200, "Host: [fe80::1]:8484"},
			{stranger, "GET /", 200, "Host: fe80::1"},
			{stranger, "GET /", 421, "Host: example.com"},
			{stranger, "GET /", 421, "Host: pi.local.example.com"},
			{stranger, "GET /", 421, "Host: 127.0.0.1.example.com"},
			{stranger, "GET /", 421, "Host: example.com:80.local"},
			{stranger, "GET /", 421, "Host: notlocal"},
			{stranger, "GET /", 421, "Host: a:b:c"},
			{friend, left, 421, "Host: example.com"},

			// Pages of other origins.
			{friend, left, 200, ""},
			{friend, left, 403, "Origin: http://example.com"},
			{friend, left, 403, "Origin:"},
			{friend, left, 403, "Origin: null"},
			{friend, left, 403, "Origin: http://192.168.1.4:1"},
			{friend, left, 403, "Origin: " + pageURL + ".example.com"},
			{friend, left, 403, "Sec-Fetch-Site: same-site"},
			{friend, "DELETE /v1/match", 403, "Origin: http://example.com"},
			{stranger, "GET /", 200, "Sec-Fetch-Site: cross-site"},
			{friend, left, 415, "Content-Type: text/plain"},
			{friend, left, 415, "Content-Type: application/x-www-form-urlencoded"},
			{friend, left, 415, "Content-Type:"},
			{stranger, "OPTIONS /v1/press", 401, ""},

			// Strangers, also behind a proxy on this machine.
			{stranger, "GET /?key=x", 303, ""}, // there is no link
			{stranger, left, 401, ""},
			{proxied, left, 401, "X-Forwarded-For: 127.0.0.1"},
			{proxied, left, 401, "Host: localhost"},
			{proxied, "GET /v1/matches?last=1", 200, ""},
			{stranger, `POST /v1/analyse {"moves":"4453"}`, 200, ""},
			{stranger, "POST /v1/match {}", 401, ""},
			{stranger, "DELETE /v1/match", 401, ""},
			{stranger, `POST /v1/seat {"seat":"red"}`, 401, ""},
			{stranger, "DELETE /v1/seat", 401, ""},
			{stranger, left, 401, "Cookie: c4hat="},
			{stranger, left, 401, "Cookie: c4hat=" + strings.Repeat("A", 75)},
			{stranger, left, 401, "Cookie: c4hat=" + strings.Repeat("A", 2000)},

			// What there is not.
			{friend, `POST /v1/press {"key":"` + strings.Repeat("x", socket.MaxBody) + `"}`, 400, ""},
			{friend, `POST /v1/press {"key":"x"}`, 400, ""},
			{friend, `POST /v1/pair {"digit":10}`, 400, ""},
			{friend, `POST /v1/analyse {"moves":"48"}`, 400, ""},
			{friend, "GET /v1/matches?last=100000", 400, ""},
			{stranger, "GET /../go.mod", 307, ""},
			{stranger, "GET /%2e%2e/go.mod", 404, ""},
			{stranger, "GET /app.js%00", 404, ""},
			{friend, "GET /v1/status", 404, ""},
			{friend, `POST /v1/admit {"digit":1}`, 404, ""},
			{friend, `PUT /v1/press {"key":"left"}`, 404, ""},
			{friend, "GET /v1/press", 404, ""},

			{friend, "POST /v1/match {}", 200, ""},
			{friend, `POST /v1/seat {"seat":"red"}`, 200, ""},
			{friend, "DELETE /v1/seat", 409, ""},
			{friend, "DELETE /v1/match", 200, ""},
		} {
			headers := []string{tt.header}
			if host, ok := strings.CutPrefix(tt.header, "Host: "); ok && tt.request == left {
				headers = append(headers, "Origin: http://"+host)
			}
			answer, text := g.ask(tt.by, tt.request, headers...)
			if answer.StatusCode != tt.status || tt.status >= 400 && strings.Count(text, "\n") > 1 {
				t.Errorf("%.99s %.99s: %d, want %d: %.100s", tt.request, tt.header, answer.StatusCode, tt.status, text)
			}
			for _, none := range []string{"default-src", "base-uri", "form-action", "frame-ancestors"} {
				if policy := answer.Header.Get("Content-Security-Policy"); !strings.Contains(policy, none+" 'none'") {
					t.Errorf("%s: %s", tt.request, policy)
				}
			}
			if h := answer.Header; h.Get("X-Frame-Options") != "DENY" ||
				h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %v", tt.request, h)
			}
		}
	})
}
