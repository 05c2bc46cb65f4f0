package solver

import (
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/board"
)

// exhaustive visits every position that can follow a given one, computes its score
// independently of the solver and passes both to check. A side that can win at once does
// so, as dead assumes; positions after other moves are not visited.
type exhaustive struct {
	known map[board.Position]int
	check func(p board.Position, score int)
}

func (e *exhaustive) visit(p board.Position) int {
	if score, ok := e.known[p]; ok {
		return score
	}
	best := lowest
	switch {
	case p.Outcome() == board.Draw:
		best = 0
	case canWin(p):
		best = winAt(p.Ply())
	default:
		for column := range p.LegalMoves() {
			next, err := p.Drop(column)
			if err != nil {
				panic(err)
			}
			best = max(best, -e.visit(next))
		}
	}
	e.known[p] = best
	e.check(p, best)
	return best
}

func canWin(p board.Position) bool {
	for column := range p.LegalMoves() {
		if next, err := p.Drop(column); err == nil && next.Outcome().Winner() != board.Empty {
			return true
		}
	}
	return false
}

// eachLate visits random late positions and all that can follow them.
func eachLate(t *testing.T, seed uint64, positions int, check func(board.Position, int)) {
	r := rand.New(rand.NewPCG(seed, 0))
	e := exhaustive{known: map[board.Position]int{}, check: check}
	for range positions {
		clear(e.known)
		e.visit(randomPosition(r, 24+r.IntN(8)))
	}
}

// firstAndSecond returns the arguments of claimeven and oddThreat for a position.
func firstAndSecond(p board.Position) (first, second, firstWins, secondWins, open, live uint64) {
	at, err := stateOf(p)
	if err != nil {
		panic(err)
	}
	open, live = playable(at.mover|at.other), at.live()
	if p.Ply()&1 == 0 {
		return at.mover, at.other, at.wins, at.threats, open, live
	}
	return at.other, at.mover, at.threats, at.wins, open, live
}

// scoreOfFirst returns the score for the first player.
func scoreOfFirst(p board.Position, score int) int {
	if p.Ply()&1 == 0 {
		return score
	}
	return -score
}

// The bounds hold in every late position, and each value of a bound occurs often.
func TestBoundsHoldExhaustively(t *testing.T) {
	count := map[int]int{}
	eachLate(t, 3, scaled(1000), func(p board.Position, score int) {
		first, second, firstWins, secondWins, open, live := firstAndSecond(p)
		if most := claimeven(first, second, secondWins, open, live); most < highest {
			count[most]++
			if scoreOfFirst(p, score) > most {
				t.Fatalf("claimeven: at most %d, score %d:\n%v", most, scoreOfFirst(p, score), p)
			}
		}
		if least := oddThreat(second, firstWins, open, live); least > lowest {
			count[least]++
			if scoreOfFirst(p, score) < least {
				t.Fatalf("odd threat: at least %d, score %d:\n%v", least, scoreOfFirst(p, score), p)
			}
		}
	})
	t.Log("number of each bound:", count)
	for _, bound := range []int{-3, -2, -1, 0, 1, 2} {
		if count[bound] < scaled(1000) {
			t.Errorf("a bound of %d only %d times, too few to be meaningful", bound, count[bound])
		}
	}
}

// The bounds also hold in random earlier positions, which have more open cells.
func TestBoundsHoldEarlier(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	claims, threats, enough := 0, 0, scaled(300)
	for claims < enough || threats < enough {
		p := randomPosition(r, 18+r.IntN(8))
		first, second, firstWins, secondWins, open, live := firstAndSecond(p)
		// A null window is enough to test a bound, and naive is fast with it.
		above := func(bound int) bool { // whether the first player's score is more
			if p.Ply()&1 == 0 {
				return naive(p, bound, bound+1) > bound
			}
			return naive(p, -bound-1, -bound) < -bound
		}
		if most := claimeven(first, second, secondWins, open, live); most < highest && claims < enough {
			claims++
			if above(most) {
				t.Fatalf("claimeven: more than %d:\n%v", most, p)
			}
		}
		if least := oddThreat(second, firstWins, open, live); least > lowest && threats < enough {
			threats++
			if !above(least - 1) {
				t.Fatalf("odd threat: less than %d:\n%v", least, p)
			}
		}
	}
}

// No disc ever falls into a dead cell.
func TestDeadCellsStayEmpty(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	found := 0
	var visit func(p board.Position, forbidden uint64, seen map[board.Position]uint64)
	visit = func(p board.Position, forbidden uint64, seen map[board.Position]uint64) {
		at, err := stateOf(p)
		if err != nil {
			panic(err)
		}
		forbidden |= dead(at.wins, at.threats)
		if forbidden&(at.mover|at.other) != 0 {
			t.Fatalf("a dead cell is filled: %x\n%v", forbidden, p)
		}
		if before, ok := seen[p]; ok && forbidden&^before == 0 {
			return
		}
		seen[p] |= forbidden
		if forbidden != 0 {
			found++
		}
		if canWin(p) {
			return
		}
		for column := range p.LegalMoves() {
			if next, err := p.Drop(column); err == nil {
				visit(next, forbidden, seen)
			}
		}
	}
	for range scaled(1000) {
		visit(randomPosition(r, 24+r.IntN(8)), 0, map[board.Position]uint64{})
	}
	if found < scaled(1000) {
		t.Errorf("dead cells in only %d positions, too few to be meaningful", found)
	}
}

// The bounds of ruleCutoff hold in every late position, although the search calls it only
// in earlier ones.
func TestRuleCutoffExhaustively(t *testing.T) {
	var list candidates
	count := [2]int{}
	eachLate(t, 6, scaled(300), func(p board.Position, score int) {
		if canWin(p) || p.Outcome() != board.Playing {
			return
		}
		at, err := stateOf(p)
		if err != nil {
			t.Fatal(err)
		}
		open, moves := at.moves()
		live := at.live()
		if open&at.threats != 0 || list.sort(at, moves, open, live, p.Ply(), noCell, new(history)) {
			return
		}
		for beta := -2; beta <= 3; beta++ {
			if bound := list.ruleCutoff(at, open, live, p.Ply(), beta); bound > lowest {
				count[p.Ply()&1]++
				if bound < beta || bound > score {
					t.Fatalf("beta %d: bound %d, score %d:\n%v", beta, bound, score, p)
				}
			}
		}
	})
	if min(count[0], count[1]) < scaled(1000) {
		t.Errorf("ruleCutoff %d times, too few to be meaningful", count)
	}
}

// moves, forcesWin and survives are correct in every late position.
func TestNextDiscsExhaustively(t *testing.T) {
	wins, losses := 0, 0
	eachLate(t, 14, 400, func(p board.Position, score int) {
		if canWin(p) || p.Outcome() != board.Playing || p.Ply() >= cells-3 {
			return
		}
		at, err := stateOf(p)
		if err != nil {
			t.Fatal(err)
		}
		open, moves := at.moves()
		if moves == 0 {
			if want := -winAt(p.Ply() + 1); score != want {
				t.Fatalf("no move left: score %d, want %d:\n%v", score, want, p)
			}
			return
		}
		winning := score == winAt(p.Ply()+2)
		if got := at.forcesWin(moves, open, at.live()); got != winning {
			t.Fatalf("forcesWin: %v, score %d:\n%v", got, score, p)
		}
		losing := score == -winAt(p.Ply()+3)
		if got := at.survives(moves); got == losing {
			t.Fatalf("survives: %v, score %d:\n%v", got, score, p)
		}
		if winning {
			wins++
		}
		if losing {
			losses++
		}
	})
	if min(wins, losses) < 1000 {
		t.Errorf("%d wins and %d losses, too few to be meaningful", wins, losses)
	}
}
