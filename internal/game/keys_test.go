package game

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

// scenes puts a player into every phase, with a disc to take back and the cursor
// on column 3.
var scenes = []struct {
	name  string
	setup string
}{
	{"attract", "game attract forever"},
	{"menu", "game attract forever\npress left"},
	{"aim", "game\ndrops 4\npress left"},
	{"aim, empty", "game\npress left"},
	{"aim, column full", "game\ndrops 333333\npress left"},
	{"aim 8x8", "game board=8x8\ndrops 4\npress left"},
	{"fall", "game\ndrops 4\npress middle\npress left"},
	{"last fall", "game\ndrops 112233\ncolumn 4"},
	{"cheer", "game\ndrops 1122334"},
	{"score", "game\ndrops 1122334\nafter 1500ms"},
	{"victory", "game points=1\ndrops 1122334\nafter 3s"},
	{"draw", "game\ndrops 121212212121343434434343565656656565777777"},
	{"clear", "game\ndrops 1122334\nafter 3s"},
	{"last clear", "game points=1 forever\ndrops 1122334\nafter 4500ms"},
	{"pause: resume", "game\ndrops 4\npress left\npress up"},
	{"pause: undo", "game\ndrops 4\npress left\npress up\npress right"},
	{"pause: hint", "game\ndrops 4\npress left\npress up\npress right\npress right"},
	{"pause: end", "game forever\ndrops 4\npress left\npress up\npress up"},
	{"hint", "game\ndrops 4\npress left\nhint\nadvise 0 0 0 0 0 0 0"},
	{"dark aim", "game idle=1s\ndrops 4\npress left\nafter 1s"},
	{"dark pause", "game idle=1s\ndrops 4\npress left\npress up\nafter 1s"},
	{"dark attract", "game attract forever idle=1s\nafter 1s"},
	{"over", "game points=1\ndrops 1122334\nafter 10s"},
}

var inputs = []string{
	"press up", "press down", "press left", "press right", "press middle",
	"hold up", "hold down", "hold left", "hold right", "hold middle",
	"release left", "release middle",
	"column 5", "column 8", "point 5", "point 8", "undo", "hint", "pause", "quit",
}

// TestEveryKeyInEveryPhase is the whole table: what each input does in each
// phase. A hold comes 150 ms after its press, which counts in the phase it was
// made in.
func TestEveryKeyInEveryPhase(t *testing.T) {
	var out strings.Builder
	for _, scene := range scenes {
		fmt.Fprintf(&out, "%s\n", scene.name)
		for _, input := range inputs {
			p := playScene(t, scene.setup)
			if strings.HasPrefix(input, "hold ") {
				p.now = p.now.Add(holdEvery)
			}
			p.effects = nil
			before := p.brief()
			if err := p.do(input); err != nil {
				t.Fatal(err)
			}
			if after := p.brief(); after != before {
				fmt.Fprintf(&out, "\t%-14s %s\n", input, after)
			}
		}
	}
	const file = "testdata/keys.table"
	want, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if out.String() == string(want) {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	is, was := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(is), len(was)) {
		if is[i] != was[i] {
			t.Fatalf("%s:%d: is %q, want %q", file, i+1, is[i], was[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", file, len(is), len(was))
}

func playScene(t *testing.T, setup string) *player {
	t.Helper()
	var p *player
	for line := range strings.Lines(setup) {
		line = strings.TrimSpace(line)
		if words, ok := strings.CutPrefix(line, "game"); ok {
			p = newPlayer(t, scriptConfig(t, words))
		} else if err := p.do(line); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *player) brief() string {
	v := p.state.View(p.now)
	s := v.Phase.String()
	switch v.Phase {
	case Aim, Fall:
		s += fmt.Sprintf(", ply %d, cursor on %d", v.Game.Position().Ply(), v.Cursor+1)
	}
	if p.state.pauseNext && v.Phase == Fall {
		s += ", then pause"
	}
	for _, more := range []string{v.Item, v.Notice.String()} {
		if more != "" {
			s += ", " + more
		}
	}
	for _, e := range p.effects {
		s += fmt.Sprintf(", %T", e)
	}
	return s
}

// However somebody mashes the keys, no disc drops that was not asked for: a key
// that drops counts only a while after the last one, whatever those did, and holds
// and releases drop nothing at all.
func TestMashingDropsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, size := range []string{"7x6", "8x8", "3x7", "1x8", "8x2"} {
		p := newPlayer(t, scriptConfig(t, "forever points=1 first=loser board="+size))
		var dropped time.Time // the last key that drops
		discs := 0
		for range 20000 {
			gap := time.Duration(1+rng.IntN(120)) * time.Millisecond
			if rng.IntN(10) == 0 {
				gap += dropAgain
			}
			p.after(gap)
			var ev Event = Press{Key(1 + rng.IntN(5)), Action(rng.IntN(3))}
			switch rng.IntN(6) {
			case 0:
				ev = Column{rng.IntN(9) - 1}
			case 1:
				ev = Command(rng.IntN(3))
			}
			before := p.state
			shown := p.frame()
			p.step(ev)
			press, isPress := ev.(Press)
			fresh := drops(ev) && !(isPress && press.Action != Pressed)
			if p.state.phase == Fall && before.phase != Fall {
				discs++
				if !fresh || before.phase != Aim {
					t.Fatalf("%s: %v in %v dropped a disc", size, ev, before.phase)
				}
				if p.now.Sub(dropped) < dropAgain {
					t.Fatalf("%s: a disc %v after the last key", size, p.now.Sub(dropped))
				}
				if before.game.Position().Rules().Rows < 8 && !before.refused.dark(p.now) && strings.HasPrefix(shown, "........") {
					t.Fatalf("%s: a disc without a cursor\n%s", size, shown)
				}
			}
			if fresh && p.state.notice == (Notice{}) {
				dropped = p.now
			}
		}
		if discs < 300 {
			t.Errorf("%s: only %d discs were dropped: little was tested", size, discs)
		}
	}
}

// Keeping on pressing what is refused never makes anything flash faster than
// twice a second.
func TestRefusalsDoNotFlash(t *testing.T) {
	for _, gap := range []time.Duration{7, 33, 130, 260, 310, 490, 760} {
		for _, keys := range []string{"press middle", "press middle\npress left\npress right", "undo\npress middle"} {
			p := newPlayer(t, scriptConfig(t, "opening=444444"))
			wentDark := []time.Time{}
			lines := strings.Split(keys, "\n")
			wasDark := false
			look := func() {
				dark := p.state.View(p.now).Frame[p.state.cursor] == dark
				if dark && !wasDark {
					wentDark = append(wentDark, p.now)
				}
				wasDark = dark
			}
			for i := 0; p.now.Before(start.Add(20 * time.Second)); i++ {
				if err := p.do(lines[i%len(lines)]); err != nil {
					t.Fatal(err)
				}
				look()
				for range gap {
					p.after(time.Millisecond)
					look()
				}
			}
			if len(wentDark) < 5 {
				t.Fatalf("every %v ms %q: nothing blinked", int(gap), keys)
			}
			for i := 1; i < len(wentDark); i++ {
				if d := wentDark[i].Sub(wentDark[i-1]); d < time.Second/3 {
					t.Fatalf("every %d ms %q: dark again after %v", int(gap), keys, d)
				}
			}
		}
	}
}

func TestNewErrors(t *testing.T) {
	good := Config{Rules: board.Standard, Points: 2}
	for name, breakIt := range map[string]func(*Config){
		"no line":       func(c *Config) { c.Rules = board.Rules{Columns: 3, Rows: 3, Connect: 4} },
		"rules":         func(c *Config) { c.Rules.Columns = 9 },
		"points":        func(c *Config) { c.Points = 4 },
		"no points":     func(c *Config) { c.Points = 0 },
		"first":         func(c *Config) { c.First = 77 },
		"opening":       func(c *Config) { c.Opening = "48" },
		"opening over":  func(c *Config) { c.Opening = "1212121" },
		"opening drawn": func(c *Config) { c.Opening = "121212212121343434434343565656656565777777" },
	} {
		c := good
		breakIt(&c)
		if _, err := New(c, start); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := New(good, start); err != nil {
		t.Error(err)
	}
}

// Nothing is allocated while the picture stands still.
func TestStillIsFree(t *testing.T) {
	for _, scene := range scenes {
		p := playScene(t, scene.setup)
		now := p.now
		if n := testing.AllocsPerRun(100, func() {
			s, _ := p.state.Step(now, Tick{})
			_ = s.View(now)
			_, _ = s.Next(now)
		}); n != 0 {
			t.Errorf("%s: %v allocations", scene.name, n)
		}
	}
}

func BenchmarkStepView(b *testing.B) {
	for _, setup := range []string{"aim, standard", "aim, 8x8"} {
		b.Run(setup, func(b *testing.B) {
			c := Config{Rules: board.Standard, Points: 2, Opening: "44535261"}
			if strings.HasSuffix(setup, "8x8") {
				c.Rules = board.FullMatrix
			}
			s, err := New(c, start)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				s, _ = s.Step(start, Tick{})
				_ = s.View(start)
				_, _ = s.Next(start)
			}
		})
	}
}
