package control

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// fuzz sends bodies, and looks at what the game is given for them.
func fuzz(f *testing.F, path string, check func(*testing.T, game.Event)) {
	g := newTable(f, game.Config{})
	o := g.options(f)
	given := 0
	var t *testing.T
	o.Do = func(ctx context.Context, ev game.Event) (game.View, error) {
		given++
		check(t, ev)
		return g.do(ctx, ev)
	}
	s := New(o)
	f.Fuzz(func(ft *testing.T, body string) {
		t, given = ft, 0
		w := httptest.NewRecorder()
		s.handle(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
		if w.Code >= 500 || (w.Code < 300) != (given == 1) && w.Code != 409 {
			t.Errorf("%q: %d %s, and the game was given %d events", body, w.Code, w.Body, given)
		}
		g.events()
	})
}

func FuzzPress(f *testing.F) {
	for _, body := range []string{`{"key":"left"}`, `{"column":4}`, `{"column":4,"key":"undo"}`, `{"column":1e0}`, `{"key":null}`, `[{}]`, "", `{"key":"\u006ceft"}`} {
		f.Add(body)
	}
	fuzz(f, "/v1/press", func(t *testing.T, ev game.Event) {
		switch ev := ev.(type) {
		case game.Column:
			if ev.Col < 0 || ev.Col >= board.MaxSide {
				t.Errorf("%+v", ev)
			}
		case game.Press:
			if ev.Key < game.Up || ev.Key > game.Middle || ev.Action != game.Pressed {
				t.Errorf("%+v", ev)
			}
		case game.Command:
			if ev > game.Pause {
				t.Errorf("%+v", ev)
			}
		default:
			t.Errorf("%T", ev)
		}
	})
}

func FuzzMatch(f *testing.F) {
	for _, body := range []string{
		"", "{}", `{"force":true}`, `{"board":"8x8","connect":5,"points":1,"first":"blue","computer":"blue","level":"hard","position":"4453","seed":"7","force":true}`,
		`{"board":"1x8"}`, `{"computer":"red","level":5}`, `{"position":"1212121"}`, `{"points":0}`, `{"seed":1.5}`, `{"level":3}`,
	} {
		f.Add(body)
	}
	fuzz(f, "/v1/match", func(t *testing.T, ev game.Event) {
		start, ok := ev.(game.Start)
		if !ok {
			t.Fatalf("%T", ev)
		}
		if err := start.Setup.Check(); err != nil {
			t.Errorf("%+v: %v", start, err)
		}
		if (start.Setup.Computer == board.Empty) != (start.Setup.Level == 0) {
			t.Errorf("%+v: level and computer", start)
		}
	})
}
