package analysis

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
)

// The comparison is off by default: without the book, each position of the first plies takes
// seconds.
var openings = flag.Int("openings", 0, "random games whose first six discs are compared with a solver without the book")

// The scores of a game's first discs, which the book has, are those that a search without it
// finds.
func TestOpenings(t *testing.T) {
	if *openings == 0 {
		t.Skip("it takes minutes; -openings 20 compares 20 games")
	}
	const plies = 6
	r := rand.New(rand.NewPCG(22, 5))
	a := New(solver.Options{})
	other := solver.New(solver.Options{NoBook: true, Table: 256 << 20})
	known := map[board.Position]int{}
	discs := 0
	for range *openings {
		g := randomGame(r, board.Red)
		for position := g.Position(); position.Ply() < plies; position = g.Position() {
			g = randomGame(r, board.Red)
		}
		report, err := a.Report(context.Background(), g, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := board.NewPosition(board.Standard, board.Red)
		for ply, d := range report.Discs[:plies] {
			next, err := p.Drop(g.Move(ply))
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range [2]board.Position{p, next} {
				if _, ok := known[q]; ok {
					continue
				}
				found, err := other.Solve(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				known[q] = found.Score
			}
			if before, after := known[p], -known[next]; d.Before != before || d.After != after {
				t.Errorf("%v: disc %d: %d, %d, want %d, %d", g, ply+1, d.Before, d.After, before, after)
			}
			discs++
			p = next
		}
	}
	t.Logf("%d discs, %d positions", discs, len(known))
}
