package board

import (
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/internal/dev/try"
)

// naive has the rules in the obvious form: a grid of discs, and every line checked cell by cell.
// The bitboard is compared with it.
type naive struct {
	rules Rules
	cells [MaxSide][MaxSide]Disc // column, row
	turn  Disc
	ply   int
}

func (n *naive) height(col int) int {
	h := 0
	for h < n.rules.Rows && n.cells[col][h] != Empty {
		h++
	}
	return h
}

func (n *naive) at(col, row int) Disc {
	if col < 0 || col >= n.rules.Columns || row < 0 || row >= n.rules.Rows {
		return Empty
	}
	return n.cells[col][row]
}

func (n *naive) drop(col int) {
	n.cells[col][n.height(col)] = n.turn
	n.turn = n.turn.Other()
	n.ply++
}

// lines calls line with the cells of every straight run of k cells.
func (n *naive) lines(line func(cells [][2]int)) {
	for col := range n.rules.Columns {
		for row := range n.rules.Rows {
			for _, step := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
				var cells [][2]int
				for i := range n.rules.Connect {
					c, r := col+i*step[0], row+i*step[1]
					if c < n.rules.Columns && r >= 0 && r < n.rules.Rows {
						cells = append(cells, [2]int{c, r})
					}
				}
				if len(cells) == n.rules.Connect {
					line(cells)
				}
			}
		}
	}
}

func (n *naive) count(cells [][2]int, d Disc) int {
	count := 0
	for _, c := range cells {
		if n.at(c[0], c[1]) == d {
			count++
		}
	}
	return count
}

func (n *naive) won() (d Disc, discs Bitboard) {
	n.lines(func(cells [][2]int) {
		for _, side := range []Disc{Red, Yellow} {
			if n.count(cells, side) == n.rules.Connect {
				d = side
				for _, c := range cells {
					discs |= 1 << (8*c[0] + c[1])
				}
			}
		}
	})
	return d, discs
}

func (n *naive) threats(d Disc) (threats Bitboard) {
	n.lines(func(cells [][2]int) {
		if n.count(cells, d) == n.rules.Connect-1 && n.count(cells, Empty) == 1 {
			for _, c := range cells {
				if n.at(c[0], c[1]) == Empty {
					threats |= 1 << (8*c[0] + c[1])
				}
			}
		}
	})
	return threats
}

func (n *naive) outcome() Outcome {
	switch d, _ := n.won(); {
	case d == Red:
		return RedWins
	case d == Yellow:
		return YellowWins
	case n.ply == n.rules.Cells():
		return Draw
	}
	return Playing
}

// everyRules calls f for every size and line length.
func everyRules(f func(Rules)) {
	for columns := 1; columns <= MaxSide; columns++ {
		for rows := 1; rows <= MaxSide; rows++ {
			for connect := 2; connect <= MaxSide; connect++ {
				f(Rules{columns, rows, connect})
			}
		}
	}
}

// Random games on boards of every size and line length are played to the end and one move beyond
// it.
func TestAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	number := 0
	everyRules(func(r Rules) {
		games := 2
		if number++; testing.Short() {
			games = number % 5 / 4 // every fifth: all sizes and all lengths, but not all combinations
		}
		for range games {
			first := Red + Disc(rng.IntN(2))
			g, err := NewGame(r, first)
			must(t, err)
			n := &naive{rules: r, turn: first}
			for g.Position().Outcome() == Playing {
				checkAgainstNaive(t, g.Position(), n)
				col := rng.IntN(r.Columns)
				err := g.Play(col)
				if full := n.height(col) == r.Rows; full != (err == ErrColumnFull) || !full && err != nil {
					t.Fatalf("%v %v: column %d full is %v, Play says %v", r, g.String(), col, full, err)
				}
				if err == nil {
					n.drop(col)
				}
			}
			checkAgainstNaive(t, g.Position(), n)
			for col := range r.Columns {
				if err := g.Play(col); err != ErrGameOver {
					t.Fatalf("%v %v is over, but Play(%d) says %v", r, g.String(), col, err)
				}
			}
		}
	})
}

func checkAgainstNaive(t *testing.T, p Position, n *naive) {
	t.Helper()
	if p.Outcome() != n.outcome() || p.Turn() != n.turn || p.Ply() != n.ply {
		t.Fatalf("%v\n%voutcome %v, want %v; turn %v, want %v; ply %d, want %d",
			p.Rules(), p, p.Outcome(), n.outcome(), p.Turn(), n.turn, p.Ply(), n.ply)
	}
	if _, want := n.won(); p.Lines() != want {
		t.Fatalf("%v\n%vlines %x, want %x", p.Rules(), p, p.Lines(), want)
	}
	for _, d := range []Disc{Red, Yellow} {
		if p.Threats(d) != n.threats(d) {
			t.Fatalf("%v\n%vthreats of %v %x, want %x", p.Rules(), p, d, p.Threats(d), n.threats(d))
		}
	}
	for col := -1; col <= MaxSide; col++ {
		for row := -1; row <= MaxSide; row++ {
			if p.At(col, row) != n.at(col, row) {
				t.Fatalf("%v\n%vat %d,%d: %v, want %v", p.Rules(), p, col, row, p.At(col, row), n.at(col, row))
			}
		}
	}
	free := 0
	for col := range p.LegalMoves() {
		free++
		if n.height(col) == n.rules.Rows {
			t.Fatalf("%v\n%vcolumn %d is not free", p.Rules(), p, col)
		}
	}
	want := 0
	for col := range n.rules.Columns {
		if n.outcome() == Playing && n.height(col) < n.rules.Rows {
			want++
		}
	}
	if free != want {
		t.Fatalf("%v\n%v%d free columns, want %d", p.Rules(), p, free, want)
	}
}

// Undoing all moves leads back through every earlier position to the empty board.
func TestUndo(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	everyRules(func(r Rules) {
		g, err := NewGame(r, Yellow)
		must(t, err)
		passed := []Game{g}
		for g.Position().Outcome() == Playing {
			if g.Play(rng.IntN(r.Columns)) == nil {
				passed = append(passed, g)
			}
		}
		for i := len(passed) - 1; i >= 0; i-- {
			if g != passed[i] {
				t.Fatalf("%v: back at ply %d, but the game is another", r, i)
			}
			if err := g.Undo(); (err == ErrNoMove) != (i == 0) {
				t.Fatalf("%v: Undo at ply %d: %v", r, i, err)
			}
		}
	})
}

var must = try.Must
