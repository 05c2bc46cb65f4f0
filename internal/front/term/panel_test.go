package term

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/vt"
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

// terminal returns a terminal in memory, and its screen.
func terminal(t testing.TB, width, height int, charset string) (vt.MockTerm, tcell.Screen) {
	t.Helper()
	t.Setenv("LC_ALL", "C."+cmp.Or(charset, "UTF-8"))
	tty := vt.NewMockTerm(vt.MockOptSize{X: vt.Col(width), Y: vt.Row(height)})
	screen, err := tcell.NewTerminfoScreenFromTty(tty, append(plain, tcell.OptColors(256))...)
	must(t, err)
	must(t, screen.Init())
	return tty, screen
}

func simulate(t *testing.T, width, height int, charset string) (*Panel, tcell.Screen) {
	t.Helper()
	_, screen := terminal(t, width, height, charset)
	p := New(screen)
	t.Cleanup(p.Close)
	return p, screen
}

// resize changes the size of a panel's terminal, and waits until the screen knows.
func resize(p *Panel, tty vt.MockTerm, width, height int) {
	tty.SetSize(vt.Coord{X: vt.Col(width), Y: vt.Row(height)})
	for ev := range p.events {
		if r, ok := ev.(*tcell.EventResize); ok {
			if w, h := r.Size(); w == width && h == height {
				return
			}
		}
	}
}

func TestNext(t *testing.T) {
	tty, screen := terminal(t, 40, 12, "")
	p := New(screen)
	s, now := state(t, game.Config{})
	_ = p.Show(s.View(now))
	tty.SendRaw([]byte("\x1bOP\x0c\x1b[D")) // F1 has no meaning
	if ev, err := p.Next(t.Context()); ev != (game.Press{Key: game.Left}) || err != nil {
		t.Error(ev, err)
	}
	l := p.layout()
	x, y := l.middle(5, 3)
	tty.SendRaw(fmt.Appendf(nil, "\x1b[<0;%d;%dM", x+1, y+1))
	if ev, err := p.Next(t.Context()); ev != (game.Column{Col: 5}) || err != nil {
		t.Error(ev, err)
	}

	// Another size draws the picture again. In a window that is too small only q works.
	for _, tt := range []struct {
		width       int
		shown, keys string
		want        game.Event
	}{{90, "red to move", "\x1b[D", game.Press{Key: game.Left}}, {30, "too small", "\x1b[Dq", game.Quit{}}} {
		resize(p, tty, tt.width, tt.width/3)
		if ev, err := p.handle(tcell.NewEventResize(tt.width, tt.width/3)); ev != nil || err != nil || !strings.Contains(text(screen), tt.shown) {
			t.Error(ev, err, text(screen))
		}
		tty.SendRaw([]byte(tt.keys))
		if ev, err := p.Next(t.Context()); ev != tt.want || err != nil {
			t.Error(tt.width, ev, err)
		}
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

// In the background, the panel looks five times a second whether it may draw again.
func TestContinueSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Panel{continued: make(chan os.Signal, 1)}
		began := time.Now()
		p.continueSoon()
		if <-p.continued; time.Since(began) != 200*time.Millisecond {
			t.Error(time.Since(began))
		}
	})
}
