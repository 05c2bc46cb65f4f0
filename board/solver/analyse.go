package solver

import (
	"context"
	"errors"
	"slices"

	"github.com/c4hat/c4hat/board"
)

// Analysis has the scores of all moves of a position.
type Analysis struct {
	Result
	Columns [board.MaxSide]int  // the score of dropping a disc there, for the side to move
	Free    [board.MaxSide]bool // whether the column has room; if not, it has no score
	Best    []int               // the columns with the best score, from the middle outwards
	Line    []int               // the principal variation, to the end of the game
}

// Analyse returns the exact scores of all columns of a position, under the conditions
// and with the errors of [Solver.Solve]. The analysis of a full board is empty.
func (s *Solver) Analyse(ctx context.Context, p board.Position) (Analysis, error) {
	at, err := s.begin(ctx, p)
	if err != nil {
		return Analysis{}, err
	}
	ply := p.Ply()
	if ply == s.cells {
		return Analysis{}, nil
	}
	a := Analysis{Result: Result{Score: lowest}}
	guess := none // many columns have the same score
	for _, s.column = range s.fromMiddle[:s.columns] {
		next, wins, ok := s.drop(at, s.column)
		if !ok {
			continue
		}
		score := s.winAt(ply)
		if !wins {
			if guess, ok = s.solve(next, ply+1, guess); !ok {
				return Analysis{}, stopError(ctx)
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
	a.Line = s.line(at, p, a.Score, func(board.Position, int) []int { return s.fromMiddle[:s.columns] })
	if s.stopped {
		return Analysis{}, stopError(ctx)
	}
	a.Nodes = s.nodes
	return a, nil
}

// Line returns the principal variation of a position with a known score: the moves of best play, to
// the end of the game. Of several best moves it takes the one that order, given the position and its
// score, puts first. The line is shorter if the search would visit more than the given number of
// positions, and empty if the position cannot be solved. It also returns how many it visited.
func (s *Solver) Line(ctx context.Context, p board.Position, score int, nodes uint64, order func(board.Position, int) []int) ([]int, uint64) {
	at, err := s.begin(ctx, p)
	if err != nil {
		return nil, 0
	}
	defer func(limit uint64) { s.maxNodes = limit }(s.maxNodes)
	s.maxNodes = nodes
	return s.line(at, p, score, order), s.nodes
}

// line returns the principal variation as far as the search goes.
func (s *Solver) line(at state, p board.Position, score int, order func(board.Position, int) []int) (line []int) {
	for p.Outcome() == board.Playing {
		columns := order(p, score)
		first := slices.IndexFunc(columns, func(column int) bool { return s.keeps(at, p.Ply(), column, score) })
		if s.stopped || first < 0 {
			break
		}
		line = append(line, columns[first])
		at, _, _ = s.drop(at, columns[first])
		p, _ = p.Drop(columns[first]) // it has room
		score = -score
	}
	return line
}

// drop returns the state after a disc in the column. It reports whether the disc
// completes a line, and whether the column has room.
func (g *geometry) drop(s state, column int) (next state, wins, ok bool) {
	cell := g.playable(s.mover|s.other) & (0xff << (8 * column))
	if cell == 0 {
		return state{}, false, false
	}
	return g.play(s, cell), cell&s.wins != 0, true
}

// Best returns the score of a position, as [Solver.Solve] does, and the columns that keep the
// score, from the middle outwards. On a full board there are none. Best is faster than
// [Solver.Analyse].
func (s *Solver) Best(ctx context.Context, p board.Position) (Result, []int, error) {
	r, _, keep, err := s.best(ctx, p)
	var best []int
	for _, column := range s.fromMiddle[:s.columns] {
		if keep[column] {
			best = append(best, column)
		}
	}
	return r, best, err
}

// best also returns the position's state, and which columns keep the score.
func (s *Solver) best(ctx context.Context, p board.Position) (r Result, at state, keep [board.MaxSide]bool, err error) {
	if r, err = s.Solve(ctx, p); err != nil {
		return r, at, keep, err
	}
	at = s.stateOf(p) // Solve has checked it
	for _, column := range s.fromMiddle[:s.columns] {
		keep[column] = s.keeps(at, p.Ply(), column, r.Score)
		if s.stopped {
			return Result{}, at, [board.MaxSide]bool{}, stopError(ctx)
		}
	}
	r.Nodes = s.nodes
	return r, at, keep, nil
}

// Judgement has the score of a position and the outcome of each column, not its exact
// score. It takes about a tenth of the time of an [Analysis].
type Judgement struct {
	Result
	// Columns has the position's score for the columns that keep it. For the other
	// columns it has only the outcome: 1 if the column also wins, but later; 0 if it
	// draws; and [Lost] if it loses.
	Columns [board.MaxSide]int
	Free    [board.MaxSide]bool // whether the column has room; if not, it has no outcome
}

// Lost stands for a column that loses and is not among the best. It is below every score.
const Lost = lowest

// Judge returns the score of a position and the outcomes of its columns, under the
// conditions and with the errors of [Solver.Solve]. The judgement of a full board is empty.
func (s *Solver) Judge(ctx context.Context, p board.Position) (Judgement, error) {
	r, at, keep, err := s.best(ctx, p)
	if err != nil {
		return Judgement{}, err
	}
	j := Judgement{Result: r}
	for column := range s.columns {
		next, _, ok := s.drop(at, column)
		if j.Free[column] = ok; !ok {
			continue
		}
		j.Columns[column] = Lost
		switch {
		case keep[column]:
			j.Columns[column] = r.Score
		case r.Score > 0: // if the best columns draw or lose, all others lose
			for _, outcome := range [2]int{1, 0} {
				if !s.atLeast(next, p.Ply()+1, 1-outcome) {
					j.Columns[column] = outcome
					break
				}
			}
			if s.stopped {
				return Judgement{}, stopError(ctx)
			}
		}
	}
	j.Nodes = s.nodes
	return j, nil
}

// Outcome is the outcome of a position for the side to move.
type Outcome struct {
	Value  int    // 1 wins, 0 draws, -1 loses
	Column int    // one that keeps the outcome, or -1 on a full board
	Nodes  uint64 // positions visited
}

// Outcome returns the outcome of a position. It visits fewer positions than any other method,
// often a tenth of those of [Solver.Outcomes]. The conditions and errors are those of [Solver.Solve].
func (s *Solver) Outcome(ctx context.Context, p board.Position) (Outcome, error) {
	at, err := s.begin(ctx, p)
	if err != nil {
		return Outcome{}, err
	}
	ply, low, high := p.Ply(), -1, 1
	if ply == s.cells {
		return Outcome{Column: -1}, nil
	}
	r := s.rounds()
	for over := false; !over; over, err = r.over(ctx, s, low == high) {
		for beta := 1; beta >= 0; beta-- { // unless it is a draw, one answer decides, and either may be easier
			if beta <= low || beta > high {
				continue
			}
			r.question(s)
			switch reached := s.atLeast(at, ply, beta); {
			case s.stopped:
			case reached:
				low = beta
			default:
				high = beta - 1
			}
		}
	}
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Value: low, Column: -1}
	r = s.rounds()
	for over := false; !over; over, err = r.over(ctx, s, o.Column >= 0) { // the table has the answer for some column
		for _, column := range s.fromMiddle[:s.columns] {
			next, keeps, ok := s.drop(at, column)
			if ok && !keeps && low >= 0 {
				r.question(s)
				keeps = !s.atLeast(next, ply+1, 1-low) && !s.stopped
			}
			if ok && (keeps || low < 0) {
				o.Column = column
				break
			}
		}
	}
	o.Nodes = s.nodes
	return o, err
}

// rounds divide the limit of nodes among several questions. In each round, every question that is
// still open gets a share of the nodes, four times as many as in the round before.
type rounds struct{ limit, end, share uint64 }

func (s *Solver) rounds() rounds {
	return rounds{s.maxNodes, s.nodes + s.maxNodes, max(s.maxNodes, 1<<20) / 512}
}

// question prepares the Solver for a question. If the share does not suffice, the Solver has stopped.
func (r *rounds) question(s *Solver) {
	if s.stopped = false; r.limit != 0 {
		s.maxNodes = min(r.end, s.nodes+r.share)
	}
}

// over reports whether a round was the last: all questions are answered, or there is an error.
func (r *rounds) over(ctx context.Context, s *Solver, answered bool) (over bool, err error) {
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case answered:
	case r.limit != 0 && s.nodes >= r.end:
		err = ErrNodes
	default:
		r.share *= 4
		return false, nil
	}
	s.maxNodes, s.column, s.stopped = r.limit, -1, false
	return true, err
}

// Outcomes has the outcomes of a position's columns, for the side to move.
type Outcomes struct {
	Columns [board.MaxSide]int  // 1 wins, 0 draws, -1 loses
	Known   [board.MaxSide]bool // whether the outcome is known; it never is for a full column
	Nodes   uint64              // positions visited
}

// Outcomes returns which columns win, draw and lose, but not how soon, under the conditions of
// [Solver.Solve]. With the error [ErrNodes], it returns the outcomes found so far: every column gets
// a share of the nodes before any gets more.
func (s *Solver) Outcomes(ctx context.Context, p board.Position) (o Outcomes, err error) {
	at, err := s.begin(ctx, p)
	if err != nil {
		return Outcomes{}, err
	}
	guess, r, answered := 0, s.rounds(), false
	for over := false; !over; over, err = r.over(ctx, s, answered) {
		answered = true
		for _, column := range s.fromMiddle[:s.columns] {
			next, wins, ok := s.drop(at, column)
			if !ok || o.Known[column] {
				continue
			}
			s.column = column
			outcome := 1
			if !wins {
				r.question(s)
				if outcome = s.outcome(next, p.Ply()+1, guess); s.stopped {
					answered = false
					continue
				}
			}
			guess = outcome
			o.Columns[column], o.Known[column] = outcome, true
		}
	}
	if o.Nodes = s.nodes; err != nil && !errors.Is(err, ErrNodes) {
		return Outcomes{}, err
	}
	return o, err
}

// outcome returns the outcome of a state for the side that moved last. It first asks whether that
// is at most the guess.
func (s *Solver) outcome(at state, ply, guess int) int {
	if guess > 0 {
		switch {
		case !s.atLeast(at, ply, 0):
			return 1
		case s.stopped || !s.atLeast(at, ply, 1):
			return 0
		}
		return -1
	}
	switch {
	case s.atLeast(at, ply, 1):
		return -1
	case s.stopped || s.atLeast(at, ply, 0):
		return 0
	}
	return 1
}

// AtLeast reports whether the score of a position is at least the given one, under the
// conditions and with the errors of [Solver.Solve]. The further the given score is from the
// true one, the faster the answer.
func (s *Solver) AtLeast(ctx context.Context, p board.Position, score int) (bool, error) {
	at, err := s.begin(ctx, p)
	if err != nil {
		return false, err
	}
	reached := s.atLeast(at, p.Ply(), score)
	if s.stopped {
		return false, stopError(ctx)
	}
	return reached, nil
}

// keeps reports whether a disc in the column keeps the position's score: whether it wins
// at once, which is always best, or leaves the other side a score of at most -score.
func (s *Solver) keeps(at state, ply, column, score int) bool {
	next, wins, ok := s.drop(at, column)
	return ok && (wins || !s.atLeast(next, ply+1, 1-score))
}

// atLeast reports whether the score of any state is at least beta.
func (s *Solver) atLeast(at state, ply, beta int) bool {
	switch {
	case ply == s.cells:
		return 0 >= beta
	case s.canWin(at):
		return s.winAt(ply) >= beta
	}
	return s.ask(at, ply, beta) >= beta
}
