package solver

// dead is the set of the empty cells that no disc will ever fall into while both
// sides win when they can, given the cells with which each of them does.
//
//   - A cell that completes a line for both: whoever's turn it is when it can be
//     filled fills it and wins. Nothing above it is filled before that, and
//     nothing after.
//   - Two such cells of one side, one upon the other: it wins with the lower one,
//     or, when the other side has filled that, with the upper one at once.
//     Nothing above the two is filled.
//
// So no line that a dead cell belongs to is ever completed.
func dead(one, other uint64) uint64 {
	end := one&other | one&(one<<1) | other&(other<<1)
	if end == 0 {
		return 0
	}
	return above(end)
}
