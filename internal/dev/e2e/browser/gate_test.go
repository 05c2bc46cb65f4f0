package browser

import (
	"bufio"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// gate is a proxy in front of c4hat web that can hold back the game's events, so that the page
// stays in a phase, however short.
type gate struct {
	*httptest.Server
	mu   sync.Mutex
	cond *sync.Cond
	at   string // the phase to hold, or empty
}

func newGate(t *testing.T, to string) *gate {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	g := new(gate)
	g.cond = sync.NewCond(&g.mu)
	g.Server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
		ErrorLog: log.New(io.Discard, "", 0), // the proxy would also log that the test has stopped the server
		ModifyResponse: func(r *http.Response) error {
			if r.Header.Get("Content-Type") == "text/event-stream" {
				r.Body = &stream{Closer: r.Body, in: bufio.NewReader(r.Body), g: g}
			}
			return nil
		},
	})
	t.Cleanup(func() {
		g.hold("")
		g.CloseClientConnections()
		g.Close()
	})
	return g
}

// hold holds back the events after the first one of a phase, and passes on any that it held back
// before.
func (g *gate) hold(phase string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at = phase
	g.cond.Broadcast()
}

// stream is the body of the response with the events.
type stream struct {
	io.Closer
	in   *bufio.Reader
	g    *gate
	rest string
	held string // the phase of the event that was passed on last
}

func (s *stream) Read(p []byte) (int, error) {
	if s.rest == "" {
		s.g.mu.Lock()
		for s.held != "" && s.held == s.g.at {
			s.g.cond.Wait()
		}
		s.g.mu.Unlock()
		line, err := s.in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		s.rest, s.held = line, ""
		if _, phase, ok := strings.Cut(line, `{"phase":"`); ok {
			s.held, _, _ = strings.Cut(phase, `"`)
			blank, err := s.in.ReadString('\n')
			if err != nil {
				return 0, err
			}
			s.rest += blank
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}
