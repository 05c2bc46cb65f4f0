package solver

// solve gives the score of a state, whatever it is; ok is false when it was
// cancelled.
func (s *Solver) solve(at state, ply int) (score int, ok bool) {
	open := playable(at.mover | at.other)
	switch {
	case ply == cells:
		s.low, s.high = 0, 0
	case at.wins&open != 0:
		s.low, s.high = winAt(ply), winAt(ply)
	default:
		s.low, s.high = -winAt(ply+1), winAt(ply+2)
	}
	var losing, winning uint64 // what the last question about each took
	for s.low < s.high {
		beta := question(ply, s.low, s.high, losing < winning)
		before := s.nodes
		bound := s.search(at, ply, beta)
		if s.stopped {
			return 0, false
		}
		if bound >= beta {
			s.low = bound
		} else {
			s.high = bound
		}
		if beta <= 0 {
			losing = s.nodes - before
		} else {
			winning = s.nodes - before
		}
	}
	return s.low, true
}

// question chooses what to ask next about a score that lies from low to high: is
// it beta or more? easier says that questions about losing were the cheaper ones
// lately.
//
// A question far from the true score is answered quickly, and the closer it is the
// longer it takes; only the two right beside the score are needed. So the ends of
// the scale, quick wins and losses, are looked at first, each time halving what is
// left of the side that was cheaper; then who wins; and then, going from the
// quick end by thirds, how soon. Before ply fewDiscs, where games are long and most
// scores small, it is who wins already while quicker ends are open, and then one
// step at a time from zero.
func question(ply, low, high int, easier bool) (beta int) {
	near := 4
	if ply < fewDiscs {
		near = 6
	}
	switch {
	case ply < fewDiscs && low >= 0 && high <= 4:
		return low + 1
	case ply < fewDiscs && high <= 0 && low >= -4:
		return high
	case low >= 0:
		return max(low+1, high+1-max(1, (high-low)/3))
	case high <= 0:
		return min(high, low+max(1, (high-low)/3))
	case low >= -near && high <= near:
		if easier {
			return 0
		}
		return 1
	case high <= near || low < -near && easier:
		return min(low-low/2, 1-near)
	}
	return max(high+1-high/2, near)
}

const fewDiscs = 9
