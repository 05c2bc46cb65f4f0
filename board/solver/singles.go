package solver

import "math/bits"

// harmless reports whether the opponent can keep a player from completing a line with the
// cells in reach, all of which the player may get, and half of the singles. A single is a
// playable cell that no follow-up pairs with another cell. The cells in reach must not
// contain a line, and of the two cells above a single at most the lower one.
//
// The opponent pairs the singles and answers each with its partner, so the player never
// gets both cells of a pair. If the number of singles is odd, it is the opponent's turn,
// and it takes one of them first: taken.
//
// The taken single is one that completes a line with the cells in reach, if there is one;
// no other single may complete one. The last two singles form a pair, so a line that needs
// both is harmless. With four or six left, harmless requires that the cells in reach and
// all of these singles contain no line, which saves a search for the best pairs.
func harmless(reach, singles uint64) (taken uint64, ok bool) {
	n := bits.OnesCount64(singles)
	vertical := reach << 1 & (reach << 2) & (reach >> 1) // the lines that completing leaves out
	harm := (completing(reach) | vertical) & singles
	if n&1 != 0 {
		if taken = harm; harm == 0 {
			taken = singles & -singles
		}
		harm = taken & (taken - 1)
		singles &^= taken
	}
	return taken, harm == 0 && (n <= 3 || !hasLine(reach|singles))
}
