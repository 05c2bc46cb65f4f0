package solver

// search tells whether a position is worth beta or more to the side to move, who
// must not be able to win at once. What it gives is a bound: beta or more, and the
// score is at least that; less, and the score is at most that. When the search was
// cancelled, s.stopped is set and the bound means nothing.
func (s *Solver) search(at state, ply, beta int) int {
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

		// Nobody wins with this disc or the next. What the two after them can bring
		// is seen without search, which answers questions about quick wins and losses.
		if low := -winAt(ply + 3); low >= beta {
			return sign * low
		}
		live = at.live()
		if beta > winAt(ply+4) { // asks for a win with the mover's next disc
			if at.trapped(moves, open, live) {
				return sign * winAt(ply+2)
			}
			return sign * winAt(ply+4)
		}
		if beta <= -winAt(ply+5) { // asks for a move that does not lose to the other's
			if at.survives(moves) {
				return sign * -winAt(ply+5)
			}
			return sign * -winAt(ply+3)
		}
		if moves&(moves-1) != 0 {
			break
		}
		at = at.play(moves)
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

	// The table is asked last: it is the slowest to answer.
	table, key := s.table(ply), hash(at.key(ply))
	least, most = bounds(table.find(key))
	if low = max(low, least); low >= beta {
		return sign * low
	}
	if high = min(high, most); high < beta {
		return sign * high
	}

	list := &s.lists[ply]
	if list.list(at, moves, open, live, ply) {
		return sign * winAt(ply+2)
	}
	if ply < peekPly {
		if s.whim != 0 {
			list.vary(&s.whim)
		}
		if bound, ok := list.settled(at, open, live, ply, beta); ok {
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
	for _, entry := range list.order[:list.n] {
		score := -s.search(list.after(at, entry), ply+1, 1-beta)
		if s.stopped {
			return 0
		}
		if best = max(best, score); best >= beta {
			break
		}
	}
	if best >= beta {
		low = max(low, best)
		best = low
	} else {
		high = min(high, best)
		best = high
	}
	table.store(key, low, high, s.nodes-before)
	return sign * best
}

// Before this ply the rules and the table are asked for every move before any is
// searched: one that they know to be good enough saves the others. Later that costs
// more than it saves.
const peekPly = 26

// winAt is the score of a side that wins with its disc at that ply, the board's
// first disc being at ply 0. Each side has 21 discs.
func winAt(ply int) int { return cells/2 - ply>>1 }

// static bounds the score of a position by the rules that hold without search. It
// looks only for bounds that could answer a question about beta.
func static(at state, open, live uint64, ply, beta int) (low, high int) {
	low, high = lowest, highest
	if ply&1 == 0 { // the first player's turn
		if beta > -3 {
			if most, ok := claimeven(at.mover, at.other, at.threats, open, live); ok {
				high = most
			}
		}
		if beta <= 2 {
			if least, ok := oddThreat(at.other, at.wins, open, live); ok {
				low = least
			}
		}
		return low, high
	}
	if beta <= 3 {
		if most, ok := claimeven(at.other, at.mover, at.wins, open, live); ok {
			low = -most
		}
	}
	if beta > -2 {
		if least, ok := oddThreat(at.mover, at.threats, open, live); ok {
			high = -least
		}
	}
	return low, high
}

// settled says that after one of the moves the rules that hold without search give
// the side to move beta or more.
func (c *candidates) settled(at state, open, live uint64, ply, beta int) (bound int, ok bool) {
	first := ply&1 == 0
	if first && beta > 2 || beta > 3 { // more than they ever give
		return 0, false
	}
	if !first && hasLine(at.other|live&odd&^open&^above(live&even&at.wins&^open)) {
		return 0, false // as good as always no disc is enough to make claimeven hold
	}
	for _, entry := range c.order[:c.n] {
		after := c.after(at, entry)
		open := playable(after.mover | after.other)
		if open&after.threats != 0 { // a reply is forced: there is more to come
			continue
		}
		live := after.live()
		if first {
			bound, ok = oddThreat(after.mover, after.threats, open, live)
		} else {
			bound, ok = claimeven(after.mover, after.other, after.threats, open, live)
			bound = -bound
		}
		if ok && bound >= beta {
			return bound, true
		}
	}
	return 0, false
}
