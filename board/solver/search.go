package solver

import "math/bits"

// search determines whether the score of a position is at least beta. The side to move
// must not be able to win at once. The result is a bound: a lower bound of the score if
// it is at least beta, an upper bound otherwise. If the search was cancelled, s.stopped
// is set and the bound is meaningless. last is the cell of the last disc, or noCell.
func (s *Solver) search(at state, ply, beta, last int) int {
	s.nodes++
	if s.nodes&(pollNodes-1) == 0 {
		s.poll()
	}

	sign := 1 // -1 after an odd number of forced replies
	g := &s.geometry
	var open, moves uint64
	for {
		open, moves = g.moves(at)
		if moves == 0 {
			return sign * -g.winAt(ply+1)
		}
		if ply >= g.cells-2 {
			return 0
		}

		// Neither this disc nor the next one wins. Whether one of the two after them
		// wins is found without search, which decides if beta is near either end of the
		// possible scores.
		if low := -g.winAt(ply + 3); low >= beta {
			return sign * low
		}
		if beta > g.winAt(ply+4) { // can the side to move win with the disc at ply+2?
			if g.forcesWin(at, moves, open, g.live(at)) {
				return sign * g.winAt(ply+2)
			}
			return sign * g.winAt(ply+4)
		}
		if beta <= -g.winAt(ply+5) { // can it prevent a win with the disc at ply+3?
			if g.survives(at, moves) {
				return sign * -g.winAt(ply+5)
			}
			return sign * -g.winAt(ply+3)
		}
		if moves&(moves-1) != 0 {
			break
		}
		at, last = g.play(at, moves), bits.TrailingZeros64(moves)
		sign, ply, beta = -sign, ply+1, 1-beta
	}

	low, high := -g.winAt(ply+3), g.winAt(ply+2)
	live := g.live(at)
	if ply <= s.lastBook {
		known := s.book.Bounds(at.mover, at.other)
		if low = max(low, known.Low); low >= beta {
			return sign * low
		}
		if high = min(high, known.High); high < beta {
			return sign * high
		}
	}

	least, most := g.static(at, open, live, ply, beta)
	if low = max(low, least); low >= beta {
		return sign * low
	}
	if high = min(high, most); high < beta {
		return sign * high
	}

	// The look-up in the table is last because it is the slowest of these checks.
	table := s.table(ply)
	hash, more, entry := at.plainKey(), uint16(0), uint64(0)
	if ply >= g.plainKeyPly {
		entry = table.find(hash)
	} else {
		hash, more = g.key(at, ply)
		entry = table.findMore(hash, more)
	}
	least, most = bounds(entry)
	if low = max(low, least); low >= beta {
		return sign * low
	}
	if high = min(high, most); high < beta {
		return sign * high
	}

	list := &s.lists[ply]
	if list.sort(g, at, moves, open, live, ply, last, &s.history) {
		return sign * g.winAt(ply+2)
	}
	if ply < g.peekPly {
		if s.noise != 0 {
			list.addNoise(&s.noise)
		}
		if bound := list.ruleCutoff(g, at, open, live, ply, beta); bound >= beta {
			return sign * bound
		}
		next := s.table(ply + 1)
		for _, entry := range list.order[:list.n] {
			var known uint64
			if after := list.after(at, entry); ply+1 >= g.plainKeyPly {
				known = next.find(after.plainKey())
			} else {
				known = next.findMore(g.key(after, ply+1))
			}
			if _, most := bounds(known); -most >= beta {
				return sign * -most
			}
		}
	}

	before := s.nodes
	best := lowest
	for i, entry := range list.order[:list.n] {
		score := -s.search(list.after(at, entry), ply+1, 1-beta, cellOf(entry))
		if s.stopped {
			return 0
		}
		if best = max(best, score); best >= beta {
			if ply < g.historyPly {
				s.history.learn(ply, last, list.order[:i], entry)
			}
			break
		}
	}
	if best >= beta {
		low = best
	} else {
		high = best
	}
	table.store(hash, more, low, high, s.nodes-before)
	return sign * best
}

// static bounds the score of a position by the rules, claimeven and oddThreat, without
// search. It tries only rules whose bound could decide whether the score is at least beta.
func (g *geometry) static(at state, open, live uint64, ply, beta int) (low, high int) {
	low, high = lowest, highest
	if g.leads(ply) {
		if beta > -g.claim {
			high = g.claimeven(at.mover, at.other, at.threats, open, live)
		}
		if beta <= g.threat {
			low = g.oddThreat(at.other, at.wins, open, live)
		}
		return low, high
	}
	if beta <= g.claim {
		low = -g.claimeven(at.other, at.mover, at.wins, open, live)
	}
	if beta > -g.threat {
		high = -g.oddThreat(at.mover, at.threats, open, live)
	}
	return low, high
}

// ruleCutoff looks for a move after which the rules guarantee the side to move at least
// beta, and returns the guaranteed score, or lowest if there is none.
func (c *candidates) ruleCutoff(g *geometry, at state, open, live uint64, ply, beta int) (bound int) {
	leads := g.leads(ply)
	if leads && beta > g.threat || beta > g.claim { // the rules never guarantee so much
		return lowest
	}
	if !leads && hasLine(at.other|live&g.lower&^open&^above(live&g.upper&at.wins&^open)) {
		return lowest // one more disc is almost never enough for claimeven
	}
	for _, entry := range c.order[:c.n] {
		after := c.after(at, entry)
		open := g.playable(after.mover | after.other)
		if open&after.threats != 0 { // after the forced reply the rules find more
			continue
		}
		live := g.live(after)
		if leads {
			bound = g.oddThreat(after.mover, after.threats, open, live)
		} else {
			bound = -g.claimeven(after.mover, after.other, after.threats, open, live)
		}
		if bound >= beta {
			return bound
		}
	}
	return lowest
}
