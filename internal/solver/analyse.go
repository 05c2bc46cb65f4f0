package solver

import (
	"context"
	"slices"

	"github.com/c4hat/c4hat/board"
)

// Analysis has the scores of all moves of a position.
type Analysis struct {
	Result
	Columns [columns]int  // the score of dropping a disc there, for the side to move
	Free    [columns]bool // whether the column has room; if not, it has no score
	Best    []int         // the columns with the best score, from the middle outwards
	Line    []int         // the principal variation, to the end of the game
}

// middleFirst is the order of preference among columns with equal scores.
var middleFirst = [columns]int{3, 2, 4, 1, 5, 0, 6}

// Analyse returns the exact scores of all columns of a position, under the conditions
// and with the errors of [Solver.Solve]. The analysis of a full board is empty.
func (s *Solver) Analyse(ctx context.Context, p board.Position) (Analysis, error) {
	at, err := s.begin(ctx, p)
	if err != nil {
		return Analysis{}, err
	}
	ply := p.Ply()
	if ply == cells {
		return Analysis{}, nil
	}
	a := Analysis{Result: Result{Score: lowest}}
	guess := none // many columns have the same score
	for _, s.column = range middleFirst {
		next, wins, ok := at.drop(s.column)
		if !ok {
			continue
		}
		score := winAt(ply)
		if !wins {
			if guess, ok = s.solve(next, ply+1, guess); !ok {
				return Analysis{}, whyStopped(ctx)
			}
			score = -guess
		}
		a.Columns[s.column], a.Free[s.column] = score, true
		if score > a.Score {
			a.Score, a.Best = score, a.Best[:0]
		}
		if score == a.Score {
			a.Best = append(a.Best, s.column)
		}
	}
	s.column, s.low, s.high = -1, a.Score, a.Score
	for score := a.Score; ply < cells; ply++ {
		column := s.holding(at, ply, score)
		if s.stopped {
			return Analysis{}, whyStopped(ctx)
		}
		a.Line = append(a.Line, column)
		next, wins, _ := at.drop(column)
		if wins {
			break
		}
		at, score = next, -score
	}
	a.Nodes = s.nodes
	return a, nil
}

// drop returns the state after a disc in the column. It reports whether the disc
// completes a line, and whether the column has room.
func (s state) drop(column int) (next state, wins, ok bool) {
	cell := playable(s.mover|s.other) & (0xff << (8 * column))
	if cell == 0 {
		return state{}, false, false
	}
	return s.play(cell), cell&s.wins != 0, true
}

// Best returns the score of a position, as [Solver.Solve] does, and the columns that
// keep it, from the middle outwards; none on a full board. It is faster than
// [Solver.Analyse].
func (s *Solver) Best(ctx context.Context, p board.Position) (Result, []int, error) {
	r, err := s.Solve(ctx, p)
	if err != nil {
		return Result{}, nil, err
	}
	at, err := stateOf(p)
	if err != nil {
		return Result{}, nil, err
	}
	var best []int
	for _, column := range middleFirst {
		holds := s.holds(at, p.Ply(), column, r.Score)
		if s.stopped {
			return Result{}, nil, whyStopped(ctx)
		}
		if holds {
			best = append(best, column)
		}
	}
	r.Nodes = s.nodes
	return r, best, nil
}

// Judgement is a position's score and what each column is worth, as far as it takes to
// tell the outcomes apart. It costs a tenth of an [Analysis].
type Judgement struct {
	Result
	// Columns has the score of the columns that keep the position's score. Of another
	// column it has only the outcome: 1 if it wins too but later, 0 if it draws, and
	// [Lost] if it loses.
	Columns [columns]int
	Free    [columns]bool // whether the column has room; if not, it is worth nothing
}

// Lost is below every score: what a column is worth that loses and is not the best.
const Lost = lowest

// Judge returns what the columns of a position are worth, under the conditions and with
// the errors of [Solver.Solve]. The judgement of a full board is empty.
func (s *Solver) Judge(ctx context.Context, p board.Position) (Judgement, error) {
	r, best, err := s.Best(ctx, p)
	if err != nil {
		return Judgement{}, err
	}
	at, _ := stateOf(p) // Best has checked it
	j := Judgement{Result: r}
	for column := range columns {
		next, _, ok := at.drop(column)
		if j.Free[column] = ok; !ok {
			continue
		}
		j.Columns[column] = Lost
		switch {
		case slices.Contains(best, column):
			j.Columns[column] = r.Score
		case r.Score > 0 && next.wins&playable(next.mover|next.other) == 0:
			// Below a win there are three outcomes; below a draw and a loss, one.
			for _, outcome := range [2]int{1, 0} {
				if s.ask(next, p.Ply()+1, 1-outcome) <= -outcome {
					j.Columns[column] = outcome
					break
				}
			}
			if s.stopped {
				return Judgement{}, whyStopped(ctx)
			}
		}
	}
	j.Nodes = s.nodes
	return j, nil
}

// AtLeast reports whether the score of a position is at least that much, under the
// conditions and with the errors of [Solver.Solve]. The further the question from the
// true score, the cheaper the answer.
func (s *Solver) AtLeast(ctx context.Context, p board.Position, score int) (bool, error) {
	at, err := s.begin(ctx, p)
	if err != nil {
		return false, err
	}
	ply := p.Ply()
	switch {
	case ply == cells:
		return 0 >= score, nil
	case at.wins&playable(at.mover|at.other) != 0:
		return winAt(ply) >= score, nil
	}
	bound := s.ask(at, ply, score)
	if s.stopped {
		return false, whyStopped(ctx)
	}
	return bound >= score, nil
}

// holding returns the first column of middleFirst that keeps the position's score.
func (s *Solver) holding(at state, ply, score int) int {
	for _, column := range middleFirst {
		if s.holds(at, ply, column, score) {
			return column
		}
	}
	return -1
}

// holds reports whether a disc in the column keeps the position's score.
func (s *Solver) holds(at state, ply, column, score int) bool {
	next, wins, ok := at.drop(column)
	switch {
	case !ok:
		return false
	case wins, ply+1 == cells: // a win at once is the best score; the last cell is the only move
		return true
	case next.wins&playable(next.mover|next.other) != 0:
		return -winAt(ply+1) == score
	}
	return s.ask(next, ply+1, 1-score) <= -score
}
