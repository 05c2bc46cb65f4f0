package socket

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
)

// protocol has the methods of each path.
var protocol = map[string][]string{
	"/v1/status": {"GET"}, "/v1/events": {"GET"}, "/v1/matches": {"GET"}, "/v1/press": {"POST"}, "/v1/admit": {"POST"},
	"/v1/match": {"POST", "DELETE"}, "/v1/seat": {"POST", "DELETE"}, "/v1/hat": {"POST", "PUT"},
}

// FuzzRequest checks that every request is answered, that only those of the protocol reach the game, and that a
// request that is refused has not. What a body says is checked in package api.
func FuzzRequest(f *testing.F) {
	b := newBench(f, nil)
	_, stop := b.game.Start(context.Background())
	f.Cleanup(func() { _, _ = stop() })
	f.Fuzz(func(t *testing.T, method, target, body string) {
		if _, err := http.NewRequest(method, "/", nil); err != nil {
			return // net/http refuses it
		}
		b.events()
		path, query, _ := strings.Cut(target, "?")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if path == "/v1/events" || path == "/v1/admit" { // they end when the reader disconnects
			ctx, cancel = context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
		}
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", strings.NewReader(body))
		r = r.WithContext(context.WithValue(ctx, connection{}, &Conn{listener: &Listener{All: 1, Each: 1}}))
		r.Method, r.URL = method, &url.URL{Path: path, RawQuery: query}
		b.server.ServeHTTP(w, r)
		given := b.events()
		switch methods, ok := protocol[path]; {
		case w.Code == 307: // to the path's usual spelling
		case !ok && w.Code != 404, ok && !slices.Contains(methods, method) && w.Code != 404 && method != "HEAD":
			t.Errorf("%s %q: %d, the game was given %+v", method, target, w.Code, given)
		case w.Code >= 500 && path != "/v1/events", w.Code == 400 && len(given) > 0:
			t.Errorf("%s %q %q: %d %s, the game was given %+v", method, target, body, w.Code, w.Body, given)
		case w.Code >= 400:
			var doc struct{ Error string }
			must(t, json.Unmarshal(w.Body.Bytes(), &doc))
			try.OneLine(t, doc.Error)
		}
		for _, ev := range given {
			if start, ok := ev.(game.Start); ok && start.Setup.Check() != nil {
				t.Errorf("%q: %+v", body, start)
			}
		}
	})
}
