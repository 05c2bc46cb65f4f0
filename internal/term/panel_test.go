package term

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/golden"
	"github.com/gdamore/tcell/v2"
)

var start = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

// state is a game that has seen some events, each a second after the last.
func state(t *testing.T, c game.Config, events ...game.Event) (game.State, time.Time) {
	t.Helper()
	if c.Rules == (board.Rules{}) {
		c.Rules = board.Standard
	}
	if c.Points == 0 {
		c.Points = 2
	}
	now := start
	s, err := game.New(c, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		s, _ = s.Step(now, ev)
		for range 20 {
			now = now.Add(50 * time.Millisecond)
			s, _ = s.Step(now, game.Tick{})
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

// colourless is a simulated terminal that has no colours.
type colourless struct{ tcell.SimulationScreen }

func (colourless) Colors() int { return 0 }

func simulate(t *testing.T, width, height int, charset string) (*Panel, tcell.SimulationScreen) {
	t.Helper()
	screen := tcell.NewSimulationScreen(charset)
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	screen.SetSize(width, height)
	p := New(screen, PlayHelp)
	t.Cleanup(p.Close)
	return p, screen
}

// text is what a screen shows, without the blanks at the ends of lines.
func text(screen tcell.SimulationScreen) string {
	cells, width, height := screen.GetContents()
	var out strings.Builder
	for y := range height {
		line := ""
		for x := range width {
			if runes := cells[y*width+x].Runes; len(runes) > 0 && runes[0] != 'X' {
				line += string(runes)
			} else {
				line += " "
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

func TestScreens(t *testing.T) {
	tests := []struct {
		name          string
		width, height int
		charset       string
		mono          bool
		config        game.Config
		events        []game.Event
	}{
		{name: "aim", events: drops("4453")},
		{name: "aim letters", mono: true, events: drops("4453")},
		{name: "aim ascii", charset: "US-ASCII", events: drops("4453")},
		{name: "full matrix letters", mono: true, config: game.Config{Setup: game.Setup{Rules: board.FullMatrix}}, events: drops("4453")},
		{name: "large", width: 80, height: 24, events: drops("4453")},
		{name: "larger", width: 120, height: 40, events: drops("4453")},
		{name: "larger letters", mono: true, width: 120, height: 40, events: drops("4453")},
		{name: "too small", width: 39, height: 12, events: drops("4453")},
		{name: "too low", width: 40, height: 11},
		{name: "tiny", width: 9, height: 1},
		{name: "nothing", width: 1, height: 1},
		{name: "long game", events: drops("12121221212134343443434356565665656577777")},
		{name: "long game 8x8", config: game.Config{Setup: game.Setup{Rules: board.FullMatrix}},
			events: drops("371851745455371763123314385371828137455856876422824618474222666")},
		{name: "full column", events: append(drops("444444"), game.Press{Key: game.Middle})},
		{name: "nothing to undo", events: []game.Event{game.Undo}},
		{name: "cheer letters", mono: true, events: drops("1212121")},
		{name: "pause", mono: true, events: []game.Event{game.Pause}},
		{name: "hint", events: append(drops("4"), game.Hint, game.Advised{ID: 1,
			Advice: game.Advice{Exact: true, Score: [8]int{-18, -2, 0, 1, 21, 0, -1}}})},
		{name: "hint on a full column", events: append(drops("444444"), game.Hint, game.Advised{ID: 1})},
		{name: "attract", mono: true, config: game.Config{Attract: true}},
		{name: "menu", mono: true, config: game.Config{Attract: true},
			events: []game.Event{game.Press{Key: game.Left}, game.Press{Key: game.Left}}},
		{name: "one point", config: game.Config{Setup: game.Setup{Points: 1}}},
		{name: "thinking", config: game.Config{Setup: game.Setup{Computer: board.Yellow, Level: 5}}, events: drops("4")},
	}
	var out strings.Builder
	for _, tt := range tests {
		if tt.width == 0 {
			tt.width, tt.height = leastWidth, leastHeight
		}
		p, screen := simulate(t, tt.width, tt.height, tt.charset)
		if tt.mono {
			p.screen = colourless{screen}
		}
		s, now := state(t, tt.config, tt.events...)
		if err := p.Show(s.View(now), false); err != nil {
			t.Fatal(err)
		}
		out.WriteString("== " + tt.name + "\n" + text(screen))
	}
	golden.Check(t, "testdata/screens.golden", out.String())
}

// Each LED has the colour of the frame, at every size of window.
func TestColours(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		p, screen := simulate(t, size[0], size[1], "")
		s, now := state(t, game.Config{}, append(drops("4453"), game.Hint, game.Advised{ID: 1})...)
		v := s.View(now)
		_ = p.Show(v, false)
		cells, width, height := screen.GetContents()
		l := layoutFor(width, height)
		for i, c := range v.Frame {
			x, y := l.led(i%8, i/8)
			for dy := range l.scale {
				for dx := range 2 * l.scale {
					cell := cells[(y+dy)*width+x+dx]
					fg, bg, _ := cell.Style.Decompose()
					if bg != tcell.ColorBlack {
						t.Fatalf("%v: LED %d is on %v", size, i, bg)
					}
					blank := cell.Runes[0] == ' ' || cell.Runes[0] == '.'
					if !lit(c) && !blank {
						t.Fatalf("%v: LED %d is dark, but shows %q", size, i, cell.Runes)
					}
					if r, g, b := fg.RGB(); lit(c) && (r > 0 != (c.R > 0) || g > 0 != (c.G > 0) || b > 0 != (c.B > 0)) {
						t.Fatalf("%v: LED %d is %v, want %v", size, i, fg, c)
					}
				}
			}
		}
	}
	if full, quarter := screenLight(248), screenLight(62); full < 250 || quarter < 110 || quarter > 150 {
		t.Errorf("full light is %d, a quarter %d: not told apart", full, quarter)
	}
}

func key(k tcell.Key, r rune) *tcell.EventKey { return tcell.NewEventKey(k, r, tcell.ModNone) }

func TestKeys(t *testing.T) {
	tests := []struct {
		key  tcell.Key
		rune rune
		want game.Event
	}{
		{tcell.KeyUp, 0, game.Press{Key: game.Up}},
		{tcell.KeyDown, 0, game.Press{Key: game.Down}},
		{tcell.KeyLeft, 0, game.Press{Key: game.Left}},
		{tcell.KeyRight, 0, game.Press{Key: game.Right}},
		{tcell.KeyEnter, 0, game.Press{Key: game.Middle}},
		{tcell.KeyRune, ' ', game.Press{Key: game.Middle}},
		{tcell.KeyRune, 'h', game.Press{Key: game.Left}},
		{tcell.KeyRune, 'j', game.Press{Key: game.Down}},
		{tcell.KeyRune, 'k', game.Press{Key: game.Up}},
		{tcell.KeyRune, 'l', game.Press{Key: game.Right}},
		{tcell.KeyRune, '1', game.Column{Col: 0}},
		{tcell.KeyRune, '8', game.Column{Col: 7}},
		{tcell.KeyRune, 'u', game.Undo},
		{tcell.KeyRune, '?', game.Hint},
		{tcell.KeyRune, 'p', game.Pause},
		{tcell.KeyRune, 'q', game.Quit{}},
		{tcell.KeyCtrlC, 3, game.Quit{Interrupted: true}},
		{tcell.KeyRune, '0', nil},
		{tcell.KeyRune, '9', nil},
		{tcell.KeyRune, 'x', nil},
		{tcell.KeyEscape, 0, nil},
		{tcell.KeyF1, 0, nil},
	}
	for _, tt := range tests {
		var k keys
		if got := k.key(key(tt.key, tt.rune), start); got != tt.want {
			t.Errorf("%v %q: %#v, want %#v", tt.key, tt.rune, got, tt.want)
		}
	}
	var k keys
	if got := k.key(tcell.NewEventKey(tcell.KeyRune, 'q', tcell.ModAlt), start); got != nil {
		t.Errorf("alt-q: %v", got)
	}
}

// A key that drops is taken for a repeat for 300 ms after the last one, those
// that were ignored included: a held key drops one disc, however long.
func TestRepeatedDrops(t *testing.T) {
	mash := []*tcell.EventKey{key(tcell.KeyRune, ' '), key(tcell.KeyEnter, 0), key(tcell.KeyDown, 0),
		key(tcell.KeyRune, 'j'), key(tcell.KeyRune, '1'), key(tcell.KeyRune, '2')}
	for _, every := range []time.Duration{time.Millisecond, 33 * time.Millisecond, 299 * time.Millisecond} {
		var k keys
		for i := range 100 {
			got := k.key(mash[i%len(mash)], start.Add(time.Duration(i)*every))
			if (got != nil) != (i == 0) {
				t.Fatalf("every %v, press %d: %v", every, i, got)
			}
		}
	}
	var k keys
	for i := range 10 {
		now := start.Add(time.Duration(i) * 300 * time.Millisecond)
		if got := k.key(key(tcell.KeyRune, '3'), now); got != (game.Column{Col: 2}) {
			t.Fatalf("press %d: %v", i, got)
		}
		if got := k.key(key(tcell.KeyLeft, 0), now); got == nil {
			t.Fatal("a key that drops nothing was held back")
		}
	}

	// Held, a key that changes the whole picture does so twice and no more.
	for _, held := range []*tcell.EventKey{key(tcell.KeyRune, 'p'), key(tcell.KeyUp, 0), key(tcell.KeyRune, 'k'), key(tcell.KeyRune, '?')} {
		var k keys
		for i := range 100 {
			got := k.key(held, start.Add(time.Duration(i)*33*time.Millisecond))
			if (got != nil) != (i < 2) {
				t.Fatalf("%v held, repeat %d: %v", held.Name(), i, got)
			}
		}
	}
}

func TestMouse(t *testing.T) {
	now := start
	later := func() time.Time { now = now.Add(time.Second); return now }
	k := keys{pointed: -1}
	tests := []struct {
		col     int
		buttons tcell.ButtonMask
		want    game.Event
	}{
		{3, 0, game.Point{Col: 3}},
		{3, 0, nil}, // a keyboard's cursor is not pulled back
		{4, 0, game.Point{Col: 4}},
		{-1, 0, nil},
		{4, 0, game.Point{Col: 4}},
		{4, tcell.Button1, game.Column{Col: 4}},
		{4, tcell.Button1, nil}, // still held down
		{5, tcell.Button1, game.Point{Col: 5}},
		{5, 0, nil},
		{5, tcell.Button2, nil},
		{5, tcell.WheelUp, nil},
		{-1, tcell.Button1, nil},
		{2, tcell.Button1, game.Point{Col: 2}}, // pressed outside
	}
	for i, tt := range tests {
		if got := k.mouse(tt.col, tt.buttons, later()); got != tt.want {
			t.Errorf("%d: column %d, buttons %b: %v, want %v", i, tt.col, tt.buttons, got, tt.want)
		}
	}
	// A double click drops one disc.
	_ = k.mouse(2, 0, later())
	if got := k.mouse(2, tcell.Button1, later()); got != (game.Column{Col: 2}) {
		t.Error(got)
	}
	_ = k.mouse(2, 0, now.Add(100*time.Millisecond))
	if got := k.mouse(2, tcell.Button1, now.Add(200*time.Millisecond)); got != nil {
		t.Error("a double click dropped two discs")
	}
}

// Every cell of the picture belongs to the column whose LEDs it shows, at every
// size; nothing outside it does.
func TestLayout(t *testing.T) {
	for width := range 150 {
		for height := range 50 {
			l := layoutFor(width, height)
			if l.fits != (width >= 40 && height >= 12) {
				t.Fatalf("%dx%d fits: %v", width, height, l.fits)
			}
			if !l.fits {
				if _, ok := l.column(1, 1); ok {
					t.Fatalf("%dx%d: a column nobody sees", width, height)
				}
				continue
			}
			sideX, _ := l.side()
			if sideX+sideWidth > width || l.foot()+footHeight > height || l.top < headHeight {
				t.Fatalf("%dx%d: %+v does not fit", width, height, l)
			}
			for col := range 8 {
				x, y := l.led(col, 7)
				for _, at := range [][2]int{{x, y}, {x + 2*l.scale - 1, y}, {x, l.foot()}} {
					if got, ok := l.column(at[0], at[1]); !ok || got != col {
						t.Fatalf("%dx%d: %v is column %d, %v, want %d", width, height, at, got, ok, col)
					}
				}
			}
			for _, at := range [][2]int{{l.left - 1, l.top}, {l.left + 16*l.scale, l.top}, {l.left, l.top - 1}, {l.left, l.foot() + 1}} {
				if _, ok := l.column(at[0], at[1]); ok {
					t.Fatalf("%dx%d: %v is a column", width, height, at)
				}
			}
		}
	}
}

func TestNext(t *testing.T) {
	p, screen := simulate(t, 40, 12, "")
	s, now := state(t, game.Config{})
	_ = p.Show(s.View(now), false)
	screen.InjectKey(tcell.KeyF1, 0, 0) // means nothing
	screen.InjectKey(tcell.KeyCtrlL, 0, 0)
	screen.InjectKey(tcell.KeyLeft, 0, 0)
	if ev, err := p.Next(t.Context()); ev != (game.Press{Key: game.Left}) || err != nil {
		t.Error(ev, err)
	}
	l := layoutFor(40, 12)
	x, y := l.led(5, 3)
	screen.InjectMouse(x, y, tcell.Button1, 0)
	if ev, err := p.Next(t.Context()); ev != (game.Column{Col: 5}) || err != nil {
		t.Error(ev, err)
	}

	// A window that is too small takes nothing but the end.
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

// The window changing its size draws the picture anew.
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
	if ev, err := p.heard(t.Context(), tcell.NewEventResize(90, 30)); ev != nil || err != nil {
		t.Error(ev, err)
	}
	if got := text(screen); !strings.Contains(got, "red to move") {
		t.Error(got)
	}
}

func BenchmarkShow(b *testing.B) {
	screen := tcell.NewSimulationScreen("")
	if err := screen.Init(); err != nil {
		b.Fatal(err)
	}
	screen.SetSize(80, 24)
	p := New(screen, PlayHelp)
	defer p.Close()
	s, err := game.New(game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}}, start)
	if err != nil {
		b.Fatal(err)
	}
	v := s.View(start)
	b.ReportAllocs()
	for b.Loop() {
		_ = p.Show(v, false)
	}
}
