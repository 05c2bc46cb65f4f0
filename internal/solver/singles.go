package solver

import "math/bits"

// harmless says that a player has no line in what it may get of a position: the
// cells of gets, in which there is none, and of the single ones no more than the other side leaves it. Those
// are playable now, and at most one cell above each, the next, is in gets. Where
// they are odd in number, it is the other side's turn, which takes one of them:
// taken. The others it puts in pairs and answers one with its partner at once, so
// that the player never has both.
//
// So it takes the one that completes a line, if there is one, and no other may. Two
// that are left are a pair, and then a line with both is none; with four or six
// there shall be no line in all of them, which spares a search for the best pairs.
func harmless(gets, singles uint64) (taken uint64, ok bool) {
	n := bits.OnesCount64(singles)
	upright := gets << 1 & (gets << 2) & (gets >> 1) // all that completing leaves out
	harm := (completing(gets) | upright) & singles
	if n&1 != 0 {
		if taken = harm; harm == 0 {
			taken = singles & -singles
		}
		harm = taken & (taken - 1)
		singles &^= taken
	}
	return taken, harm == 0 && (n <= 3 || !hasLine(gets|singles))
}
