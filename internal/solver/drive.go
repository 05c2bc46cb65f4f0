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
		bound := s.ask(at, ply, beta)
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
// the scale, quick wins and losses, are looked at first, from the cheaper end, two
// steps at a time and later by halves; then who wins; and then, from the quick end
// again, how soon. Before ply fewDiscs, where games are long and most scores small,
// it is one step at a time from zero in the end.
func question(ply, low, high int, easier bool) (beta int) {
	winning := max(low+1, 1, high+1-step(high-max(low, 0), winAt(ply+2)-high))
	losing := min(high, 0, low+step(min(high, 0)-low, winAt(ply+1)+low))
	switch {
	case ply < fewDiscs && low >= 0 && high <= 4:
		return low + 1
	case ply < fewDiscs && high <= 0 && low >= -4:
		return high
	case low >= 0:
		return winning
	case high <= 0:
		return losing
	case high > near && (low >= -near || !easier):
		return max(winning, near)
	case low < -near:
		return min(losing, 1-near)
	case easier:
		return 0
	}
	return 1
}

// step is how far to go from an end of the scores that are left, from which done
// have been ruled out.
func step(left, done int) int {
	if done < 8 {
		return 2
	}
	return max(1, left/2)
}

const (
	near     = 6
	fewDiscs = 9
)
