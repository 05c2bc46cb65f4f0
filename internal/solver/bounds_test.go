package solver

import (
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/board"
)

// exhaustive visits every position that can come after one, works out its score
// without any of the solver's knowledge, and hands both to check. Sides that can
// win do so, as dead assumes; the other positions are never asked about.
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

// eachLate visits all that comes after random late positions.
func eachLate(t *testing.T, seed uint64, positions int, check func(board.Position, int)) {
	r := rand.New(rand.NewPCG(seed, 0))
	e := exhaustive{known: map[board.Position]int{}, check: check}
	for range positions {
		clear(e.known)
		e.visit(randomPosition(r, 24+r.IntN(8)))
	}
}

// firstAndSecond is a position as the rules for each player see it.
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

// firsts is the score as the first player sees it.
func firsts(p board.Position, score int) int {
	if p.Ply()&1 == 0 {
		return score
	}
	return -score
}

// The bounds hold in every late position, and are not idle.
func TestBoundsHoldExhaustively(t *testing.T) {
	said := map[int]int{}
	eachLate(t, 3, some(1000), func(p board.Position, score int) {
		first, second, firstWins, secondWins, open, live := firstAndSecond(p)
		if most, ok := claimeven(first, second, secondWins, open, live); ok {
			said[most]++
			if firsts(p, score) > most {
				t.Fatalf("claimeven: %d at most, and is %d:\n%v", most, firsts(p, score), p)
			}
		}
		if least, ok := oddThreat(second, firstWins, open, live); ok {
			said[least]++
			if firsts(p, score) < least {
				t.Fatalf("odd threat: %d at least, and is %d:\n%v", least, firsts(p, score), p)
			}
		}
	})
	t.Log("bounds and how often:", said)
	for _, bound := range []int{-3, -2, -1, 0, 1, 2} {
		if said[bound] < some(1000) {
			t.Errorf("a bound of %d was given %d times only: the test says little", bound, said[bound])
		}
	}
}

// They hold in random earlier positions too, where more is open.
func TestBoundsHoldEarlier(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	claims, threats, enough := 0, 0, some(300)
	for claims < enough || threats < enough {
		p := randomPosition(r, 18+r.IntN(8))
		first, second, firstWins, secondWins, open, live := firstAndSecond(p)
		// naive sees the side to move; ask only whether the bound is broken.
		above := func(bound int) bool { // the first player's score is more
			if p.Ply()&1 == 0 {
				return naive(p, bound, bound+1) > bound
			}
			return naive(p, -bound-1, -bound) < -bound
		}
		if most, ok := claimeven(first, second, secondWins, open, live); ok && claims < enough {
			claims++
			if above(most) {
				t.Fatalf("claimeven: more than %d:\n%v", most, p)
			}
		}
		if least, ok := oddThreat(second, firstWins, open, live); ok && threats < enough {
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
			t.Fatalf("a dead cell was filled: %x\n%v", forbidden, p)
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
	for range some(1000) {
		visit(randomPosition(r, 24+r.IntN(8)), 0, map[board.Position]uint64{})
	}
	if found < some(1000) {
		t.Errorf("dead cells in %d positions only: the test says little", found)
	}
}

// What the rules say of a move holds of the position before it, in late positions
// too, where the search no longer asks.
func TestSettledExhaustively(t *testing.T) {
	var list candidates
	said := [2]int{}
	eachLate(t, 6, some(300), func(p board.Position, score int) {
		if canWin(p) || p.Outcome() != board.Playing {
			return
		}
		at, err := stateOf(p)
		if err != nil {
			t.Fatal(err)
		}
		open, moves := at.moves()
		live := at.live()
		if open&at.threats != 0 || list.list(at, moves, open, live, p.Ply()) {
			return
		}
		for beta := -2; beta <= 3; beta++ {
			if bound, ok := list.settled(at, open, live, p.Ply(), beta); ok {
				said[p.Ply()&1]++
				if bound < beta || bound > score {
					t.Fatalf("asked whether it is worth %d: %d, and it is worth %d:\n%v", beta, bound, score, p)
				}
			}
		}
	})
	if min(said[0], said[1]) < some(1000) {
		t.Errorf("settled %d times: the test says little", said)
	}
}

// Whether the next disc but one of a side wins is seen without search, in every late
// position.
func TestNextDiscsExhaustively(t *testing.T) {
	trapped, doomed := 0, 0
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
				t.Fatalf("no move left: worth %d, want %d:\n%v", score, want, p)
			}
			return
		}
		wins := score == winAt(p.Ply()+2)
		if got := at.trapped(moves, open, at.live()); got != wins {
			t.Fatalf("trapped: %v, and it is worth %d:\n%v", got, score, p)
		}
		loses := score == -winAt(p.Ply()+3)
		if got := at.survives(moves); got == loses {
			t.Fatalf("survives: %v, and it is worth %d:\n%v", got, score, p)
		}
		if wins {
			trapped++
		}
		if loses {
			doomed++
		}
	})
	if min(trapped, doomed) < 1000 {
		t.Errorf("%d wins and %d losses: the test says little", trapped, doomed)
	}
}
