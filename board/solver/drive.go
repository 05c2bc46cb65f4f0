package solver

// solve returns the score of any state; ok is false if the search was cancelled. guess is the
// expected score, or none. A good guess saves searches.
func (s *Solver) solve(at state, ply, guess int) (score int, ok bool) {
	switch {
	case ply == s.cells:
		s.low, s.high = 0, 0
	case s.canWin(at):
		s.low, s.high = s.winAt(ply), s.winAt(ply)
	default:
		s.low, s.high = -s.winAt(ply+1), s.winAt(ply+2)
		if least := s.least(at, ply); least > lowest {
			s.low = max(s.low, least)
			guess = max(guess, s.low)
		}
	}
	var losing, winning uint64 // nodes of the last search with beta <= 0 and with beta > 0
	for s.low < s.high {
		beta := s.nextBeta(ply, s.low, s.high, losing < winning)
		switch {
		case s.low < guess && guess <= s.high:
			beta = guess
		case s.low == guess:
			beta = guess + 1
		}
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

// nextBeta chooses beta for the next search of a position with a score between low and
// high. losingCheaper means that the last search with beta at most 0, which is about how
// soon the side to move loses, took fewer nodes than the last one about how soon it wins.
//
// The closer beta is to the true score, the more a search costs. Only two searches are
// necessary: one with beta equal to the score, and one with the score plus one. So the first
// searches rule out quick wins and losses, from the cheaper end, in steps of two and later of
// half the rest. The next searches find out who wins, and the last how soon, again starting
// with the quickest win or loss. Before
// ply fewDiscs, where games are long and most scores small, beta finally moves away from
// zero in steps of one.
func (g *geometry) nextBeta(ply, low, high int, losingCheaper bool) (beta int) {
	winning := max(low+1, 1, high+1-step(high-max(low, 0), g.winAt(ply+2)-high))
	losing := min(high, 0, low+step(min(high, 0)-low, g.winAt(ply+1)+low))
	switch {
	case ply < fewDiscs && low >= 0 && high <= 4:
		return low + 1
	case ply < fewDiscs && high <= 0 && low >= -4:
		return high
	case low >= 0:
		return winning
	case high <= 0:
		return losing
	case high > near && (low >= -near || !losingCheaper):
		return max(winning, near)
	case low < -near:
		return min(losing, 1-near)
	case losingCheaper:
		return 0
	}
	return 1
}

// step returns how many scores to rule out next at one end of the range, of which left
// remain and done have already been ruled out.
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

// least returns a lower bound of the score, or lowest if none is known. The book may have
// positions that lead to this one, and a move is never better than the position in which
// it is made.
func (s *Solver) least(at state, ply int) (least int) {
	least = lowest
	if ply-1 > s.lastBook {
		return least
	}
	tops := at.other &^ ((at.mover | at.other) >> 1)
	for ; tops != 0; tops &= tops - 1 {
		least = max(least, -s.book.Bounds(at.other&^(tops&-tops), at.mover).High)
	}
	return least
}
