package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/game"
)

// prover proves reasons on a board of plain arrays. It uses nothing of the boards and of the code that finds
// reasons.
type prover struct {
	board.Rules
	solver *solver.Solver
	scores map[string]int // by moves

	cells  [8][8]int // by column and row: 0 is empty, 1 and 2 are the players
	height [8]int
	ply    int
}

func newProver(r board.Rules) *prover {
	return &prover{Rules: r, solver: solver.New(solver.Options{}), scores: map[string]int{}}
}

// score returns the score after some moves for the side to move, which may have lost.
func (n *prover) score(moves string) int {
	score, ok := n.scores[moves]
	if ok {
		return score
	}
	p, err := board.Parse(n.Rules, moves)
	if score = -n.won(len(moves)); p.Outcome().Winner() == board.Empty {
		var r solver.Result
		r, err = n.solver.Solve(context.Background(), p)
		score = r.Score
	}
	if err != nil {
		panic(err)
	}
	n.scores[moves] = score
	return score
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

func (n *prover) free(col int) bool { return col >= 0 && col < n.Columns && n.height[col] < n.Rows }

// wins reports whether a disc of a player in a cell completes a line.
func (n *prover) wins(col, row, player int) bool {
	for _, way := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		run := 1
		for _, dir := range [2]int{1, -1} {
			for c, r := col+dir*way[0], row+dir*way[1]; c >= 0 && c < n.Columns && r >= 0 && r < n.Rows && n.cells[c][r] == player; c, r = c+dir*way[0], r+dir*way[1] {
				run++
			}
		}
		if run >= n.Connect {
			return true
		}
	}
	return false
}

// now returns the columns in which a player's next disc wins.
func (n *prover) now(player int) (columns []int) {
	for col := range n.Columns {
		if n.free(col) && n.wins(col, n.height[col], player) {
			columns = append(columns, col)
		}
	}
	return columns
}

// won returns the score of a disc that wins as the ply-th of the game.
func (n *prover) won(ply int) int { return (n.Cells() - ply + 2) / 2 }

// prove proves a reason after some discs, and its variation; the side to move has the score.
func (n *prover) prove(moves string, w game.Why, score int) error {
	for i := range len(w.Line) + 1 {
		n.set(moves + w.Line[:i])
		if i < len(w.Line) && !n.free(int(w.Line[i]-'1')) {
			return fmt.Errorf("disc %d of the line breaks the rules", i+1)
		}
		if got, want := n.score(moves+w.Line[:i]), score*(1-i%2*2); got != want {
			return fmt.Errorf("after disc %d of the line the score is %d, not %d", i, got, want)
		}
	}
	n.set(moves)
	return n.reason(moves, w, score, n.turn())
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
		for col := range n.Columns { // whatever the answer is
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
			for col := range n.Columns {
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
		for col := range n.Columns {
			if col != w.Column() && n.free(col) && n.score(moves+strconv.Itoa(col+1)) <= -score {
				return fmt.Errorf("column %d is as good", col+1)
			}
		}
	case game.Distance:
	default:
		return fmt.Errorf("unknown reason %q", w.Kind)
	}
	return nil
}
