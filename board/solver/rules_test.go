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
		best = (p.Rules().Cells() + 1 - p.Ply()) / 2
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

// eachLate visits random late positions of every board, and all that can follow them. With n
// positions on the standard board, there are a tenth as many on each other board.
func eachLate(seed uint64, n int, check func(*geometry, board.Position, int)) {
	for i, rules := range append(sizes(), board.Standard) {
		g := newGeometry(rules.Columns, rules.Rows)
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		e := exhaustive{known: map[board.Position]int{}, check: func(p board.Position, score int) { check(&g, p, score) }}
		positions, empty := n/10, 14
		if i == len(sizes()) {
			positions, empty = n, 18
		}
		for range positions {
			clear(e.known)
			e.visit(randomOn(r, rules, max(g.cells-empty+r.IntN(8), 0)))
		}
	}
}

// leaderAndFollower returns the arguments of claimeven and oddThreat for a position.
func leaderAndFollower(g *geometry, p board.Position) (leader, follower, leaderWins, followerWins, open, live uint64) {
	at := g.stateOf(p)
	open, live = g.playable(at.mover|at.other), g.live(at)
	if g.leads(p.Ply()) {
		return at.mover, at.other, at.wins, at.threats, open, live
	}
	return at.other, at.mover, at.threats, at.wins, open, live
}

// The bounds hold in every late position of every board, and each value of a bound occurs often.
func TestBoundsHoldExhaustively(t *testing.T) {
	count, boards := map[int]int{}, map[board.Rules][2]int{}
	eachLate(3, scaled(1000), func(g *geometry, p board.Position, score int) {
		leader, follower, leaderWins, followerWins, open, live := leaderAndFollower(g, p)
		if !g.leads(p.Ply()) {
			score = -score
		}
		n := boards[p.Rules()]
		if most := g.claimeven(leader, follower, followerWins, open, live); most < highest {
			count[most]++
			n[0]++
			if score > most {
				t.Fatalf("claimeven: at most %d, score %d:\n%v", most, score, p)
			}
		}
		if least := g.oddThreat(follower, leaderWins, open, live); least > lowest {
			count[least]++
			n[1]++
			if score < least {
				t.Fatalf("odd threat: at least %d, score %d:\n%v", least, score, p)
			}
		}
		boards[p.Rules()] = n
	})
	t.Log("number of each bound:", count)
	if testing.Short() {
		return // too few positions for counts
	}
	for _, bound := range []int{-4, -3, -2, -1, 0, 1, 2, 3} {
		if count[bound] < 10 {
			t.Errorf("a bound of %d only %d times, too few to be meaningful", bound, count[bound])
		}
	}
	for _, rules := range sizes() {
		if n := boards[rules]; min(n[0], n[1]) < 20 && rules.Cells() > 24 {
			t.Errorf("%v: bounds only %v times, too few to be meaningful", rules, n)
		}
	}
}

// The bounds also hold in random earlier positions, which have more open cells.
func TestBoundsHoldEarlier(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for _, tt := range []struct {
		rules       board.Rules
		empty, each int
	}{{board.Standard, 24, 300}, {board.FullMatrix, 24, 100}, {board.Rules{Columns: 7, Rows: 7, Connect: 4}, 24, 100}, {board.Rules{Columns: 8, Rows: 5, Connect: 4}, 24, 100}} {
		g := newGeometry(tt.rules.Columns, tt.rules.Rows)
		claims, threats, enough := 0, 0, scaled(tt.each)
		for claims < enough || threats < enough {
			p := randomOn(r, tt.rules, g.cells-tt.empty+r.IntN(8))
			leader, follower, leaderWins, followerWins, open, live := leaderAndFollower(&g, p)
			// A null window is enough to test a bound, and naive is fast with it.
			above := func(bound int) bool { // whether the leader's score is more
				if g.leads(p.Ply()) {
					return naive(p, bound, bound+1) > bound
				}
				return naive(p, -bound-1, -bound) < -bound
			}
			if most := g.claimeven(leader, follower, followerWins, open, live); most < highest && claims < enough {
				claims++
				if above(most) {
					t.Fatalf("claimeven: more than %d:\n%v", most, p)
				}
			}
			if least := g.oddThreat(follower, leaderWins, open, live); least > lowest && threats < enough {
				threats++
				if !above(least - 1) {
					t.Fatalf("odd threat: less than %d:\n%v", least, p)
				}
			}
		}
	}
}

// No disc ever falls into a dead cell.
func TestDeadCellsStayEmpty(t *testing.T) {
	found := 0
	var visit func(g *geometry, p board.Position, forbidden uint64, seen map[board.Position]uint64)
	visit = func(g *geometry, p board.Position, forbidden uint64, seen map[board.Position]uint64) {
		at := g.stateOf(p)
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
				visit(g, next, forbidden, seen)
			}
		}
	}
	for i, rules := range append(sizes(), board.Standard) {
		r, n, empty := rand.New(rand.NewPCG(5, uint64(i))), scaled(100), 14
		if i == len(sizes()) {
			n, empty = scaled(1000), 18
		}
		g := newGeometry(rules.Columns, rules.Rows)
		for range n {
			visit(&g, randomOn(r, rules, max(g.cells-empty+r.IntN(8), 0)), 0, map[board.Position]uint64{})
		}
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
	eachLate(6, scaled(300), func(g *geometry, p board.Position, score int) {
		if canWin(p) || p.Outcome() != board.Playing {
			return
		}
		at := g.stateOf(p)
		open, moves := g.moves(at)
		live := g.live(at)
		if open&at.threats != 0 || list.sort(g, at, moves, open, live, p.Ply(), noCell, new(history)) {
			return
		}
		for beta := -3; beta <= 4; beta++ {
			if bound := list.ruleCutoff(g, at, open, live, p.Ply(), beta); bound > lowest {
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
	eachLate(14, scaled(400), func(g *geometry, p board.Position, score int) {
		if canWin(p) || p.Outcome() != board.Playing || p.Ply() >= g.cells-3 {
			return
		}
		at := g.stateOf(p)
		open, moves := g.moves(at)
		if moves == 0 {
			if want := -g.winAt(p.Ply() + 1); score != want {
				t.Fatalf("no move left: score %d, want %d:\n%v", score, want, p)
			}
			return
		}
		winning := score == g.winAt(p.Ply()+2)
		if got := g.forcesWin(at, moves, open, g.live(at)); got != winning {
			t.Fatalf("forcesWin: %v, score %d:\n%v", got, score, p)
		}
		losing := score == -g.winAt(p.Ply()+3)
		if got := g.survives(at, moves); got == losing {
			t.Fatalf("survives: %v, score %d:\n%v", got, score, p)
		}
		if winning {
			wins++
		}
		if losing {
			losses++
		}
	})
	if min(wins, losses) < scaled(1000) {
		t.Errorf("%d wins and %d losses, too few to be meaningful", wins, losses)
	}
}
