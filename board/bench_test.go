package board

import "testing"

var (
	sinkPosition Position
	sinkOutcome  Outcome
	sinkBitboard Bitboard
)

// drawn is a game of 42 discs without a line.
const drawn = "121212212121343434434343565656656565777777"

func BenchmarkDrop(b *testing.B) {
	for _, r := range []Rules{Standard, FullMatrix, {8, 8, 5}} {
		b.Run(r.String(), func(b *testing.B) {
			start, _ := NewPosition(r, Red)
			b.ReportAllocs()
			p := start
			for i := 0; b.Loop(); i++ {
				next, err := p.Drop(i & 3)
				if err != nil || i&7 == 7 {
					next = start
				}
				p = next
			}
			sinkPosition = p
		})
	}
}

func BenchmarkLines(b *testing.B) {
	p, err := Parse(Standard, drawn[:30])
	must(b, err)
	b.Run("outcome", func(b *testing.B) {
		for b.Loop() {
			sinkOutcome = p.Outcome()
		}
	})
	b.Run("threats", func(b *testing.B) {
		for b.Loop() {
			sinkBitboard = p.Threats(Red)
		}
	})
}

func BenchmarkGame(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		g, _ := NewGame(Standard, Red)
		for _, c := range drawn {
			if g.Play(int(c-'1')) != nil {
				b.Fatal(g.String())
			}
		}
		sinkOutcome = g.Position().Outcome()
	}
}
