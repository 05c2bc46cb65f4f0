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
	var open, moves, live uint64
	for {
		open, moves = at.moves()
		if moves == 0 {
			return sign * -winAt(ply+1)
		}
		if ply >= cells-2 {
			return 0
		}

		// Neither this disc nor the next one wins. Whether one of the two after them
		// wins is found without search, which decides if beta is near either end of the
		// possible scores.
		if low := -winAt(ply + 3); low >= beta {
			return sign * low
		}
		live = at.live()
		if beta > winAt(ply+4) { // can the side to move win with the disc at ply+2?
			if at.forcesWin(moves, open, live) {
				return sign * winAt(ply+2)
			}
			return sign * winAt(ply+4)
		}
		if beta <= -winAt(ply+5) { // can it prevent a win with the disc at ply+3?
			if at.survives(moves) {
				return sign * -winAt(ply+5)
			}
			return sign * -winAt(ply+3)
		}
		if moves&(moves-1) != 0 {
			break
		}
		at, last = at.play(moves), bits.TrailingZeros64(moves)
		sign, ply, beta = -sign, ply+1, 1-beta
	}

	low, high := -winAt(ply+3), winAt(ply+2)
	if ply <= s.lastBook {
		known := s.book.Bounds(at.mover, at.other)
		if low = max(low, known.Low); low >= beta {
			return sign * low
		}
		if high = min(high, known.High); high < beta {
			return sign * high
		}
	}

	least, most := static(at, open, live, ply, beta)
	if low = max(low, least); low >= beta {
		return sign * low
	}
	if high = min(high, most); high < beta {
		return sign * high
	}

	// The look-up in the table is last because it is the slowest of these checks.
	table, key := s.table(ply), hash(at.key(ply))
	least, most = bounds(table.find(key))
	if low = max(low, least); low >= beta {
		return sign * low
	}
	if high = min(high, most); high < beta {
		return sign * high
	}

	list := &s.lists[ply]
	if list.sort(at, moves, open, live, ply, last, &s.history) {
		return sign * winAt(ply+2)
	}
	if ply < peekPly {
		if s.noise != 0 {
			list.addNoise(&s.noise)
		}
		if bound := list.ruleCutoff(at, open, live, ply, beta); bound >= beta {
			return sign * bound
		}
		next := s.table(ply + 1)
		for _, entry := range list.order[:list.n] {
			if _, most := bounds(next.find(hash(list.after(at, entry).key(ply + 1)))); -most >= beta {
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
			if ply < historyPly {
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
	table.store(key, low, high, s.nodes-before)
	return sign * best
}

// Before this ply, the search tries the rules and the table on every move before it
// searches any: if one move is known to reach beta, none needs to be searched. At later
// plies this costs more than it saves.
const peekPly = 26

// winAt returns the winner's score if it wins with the disc dropped at ply. The first disc
// is dropped at ply 0; each side has 21 discs.
func winAt(ply int) int { return cells/2 - ply>>1 }

// static bounds the score of a position by the rules, claimeven and oddThreat, without
// search. It tries only rules whose bound could decide whether the score is at least beta.
func static(at state, open, live uint64, ply, beta int) (low, high int) {
	low, high = lowest, highest
	if ply&1 == 0 { // the first player's turn
		if beta > -3 {
			high = claimeven(at.mover, at.other, at.threats, open, live)
		}
		if beta <= 2 {
			low = oddThreat(at.other, at.wins, open, live)
		}
		return low, high
	}
	if beta <= 3 {
		low = -claimeven(at.other, at.mover, at.wins, open, live)
	}
	if beta > -2 {
		high = -oddThreat(at.mover, at.threats, open, live)
	}
	return low, high
}

// ruleCutoff looks for a move after which the rules guarantee the side to move at least
// beta, and returns the guaranteed score, or lowest if there is none.
func (c *candidates) ruleCutoff(at state, open, live uint64, ply, beta int) (bound int) {
	first := ply&1 == 0
	if first && beta > 2 || beta > 3 { // the rules never guarantee so much
		return lowest
	}
	if !first && hasLine(at.other|live&odd&^open&^above(live&even&at.wins&^open)) {
		return lowest // one more disc is almost never enough for claimeven
	}
	for _, entry := range c.order[:c.n] {
		after := c.after(at, entry)
		open := playable(after.mover | after.other)
		if open&after.threats != 0 { // after the forced reply the rules find more
			continue
		}
		live := after.live()
		if first {
			bound = oddThreat(after.mover, after.threats, open, live)
		} else {
			bound = -claimeven(after.mover, after.other, after.threats, open, live)
		}
		if bound >= beta {
			return bound
		}
	}
	return lowest
}
