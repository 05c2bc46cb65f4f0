package cpu

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/solver"
)

var update = flag.Bool("update", false, "work the openings out anew; takes a quarter of an hour")

// bookPlies is how far the openings go: positions of fewer plies are in them.
const bookPlies = 9

// TestOpenings makes the openings from the empty board, or doubts some of them.
func TestOpenings(t *testing.T) {
	s := solver.New(solver.Options{Table: 256 << 20})
	if *update {
		var file strings.Builder
		for _, turn := range []int{0, 1} { // red's turns, then yellow's
			for _, moves := range worthKnowing(t, s, turn) {
				fmt.Fprintln(&file, moves)
			}
		}
		if err := os.WriteFile("openings.txt", []byte(file.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	lines := strings.Split(strings.TrimSpace(openingsFile), "\n")
	if len(lines) < 500 {
		t.Fatalf("%d openings only", len(lines))
	}
	r := rand.New(rand.NewPCG(1, 0))
	for range 40 {
		moves, best, _ := strings.Cut(lines[r.IntN(len(lines))], " ")
		if len(moves) < 6 {
			continue // seconds each
		}
		p, err := board.Parse(board.Standard, moves)
		if err != nil {
			t.Fatal(err)
		}
		if _, want, err := s.Best(t.Context(), p); err != nil || best != columnsOf(want) {
			t.Errorf("%s: %s, want %s, %v", moves, best, columnsOf(want), err)
		}
	}
}

func columnsOf(best []int) string {
	sorted := slices.Sorted(slices.Values(best))
	var s strings.Builder
	for _, col := range sorted {
		fmt.Fprint(&s, col+1)
	}
	return s.String()
}

// worthKnowing gives the lines of the positions that a perfect player comes to at
// its turns, the first of them at that ply.
func worthKnowing(t *testing.T, s *solver.Solver, turn int) (file []string) {
	t.Helper()
	var now []string
	if turn == 0 {
		now = []string{""}
	} else {
		for col := range 7 {
			now = append(now, fmt.Sprint(col+1))
		}
	}
	for ply := turn; ply < bookPlies; ply += 2 {
		seen := map[board.Position]bool{}
		var next []string
		for _, moves := range now {
			p, err := board.Parse(board.Standard, moves)
			if err != nil {
				t.Fatal(err)
			}
			image, err := board.Parse(board.Standard, mirrored(moves))
			if err != nil {
				t.Fatal(err)
			}
			if seen[p] || seen[image] {
				continue
			}
			seen[p] = true
			_, best, err := s.Best(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			file = append(file, strings.TrimSpace(orDash(moves)+" "+columnsOf(best)))
			for _, col := range best {
				after, err := p.Drop(col)
				if err != nil {
					t.Fatal(err)
				}
				for reply := range after.FreeColumns() {
					if end, err := after.Drop(reply); err == nil && end.Outcome() == board.Playing {
						next = append(next, fmt.Sprintf("%s%d%d", moves, col+1, reply+1))
					}
				}
			}
		}
		t.Logf("ply %d: %d positions", ply, len(seen))
		now = next
	}
	return file
}

func orDash(moves string) string {
	if moves == "" {
		return "-"
	}
	return moves
}
