package game

import (
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
)

// Views allocate at most a few small objects.
func TestViewAllocations(t *testing.T) {
	for _, scene := range scenes {
		p := playScene(t, scene.setup)
		now := p.now
		if n := testing.AllocsPerRun(100, func() {
			p.state.Step(now, Tick{})
			_ = p.state.View(now)
			_, _ = p.state.Next(now)
		}); n > 10 {
			t.Errorf("%s: %v allocations", scene.name, n)
		}
	}
}

func BenchmarkStepView(b *testing.B) {
	for _, setup := range []string{"aim, standard", "aim, 8x8"} {
		b.Run(setup, func(b *testing.B) {
			c := Config{Setup: Setup{Rules: board.Standard, Points: 2, Opening: "44535261"}}
			if strings.HasSuffix(setup, "8x8") {
				c.Rules = board.FullMatrix
			}
			s, err := New(c, start)
			must(b, err)
			b.ReportAllocs()
			for b.Loop() {
				s.Step(start, Tick{})
				_ = s.View(start)
				_, _ = s.Next(start)
			}
		})
	}
}
