package solver

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/c4hat/c4hat/board"
)

var update = flag.Bool("update", false, "regenerate the positions in testdata; takes a minute or two")

// sets are the benchmark positions: random ones, by ply and by the number of plies left
// when both sides play perfectly.
var sets = []struct {
	name        string
	plies, left [2]int // from, to
	n           int
}{
	{"end-short", [2]int{29, 40}, [2]int{1, 13}, 300},
	{"middle-short", [2]int{15, 28}, [2]int{1, 13}, 300},
	{"middle-long", [2]int{15, 28}, [2]int{14, 27}, 200},
	{"opening-short", [2]int{5, 14}, [2]int{1, 13}, 200},
	{"opening-medium", [2]int{7, 14}, [2]int{14, 27}, 100},
	{"opening-long", [2]int{5, 11}, [2]int{28, 42}, 20},
}

// TestMakePositions generates the sets from a fixed seed. Other tests check the scores.
func TestMakePositions(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	s := New(Options{})
	for i, set := range sets {
		r := rand.New(rand.NewPCG(2026, uint64(i)))
		var out bytes.Buffer
		for n := 0; n < set.n; {
			moves, p := randomGame(r, set.plies[0]+r.IntN(set.plies[1]-set.plies[0]+1))
			score := s.mustSolve(t, p)
			if left := pliesLeft(p.Ply(), score); left < set.left[0] || left > set.left[1] {
				continue
			}
			fmt.Fprintln(&out, moves, score)
			n++
		}
		if err := os.WriteFile("testdata/"+set.name+".positions", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// pliesLeft returns how many plies a game with that score has left.
func pliesLeft(ply, score int) int {
	for last := ply; last < std.cells; last++ {
		if (last-ply)&1 == 0 && score == std.winAt(last) || (last-ply)&1 == 1 && score == -std.winAt(last) {
			return last + 1 - ply
		}
	}
	return std.cells - ply
}

// randomGame drops that many random discs, and starts over if one wins.
func randomGame(r *rand.Rand, plies int) (string, board.Position) {
	for {
		g, err := board.NewGame(board.Standard, board.Red)
		if err != nil {
			panic(err)
		}
		for g.Position().Ply() < plies && g.Position().Outcome() == board.Playing {
			_ = g.Play(r.IntN(std.columns)) // try again if the column is full
		}
		if p := g.Position(); p.Outcome().Winner() == board.Empty && p.Ply() == plies {
			return g.String(), p
		}
	}
}
