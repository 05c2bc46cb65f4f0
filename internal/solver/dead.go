package solver

// dead is the set of the empty cells that no disc will ever fall into while both
// sides win when they can, given the cells with which each of them does.
//
//   - A cell that completes a line for both: whoever's turn it is when it can be
//     filled fills it and wins. Nothing above it is filled before that, and
//     nothing after.
//   - Two cells, one upon the other, that each complete a line for the same side: it
//     wins with the lower one, or, when the other side has filled that, with the
//     upper one at once. Nothing above the two is filled.
//
// So no line that a dead cell belongs to is ever completed. To win at once is always
// best, so the score of a position is that of the game in which both sides must. The
// strategies of the bounds are meant in that game: whoever follows one deviates from
// it to win, which is sooner than the bound says, and for nothing else.
func dead(one, other uint64) uint64 {
	end := one&other | one&(one<<1) | other&(other<<1)
	if end == 0 {
		return 0
	}
	return above(end)
}
