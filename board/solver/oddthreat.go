package solver

import "math/bits"

// oddThreat bounds the score of the first player from below. If it finds no bound, it returns
// lowest. It needs the second player's discs, the empty cells with which the first player
// wins, the open cells (playable now) and the live cells (empty, not dead). It does not
// matter whose turn it is.
//
// A threat, here, is an odd cell that completes a line for the first player and is not
// playable yet. Call the even cell below it hot: neither side wants to fill it first. The
// first player never does. In the other columns it follows up as the second player does
// in [claimeven]: it answers a disc in an odd cell with a disc in the even cell above.
// This leaves the even cells of other columns that are playable now, and the cells of the
// threat's column below the hot one. There are at most three of the latter, and the upper
// two form a pair as well, an odd cell above an even one. The remaining cells are the
// singles, all playable. The first player pairs them and answers each with its partner.
//
// This always works. With the second player to move, the number of all empty cells is
// odd, and there are 3 or 5 cells from the hot one upwards. So the number of the others
// is even, and without the pairs the number of singles is even too. With the first player
// to move it is odd, and the first player first takes one single.
//
// So in the end only the hot cell is playable; the second player must fill it and loses.
// Before that, the second player gets only odd cells of other columns, even cells
// of the threat's column below the threat, and one single of each pair ([harmless]); and
// nothing above an even cell that a follow-up fills and that completes a line for the
// first player. If it cannot complete a line with these, the first player wins, at the
// latest by filling the threat. At that moment the 3 or 1 cells above the threat are
// empty. With the threat itself, 4 or 2 discs are left, half of them the first player's:
// a score of 2 or 1.
func oddThreat(second, firstWins, open, live uint64) (least int) {
	threats := live & odd & firstWins &^ open
	if threats == 0 {
		return lowest
	}
	common := live & odd &^ above(live&even&firstWins&^open)
	for ; threats != 0; threats &= threats - 1 {
		cell := bits.TrailingZeros64(threats)
		column := uint64(0xff) << (cell &^ 7)
		below := column & even & (1<<cell - 1)
		reach := second | common&^column | live&below
		if hasLine(reach) {
			continue
		}
		if _, ok := harmless(reach, open&(even^column)); ok {
			return (rows - cell&7) / 2
		}
	}
	return lowest
}
