package socket

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

func (g *table) phase(t *testing.T) game.Phase {
	v, _ := g.do(t.Context(), game.Tick{})
	return v.Phase
}

// until waits until the game is in a phase.
func (g *table) until(t *testing.T, p game.Phase) {
	t.Helper()
	for end := time.Now().Add(time.Minute); g.phase(t) != p; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%v does not come: it is %v", p, g.phase(t))
		}
	}
}

// Choosing the digit at the HAT admits a browser, and up refuses it. When a client disconnects, its digit is
// no longer shown.
func TestAdmit(t *testing.T) {
	g := newTable(t, game.Config{Attract: true})
	o := g.options(t)
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	path := serve(t, o)
	defer func() {
		if log.Len() > 0 {
			t.Errorf("logged: %s", &log)
		}
	}()
	pass := func(d time.Duration) {
		g.mu.Lock()
		g.now = g.now.Add(d)
		g.mu.Unlock()
	}
	c := Dial(path)
	for _, tt := range []struct {
		keys []game.Key
		want bool
	}{{[]game.Key{game.Left, game.Left, game.Left, game.Left, game.Middle}, true}, {[]game.Key{game.Up}, false}} {
		type answer struct {
			admitted bool
			err      error
		}
		answered := make(chan answer, 1)
		go func() {
			admitted, err := c.Admit(t.Context(), 7)
			answered <- answer{admitted, err}
		}()
		g.until(t, game.Admitting)
		if _, err := Dial(path).Admit(t.Context(), 8); err == nil || !strings.Contains(err.Error(), "another browser") {
			t.Errorf("a second request: %v", err)
		}
		pass(2 * time.Second)
		if _, err := g.doFrom(t.Context(), game.Press{Key: game.Up}, game.Source{Kind: game.Client}); err != nil || g.phase(t) != game.Admitting {
			t.Errorf("a client's key has answered: %v, %v", g.phase(t), err)
		}
		for _, key := range tt.keys {
			_, _ = g.doFrom(t.Context(), game.Press{Key: key}, game.Source{})
		}
		if a := <-answered; a.err != nil || a.admitted != tt.want {
			t.Errorf("after %v: %+v, want %v", tt.keys, a, tt.want)
		}
	}
	if _, err := c.Admit(t.Context(), 7); err == nil || !strings.Contains(err.Error(), "ask again in ") {
		t.Errorf("right after a refusal: %v", err)
	}
	pass(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := c.Admit(ctx, 7)
		gone <- err
	}()
	g.until(t, game.Admitting)
	cancel()
	if err := <-gone; err == nil {
		t.Error("admitted without an answer")
	}
	g.until(t, game.Attract)
}
