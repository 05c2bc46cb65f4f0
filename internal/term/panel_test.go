package term

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v2"
)

var start = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

// state returns a game after some events, a second apart, of two sources in turn: a drop is no second tap.
func state(t *testing.T, c game.Config, events ...game.Event) (*game.Game, time.Time) {
	t.Helper()
	if c.Rules == (board.Rules{}) {
		c.Rules = board.Standard
	}
	if c.Points == 0 {
		c.Points = 2
	}
	now := start
	s, err := game.New(c, now)
	must(t, err)
	for i, ev := range events {
		s.StepFrom(now, ev, game.Source{ID: uint64(i % 2)})
		for range 20 {
			now = now.Add(50 * time.Millisecond)
			s.Step(now, game.Tick{})
		}
	}
	return s, now
}

func drops(moves string) (events []game.Event) {
	for _, c := range moves {
		events = append(events, game.Column{Col: int(c - '1')})
	}
	return events
}

func simulate(t *testing.T, width, height int, charset string) (*Panel, tcell.SimulationScreen) {
	t.Helper()
	screen := tcell.NewSimulationScreen(charset)
	must(t, screen.Init())
	screen.SetSize(width, height)
	p := New(screen, PlayHelp)
	t.Cleanup(p.Close)
	return p, screen
}

func TestNext(t *testing.T) {
	p, screen := simulate(t, 40, 12, "")
	s, now := state(t, game.Config{})
	_ = p.Show(s.View(now), false)
	screen.InjectKey(tcell.KeyF1, 0, 0) // has no meaning
	screen.InjectKey(tcell.KeyCtrlL, 0, 0)
	screen.InjectKey(tcell.KeyLeft, 0, 0)
	if ev, err := p.Next(t.Context()); ev != (game.Press{Key: game.Left}) || err != nil {
		t.Error(ev, err)
	}
	l := p.layout()
	screen.InjectMouse(l.number(5), l.top+3, tcell.Button1, 0)
	if ev, err := p.Next(t.Context()); ev != (game.Column{Col: 5}) || err != nil {
		t.Error(ev, err)
	}

	// In a window that is too small only q works.
	screen.SetSize(30, 10)
	screen.InjectKey(tcell.KeyLeft, 0, 0)
	screen.InjectKey(tcell.KeyRune, 'q', 0)
	if ev, err := p.Next(t.Context()); ev != (game.Quit{}) || err != nil {
		t.Error(ev, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if ev, err := p.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Error(ev, err)
	}
	p.Close()
	p.Close()
	if ev, err := p.Next(t.Context()); !errors.Is(err, ErrClosed) {
		t.Error(ev, err)
	}
}

// A new window size redraws the picture.
func TestResize(t *testing.T) {
	p, screen := simulate(t, 40, 12, "")
	s, now := state(t, game.Config{})
	_ = p.Show(s.View(now), false)
	screen.SetSize(20, 5)
	p.redraw()
	if got := text(screen); !strings.Contains(got, "too small") {
		t.Error(got)
	}
	screen.SetSize(90, 30)
	if ev, err := p.handle(t.Context(), tcell.NewEventResize(90, 30)); ev != nil || err != nil {
		t.Error(ev, err)
	}
	if got := text(screen); !strings.Contains(got, "red to move") {
		t.Error(got)
	}
}
