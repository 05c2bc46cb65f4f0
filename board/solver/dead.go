package solver

// dead returns the empty cells that are never filled if both sides always win when they
// can, given the cells with which each side wins. They are the cells above one of these:
//
//   - A cell that completes a line for both sides. As soon as it is playable, the side
//     to move fills it and wins.
//   - Two cells, one right above the other, that each complete a line for the same side.
//     That side wins with the lower cell or, once the other side has filled it, with the
//     upper one.
//
// So no line with a dead cell is ever completed. A win at once is always best, so the
// score does not change if both sides must win whenever they can. The proofs of the
// bounds assume this rule: a player deviates from the strategy only to win at once, which
// is sooner than the bound promises.
func dead(one, other uint64) uint64 {
	end := one&other | one&(one<<1) | other&(other<<1)
	if end == 0 {
		return 0
	}
	return above(end)
}
