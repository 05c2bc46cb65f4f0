package analysis

import (
	"context"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/game"
)

// The limits of variations, in positions that the solver visits: for one, and for all of a game. A
// variation ends early where they do not suffice.
const (
	lineNodes = 100_000
	gameNodes = 1_000_000
)

// Why returns why a column with the best score of a position's analysis is good. Where it is not how it wins, it
// may be that the column blocks, so that the opponent does not win with its next disc, or that every other one is
// worse.
func Why(ctx context.Context, s *solver.Solver, p board.Position, a solver.Analysis, col int) game.Why {
	w := (&reasoner{s, lineNodes}).why(ctx, p, a.Score, col)
	theirs, others, worse := threatened(p), 0, true
	for other, free := range a.Free {
		if free && other != col {
			others++
			worse = worse && a.Columns[other] < a.Score
		}
	}
	switch {
	case w.Line == "" || w.Kind == game.Wins || w.Kind == game.Threats && w.After == 1:
	case theirs.Count() == 1 && theirs == landing(p, col) && (a.Score >= 0 || len(w.Line) != 2):
		w.Kind, w.Cells, w.After = game.Blocks, game.Cells(theirs), 0
	case a.Score <= 0 && worse && others > 0:
		w.Kind = game.Only
	}
	return w
}

// reasoner finds reasons until it has used up its nodes.
type reasoner struct {
	solver *solver.Solver
	nodes  uint64
}

const none = -1

// why returns why a column of a position is good; none means the best column. The position must have the score.
// The variation is exact, and [reason] has the rest of the proof.
func (r *reasoner) why(ctx context.Context, p board.Position, score, col int) (w game.Why) {
	nodes := min(lineNodes, r.nodes)
	if nodes == 0 {
		return w
	}
	moves, used := r.solver.Line(ctx, p, score, nodes, func(at board.Position, score int) []int {
		if at == p && col != none {
			return []int{col}
		}
		return plainest(at, score)
	})
	r.nodes -= min(used, r.nodes)
	if len(moves) == 0 {
		return w
	}
	w = reason(p, score, moves)
	for n, col := range moves {
		if score <= 0 && n > 0 && threatened(p)&landing(p, col) == 0 {
			break // the end is far away: only how the column holds out matters
		}
		w.Line += string(rune('1' + col))
		p, _ = p.Drop(col) // the solver has played it
	}
	return w
}

// reason returns the reason for the first column of a variation, which is best play of both sides: how it wins.
func reason(p board.Position, score int, moves []int) game.Why {
	me := p.Turn()
	if cells := p.Threats(me) & landings(p); cells != 0 {
		return game.Why{Kind: game.Wins, Cells: game.Cells(cells)}
	}
	at, forced := p, true
	for i, col := range moves {
		if at, _ = at.Drop(col); score <= 0 || i%2 == 1 || at.Outcome() != board.Playing {
			continue
		}
		mine := at.Threats(me)
		now, above := mine&landings(at), mine&over(landings(at))
		two := now
		if now.Count() == 1 {
			two |= above & over(now)
		}
		for two.Count() > 2 {
			two &= two - 1 // two suffice
		}
		switch {
		case two.Count() > 1 && forced:
			return game.Why{Kind: game.Threats, Cells: game.Cells(two), After: i + 1}
		case two.Count() > 1 && len(moves) <= 2*game.Near:
			return game.Why{Kind: game.Later, Cells: game.Cells(two), After: i + 1}
		case now == 0 && above != 0 && above&^p.Threats(me) == 0 && above.Count() == landings(at).Count():
			return game.Why{Kind: game.Zugzwang, Cells: game.Cells(above), After: 1}
		}
		forced = forced && now != 0
	}
	return game.Why{Kind: game.Distance}
}

// plainest orders the columns so that a variation is easy to follow: first those that win, then those
// that must be filled, then those with which the winner threatens to win, and then from the middle.
func plainest(p board.Position, score int) []int {
	me := p.Turn()
	rank := func(col int) int {
		cell := landing(p, col)
		switch next, _ := p.Drop(col); { // it has room
		case p.Threats(me)&cell != 0:
			return 0
		case threatened(p)&cell != 0:
			return 1
		case score > 0:
			mine := next.Threats(me)
			now := mine & landings(next)
			return 4 - min((now|mine&over(now)).Count(), 2)
		}
		return 4
	}
	columns := slices.Collect(p.LegalMoves())
	middle := p.Rules().Columns - 1
	slices.SortStableFunc(columns, func(a, b int) int {
		if by := rank(a) - rank(b); by != 0 {
			return by
		}
		return max(2*a-middle, middle-2*a) - max(2*b-middle, middle-2*b)
	})
	return columns
}

// landing returns the cell where a disc in the column comes to rest; none if the column is full.
func landing(p board.Position, col int) board.Bitboard {
	if !p.Legal(col) {
		return 0
	}
	return 1 << (board.MaxSide*col + p.Height(col))
}

// landings returns the cells where the next disc can come to rest.
func landings(p board.Position) (cells board.Bitboard) {
	for col := range p.LegalMoves() {
		cells |= landing(p, col)
	}
	return cells
}

// over returns the cells above cells.
func over(cells board.Bitboard) board.Bitboard { return cells &^ 0x8080808080808080 << 1 }

// threatened returns the cells with which the side that is not to move would win at once.
func threatened(p board.Position) board.Bitboard { return p.Threats(p.Turn().Other()) & landings(p) }
