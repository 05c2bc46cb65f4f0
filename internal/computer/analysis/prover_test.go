package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/game"
)

// judge finds scores by a plain search or, far from the end, by a solver of its own.
type judge struct {
	*prover
	rules  board.Rules
	solver *solver.Solver
	scores map[string]int // by moves
}

func newJudge(r board.Rules, o solver.Options) judge {
	return judge{newProver(r.Columns, r.Rows, r.Connect), r, solver.New(o), map[string]int{}}
}

const naiveEmpty = 14 // empty cells that the plain search can handle

// score returns the score after some moves for the side to move, which may have lost.
func (j judge) score(moves string) int {
	score, ok := j.scores[moves]
	if ok {
		return score
	}
	p, _ := board.Parse(j.rules, moves)
	j.set(moves)
	switch j.nodes = 1_000_000; {
	case p.Outcome().Winner() != board.Empty:
		score = -j.won(len(moves))
	case j.rules.Cells()-len(moves) <= naiveEmpty:
		score, _ = j.value(-1000, 1000)
	default:
		r, err := j.solver.Solve(context.Background(), p)
		if err != nil {
			panic(err)
		}
		score = r.Score
	}
	j.scores[moves] = score
	return score
}

// prover proves reasons on a board of plain arrays, by a plain search. It uses nothing of the boards, the
// solver and the code that finds reasons.
type prover struct {
	columns, rows, connect int

	cells  [8][8]int // by column and row: 0 is empty, 1 and 2 are the players
	height [8]int
	ply    int
	nodes  int // that it may still visit
	seen   []bounds
}

// bounds are what is known about the value of a position.
type bounds struct {
	one, two  uint64 // the players' cells
	low, high int
}

func newProver(columns, rows, connect int) *prover {
	return &prover{columns: columns, rows: rows, connect: connect, seen: make([]bounds, 1<<19)}
}

// set sets the board up after some discs.
func (n *prover) set(moves string) {
	n.cells, n.height, n.ply = [8][8]int{}, [8]int{}, 0
	for _, c := range moves {
		n.drop(int(c - '1'))
	}
}

func (n *prover) turn() int { return 1 + n.ply%2 }

func (n *prover) drop(col int) {
	n.cells[col][n.height[col]] = n.turn()
	n.height[col]++
	n.ply++
}

func (n *prover) lift(col int) {
	n.ply--
	n.height[col]--
	n.cells[col][n.height[col]] = 0
}

func (n *prover) free(col int) bool { return col >= 0 && col < n.columns && n.height[col] < n.rows }

// wins reports whether a disc of a player in a cell completes a line.
func (n *prover) wins(col, row, player int) bool {
	for _, way := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		run := 1
		for _, dir := range [2]int{1, -1} {
			for c, r := col+dir*way[0], row+dir*way[1]; c >= 0 && c < n.columns && r >= 0 && r < n.rows && n.cells[c][r] == player; c, r = c+dir*way[0], r+dir*way[1] {
				run++
			}
		}
		if run >= n.connect {
			return true
		}
	}
	return false
}

// now returns the columns in which a player's next disc wins.
func (n *prover) now(player int) (columns []int) {
	for col := range n.columns {
		if n.free(col) && n.wins(col, n.height[col], player) {
			columns = append(columns, col)
		}
	}
	return columns
}

// won returns the score of a disc that wins as the ply-th of the game.
func (n *prover) won(ply int) int { return (n.columns*n.rows - ply + 2) / 2 }

var errNodes = errors.New("too far from the end for a plain search")

// value returns the score for the side to move, or a bound of it if that is not between low and high.
func (n *prover) value(low, high int) (int, error) {
	if n.nodes--; n.nodes < 0 {
		return 0, errNodes
	}
	me := n.turn()
	var one, two uint64
	must := -1
	for col := range n.columns {
		for row := range n.height[col] {
			if n.cells[col][row] == 1 {
				one |= 1 << (8*col + row)
			} else {
				two |= 1 << (8*col + row)
			}
		}
		if n.free(col) && n.wins(col, n.height[col], me) {
			return n.won(n.ply + 1), nil
		} else if n.free(col) && n.wins(col, n.height[col], 3-me) {
			must = col
		}
	}
	if n.ply == n.columns*n.rows {
		return 0, nil
	}
	at := &n.seen[(one*0x9e3779b97f4a7c15^two*0xc2b2ae3d27d4eb4f)>>45]
	known := bounds{one, two, -n.won(n.ply + 2), max(0, n.won(n.ply+3))}
	if at.one == one && at.two == two {
		known = *at
	}
	if known.low >= high || known.low == known.high {
		return known.low, nil
	} else if known.high <= low {
		return known.high, nil
	}
	best, floor := -1000, max(low, known.low)
	for i := range n.columns {
		col := (n.columns-1)/2 + (i+1)/2*(1-2*(i%2)) // from the middle
		if col = (col + n.columns) % n.columns; !n.free(col) || must >= 0 && col != must {
			continue
		}
		n.drop(col)
		v, err := n.value(-min(high, known.high), -floor)
		n.lift(col)
		if err != nil {
			return 0, err
		}
		best = max(best, -v)
		if floor = max(floor, best); floor >= min(high, known.high) {
			break
		}
	}
	switch {
	case best <= max(low, known.low):
		known.high = min(known.high, max(best, known.low))
	case best >= min(high, known.high):
		known.low = max(known.low, best)
	default:
		known.low, known.high = best, best
	}
	*at = known
	return best, nil
}

// worth reports whether the side to move has the score.
func (n *prover) worth(score int) (bool, error) {
	v, err := n.value(score-1, score+1)
	return v == score, err
}

// prove proves a reason after some discs, and its variation; the side to move has the score. proved
// says how many discs of the variation, from its end, were proved to be best: the first ones may be too far
// from the end.
func (n *prover) prove(moves string, w game.Why, score int) (proved int, err error) {
	n.set(moves)
	me := n.turn()
	line := w.Line
	for i, c := range line { // the rules
		if col := int(c - '1'); !n.free(col) || i+1 < len(line) && n.wins(col, n.height[col], n.turn()) {
			return 0, fmt.Errorf("disc %d of the line breaks the rules, or wins before its end", i+1)
		}
		n.drop(int(c - '1'))
	}
	if err := n.reason(moves, w, score, me); err != nil && !errors.Is(err, errNodes) {
		return 0, err
	}
	for i := len(line) - 1; i >= 0; i-- { // best play
		n.set(moves + line[:i])
		sign := 1 - i%2*2
		col := int(line[i] - '1')
		if n.wins(col, n.height[col], n.turn()) {
			if sign*score != n.won(n.ply+1) {
				return 0, fmt.Errorf("the line wins with disc %d: that is no score %d", i+1, score)
			}
			proved++
			continue
		}
		ok, err := n.worth(sign * score)
		if ok && err == nil {
			n.drop(col)
			ok, err = n.worth(-sign * score)
		}
		if errors.Is(err, errNodes) {
			return proved, nil
		} else if !ok {
			return 0, fmt.Errorf("disc %d of the line is not best play with the score %d", i+1, score)
		}
		proved++
	}
	return proved, nil
}

// all reports whether every cell of a reason is the player's next to win, on the board as it is.
func (n *prover) all(cells [][2]int, player int) bool {
	for _, c := range cells {
		if n.height[c[0]] != c[1] || !n.wins(c[0], c[1], player) {
			return false
		}
	}
	return len(cells) > 0
}

// reason proves all of a reason but its variation.
func (n *prover) reason(moves string, w game.Why, score, me int) error {
	cells := w.Cells.All(0)
	n.set(moves)
	switch mine, theirs := n.now(me), n.now(3-me); w.Kind {
	case game.Wins:
		if !n.all(cells, me) || len(cells) != len(mine) {
			return errors.New("it does not win at once")
		}
	case game.Blocks:
		if len(mine) > 0 || !n.all(cells, 3-me) || cells[0][0] != w.Column() || len(cells) != 1 || len(theirs) == 0 {
			return errors.New("nothing is blocked")
		}
	case game.Threats, game.Later:
		for i, c := range w.Line[:w.After] {
			if i%2 == 1 && w.Kind == game.Threats && (len(n.now(me)) != 1 || n.now(me)[0] != int(c-'1') || len(n.now(3-me)) > 0) {
				return fmt.Errorf("answer %d is not forced", i)
			}
			n.drop(int(c - '1'))
		}
		if len(cells) < 2 || len(n.now(3-me)) > 0 {
			return errors.New("there are no two threats")
		}
		for _, c := range cells {
			if n.height[c[0]] > c[1] || !n.wins(c[0], c[1], me) {
				return errors.New("a threat does not win")
			}
		}
		for col := range n.columns { // whatever the answer is
			if n.free(col) {
				n.drop(col)
				lost := len(n.now(me)) > 0
				n.lift(col)
				if !lost {
					return fmt.Errorf("column %d stops the threats", col+1)
				}
			}
		}
	case game.Zugzwang:
		n.drop(w.Column())
		if !slices.ContainsFunc(cells, func(c [2]int) bool { return n.wins(c[0], c[1], me) }) {
			return errors.New("no cell wins from the first disc on")
		}
		for _, c := range w.Line[1:] {
			open, under := 0, 0
			for col := range n.columns {
				if n.turn() != me && n.free(col) {
					open++
					if above := [2]int{col, n.height[col] + 1}; slices.Contains(cells, above) && n.wins(above[0], above[1], me) {
						under++
					}
				}
			}
			if open > 0 && open == under && under == len(cells) && len(n.now(3-me)) == 0 {
				return nil
			}
			n.drop(int(c - '1'))
		}
		return errors.New("the loser is never left with the columns under these cells alone")
	case game.Only:
		for col := range n.columns {
			if col != w.Column() && n.free(col) {
				n.drop(col)
				v, err := n.value(-score, 1-score)
				n.lift(col)
				if err != nil {
					return err
				} else if v <= -score {
					return fmt.Errorf("column %d is as good", col+1)
				}
			}
		}
	case game.Distance:
	default:
		return fmt.Errorf("unknown reason %q", w.Kind)
	}
	return nil
}
