package analysis

import (
	"context"
	"flag"
	"strconv"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/game"
)

var count = flag.Int("count-each", 4, "puzzles of each length to check")

// check checks a position in which it is the player's turn, and those after it in the line: a single
// column wins, and no reply loses later than the one in the line.
func (n *prover) check(t *testing.T, moves string, line []uint8) {
	t.Helper()
	after := func(moves string, col int) string { return moves + strconv.Itoa(col+1) }
	var winning []int
	p, _ := board.Parse(n.Rules, moves)
	for col := range p.LegalMoves() {
		if n.score(after(moves, col)) < 0 {
			winning = append(winning, col)
		}
	}
	if len(winning) != 1 || winning[0] != int(line[0]) {
		t.Fatalf("line %v: the columns %v win\n%v", line, winning, p)
	}
	moves = after(moves, winning[0])
	next, _ := board.Parse(n.Rules, moves)
	if won := next.Outcome().Winner() != board.Empty; won != (len(line) == 1) {
		t.Fatalf("line %v: won is %v\n%v", line, won, next)
	}
	if len(line) == 1 {
		return
	}
	latest := -22
	for col := range next.LegalMoves() {
		latest = max(latest, -n.score(after(moves, col)))
	}
	moves = after(moves, int(line[1]))
	if score := -n.score(moves); score != latest {
		t.Fatalf("line %v: the reply is worth %d, another %d\n%v", line, score, latest, next)
	}
	n.check(t, moves, line[2:])
}

// Every puzzle has the length and the column that it states, and no two are equal.
func TestPuzzles(t *testing.T) {
	c := newProver(board.Standard)
	for discs := 1; discs <= game.MaxPuzzle; discs++ {
		seen := map[board.Position]bool{}
		for p, err := range Puzzles(t.Context(), board.Standard, 22, discs) {
			must(t, err)
			g, err := board.ParseGame(board.Standard, board.Red, p.Game.String())
			position := g.Position()
			if err != nil || g != p.Game || position.Outcome() != board.Playing || p.Discs != discs || seen[position] {
				t.Fatalf("%+v, %v", p, err)
			}
			c.check(t, p.Game.String(), p.Line[:2*discs-1])
			for _, col := range p.Line[2*discs-1:] {
				if col != 0 {
					t.Fatalf("%v: line %v of %d discs", p.Game, p.Line, discs)
				}
			}
			tactical(t, p)
			if seen[position] = true; len(seen) == *count {
				break
			}
		}
	}
}

// tactical checks that a puzzle is from the middle of a game, with columns to choose from, and that
// its first disc neither wins nor blocks, unless it is the only one.
func tactical(t *testing.T, p Puzzle) {
	t.Helper()
	position := p.Game.Position()
	columns := 0
	for col := range position.LegalMoves() {
		columns++
		for _, side := range []board.Disc{board.Red, board.Yellow} {
			if p.Discs > 1 && position.Threats(side).Has(col, position.Height(col)) {
				t.Errorf("%v: %v wins at once in column %d", p.Game, side, col+1)
			}
		}
	}
	if n := position.Ply(); n < 10 || n > 28 || columns < 5 {
		t.Errorf("%v: %d discs, %d columns", p.Game, n, columns)
	}
}

// Of finds a puzzle only if exactly one column wins, now and later, and soon.
func TestOf(t *testing.T) {
	s := solver.New(solver.Options{})
	for _, tt := range []struct {
		moves string
		want  int // the column from 1, 0 for none
	}{
		{"112233", 4},  // column 4 wins at once
		{"2233", 0},    // column 4 wins, but later columns 1 and 5 both win
		{"", 0},        // a single column wins, but not soon
		{"1122", 0},    // a draw
		{"1122334", 0}, // the game is over
		{"444444", 0},  // columns 3 and 5 win, but not soon
	} {
		g, err := board.ParseGame(board.Standard, board.Red, tt.moves)
		must(t, err)
		p, err := PuzzleOf(context.Background(), s, g)
		if got := int(p.Line[0]) + 1; err == nil && got != tt.want || err != nil && tt.want != 0 {
			t.Errorf("%q: column %d, %v; want %d", tt.moves, got, err, tt.want)
		}
	}
}

// Puzzles are made for other boards; a board that has no puzzle ends the search for one.
func TestPuzzlesOnOtherBoards(t *testing.T) {
	for rules, want := range map[board.Rules]error{
		board.FullMatrix: nil, {Columns: 6, Rows: 7, Connect: 4}: nil, {Columns: 3, Rows: 3, Connect: 4}: ErrNoMore,
	} {
		for p, err := range Puzzles(t.Context(), rules, 3, 2) {
			if err != want {
				t.Errorf("%v: %v", rules, err)
			}
			if err != nil {
				break
			}
			a, err := solver.New(solver.Options{}).Analyse(t.Context(), p.Game.Position())
			if err != nil || len(a.Line) != 3 || a.Best[0] != int(p.Line[0]) || p.Game.Position().Rules() != rules {
				t.Errorf("%v: line %v, %v, want 3 discs from column %d", rules, a.Line, err, p.Line[0])
			}
			break
		}
	}
}

// A missed win becomes a puzzle, unless the computer missed it, or it is in the opening.
func TestMissed(t *testing.T) {
	g := parse(t, board.Standard, "1122337")
	a := New(solver.Options{})
	for _, tt := range []struct {
		computer      board.Disc
		opening, want int
	}{{board.Red, 0, 0}, {board.Empty, 7, 0}, {board.Yellow, 0, 1}, {board.Empty, 0, 1}} {
		found := 0
		for p, err := range a.Missed(t.Context(), g, tt.opening, tt.computer) {
			must(t, err)
			if found++; p.Game.String() != "112233" || p.Discs != 1 || p.Line[0] != 3 {
				t.Errorf("found %+v", p)
			}
		}
		if found != tt.want {
			t.Errorf("computer %v, opening %d: %d puzzles, want %d", tt.computer, tt.opening, found, tt.want)
		}
	}
}
