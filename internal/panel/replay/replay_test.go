package replay

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
)

// screen is a terminal whose keys a test presses.
type screen struct {
	keys chan game.Event
	mu   sync.Mutex
	view game.View
	seen []string // the games, after each disc
}

func (s *screen) Show(v game.View, _ bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.Phase == game.Fall && (len(s.seen) == 0 || s.seen[len(s.seen)-1] != v.Game.String()) {
		s.seen = append(s.seen, v.Game.String())
	}
	s.view = v
	return nil
}

func (s *screen) Next(ctx context.Context) (game.Event, error) {
	select {
	case ev := <-s.keys:
		return ev, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *screen) last() game.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view
}

// play replays a match while a test presses keys, and returns the time it took.
func play(t *testing.T, r game.Record, typing func(*screen)) (*screen, time.Duration) {
	t.Helper()
	s := &screen{keys: make(chan game.Event)}
	state, err := Start(r, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	done := make(chan error)
	go func() {
		p := New(r)
		p.Screen = s
		_, err := loop.Run(t.Context(), state, loop.Options{Panels: []loop.Panel{p}})
		done <- err
	}()
	synctest.Wait()
	typing(s)
	if err := <-done; err != nil {
		t.Error(err)
	}
	return s, time.Since(began)
}

func record(t *testing.T, computer board.Disc, opening int, rounds ...string) game.Record {
	t.Helper()
	m, g, err := board.ParseMatch(board.Standard, 2, board.FirstLoser, 0, rounds)
	if err != nil {
		t.Fatal(err)
	}
	r := game.Record{ID: "x", Match: m, Game: g, Opening: opening, Computer: computer}
	if computer != board.Empty {
		r.Level = 4
	}
	return r
}

func TestReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := record(t, board.Yellow, 2, "1212121", "1212121", "1212121")
		s, took := play(t, r, func(*screen) {})
		if len(s.seen) != 5+7+7 || s.seen[0] != "121" || s.seen[18] != "1212121" {
			t.Errorf("%d discs: %q", len(s.seen), s.seen)
		}
		if v := s.last(); v.Match.Winner() != board.Red || v.Computer != board.Yellow || v.Level != 4 || v.Match.Points(board.Yellow) != 1 {
			t.Errorf("the last view has %+v", v.Match)
		}
		// A disc is aimed and falls in a second, and three rounds end.
		if took < 19*time.Second || took > 40*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := record(t, board.Empty, 0, "1212121", "44")
		s, took := play(t, r, func(s *screen) {
			for _, ev := range []game.Event{game.Pause, game.Undo, game.Hint, game.Point{Col: 2}, game.Press{Key: game.Left}} {
				s.keys <- ev
			}
			time.Sleep(time.Hour)
			if v := s.last(); v.Phase != game.Aim || v.Game.String() != "" {
				t.Errorf("stopped: %v after %q", v.Phase, v.Game.String())
			}
			s.keys <- game.Press{Key: game.Right} // one disc
			time.Sleep(time.Hour)
			if v := s.last(); v.Phase != game.Aim || v.Game.String() != "1" {
				t.Errorf("one disc: %v after %q", v.Phase, v.Game.String())
			}
			s.keys <- game.Press{Key: game.Up}
		})
		// The replay of an abandoned match ends after its last disc.
		if n := len(s.seen); n != 9 || s.seen[8] != "44" {
			t.Errorf("%d discs: %q", n, s.seen)
		}
		if took < 2*time.Hour || took > 2*time.Hour+30*time.Second {
			t.Errorf("it took %v", took)
		}
	})
	// A held key drops discs at a limited rate.
	synctest.Test(t, func(t *testing.T) {
		r := record(t, board.Empty, 0, "1212121", "1212121")
		s, took := play(t, r, func(s *screen) {
			for range 50 {
				time.Sleep(30 * time.Millisecond)
				s.keys <- game.Press{Key: game.Right}
			}
		})
		if n := len(s.seen); n != 14 || took > 30*time.Second {
			t.Errorf("held: %d discs in %v", n, took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := record(t, board.Empty, 0, "1212121", "1212121")
		_, took := play(t, r, func(s *screen) {
			time.Sleep(time.Second)
			s.keys <- game.Quit{}
		})
		if took > 2*time.Second {
			t.Errorf("q took %v", took)
		}
	})
}
