package solver

import "math/bits"

// harmless reports whether a player can be kept from completing a line using gets, all
// of which it may get, and half of singles. A single is a playable cell that no
// follow-up pairs with another cell. There is no line in gets, and of the two cells above
// a single gets has at most the lower one.
//
// The opponent pairs the singles and answers each with its partner, so the player never
// has both cells of a pair. If the number of singles is odd, it is the opponent's turn,
// and it first takes one of them: taken.
//
// So the opponent takes a single that completes a line with gets, if there is one; no
// other single may complete one. The last two singles form a pair, so a line that needs
// both is harmless. With four or six left, harmless requires that there is no line in
// gets and all of them, which saves a search for the best pairs.
func harmless(gets, singles uint64) (taken uint64, ok bool) {
	n := bits.OnesCount64(singles)
	vertical := gets << 1 & (gets << 2) & (gets >> 1) // the lines that completing leaves out
	harm := (completing(gets) | vertical) & singles
	if n&1 != 0 {
		if taken = harm; harm == 0 {
			taken = singles & -singles
		}
		harm = taken & (taken - 1)
		singles &^= taken
	}
	return taken, harm == 0 && (n <= 3 || !hasLine(gets|singles))
}
