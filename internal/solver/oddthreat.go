package solver

import "math/bits"

// oddThreat bounds the score of the first player from below; ok is false where it
// has nothing to say. It needs the second player's discs, the empty cells with
// which the first player wins, the open cells (playable now) and the live ones
// (empty, not dead). Whose turn it is does not matter.
//
// Let an odd cell complete a line for the first player and not be playable yet:
// a threat. The cell under it, which is even, is the one that neither side wants
// to fill first: call it hot. The first player never fills it. Elsewhere it
// follows up as the second player does in [claimeven]: it answers a disc in an
// odd cell of another column with one in the even cell above. What is left are the
// even cells of other columns that are playable now, and the cells of the threat's
// column below the hot one. Of the latter there are three at most, and the last two
// are a pair too, an even cell and the odd one above it. What is left now are single
// cells, all of them playable. The first player puts them in pairs, and answers one
// with the other.
//
// It always can. All cells but the hot one and those above it are an even number
// when it is the second player's turn: the empty cells are odd in number then,
// and the hot cell, the threat and what is above it are 3 or 5. In pairs all the
// others are even too, and so are the single cells. When it is the first player's
// turn, the single cells are odd in number, and it begins by taking one.
//
// So in the end nothing is left but the hot cell, and it is the second player's
// turn, who fills it and loses. Before that the second player gets no more than
// odd cells of other columns, even ones of the threat's column below the threat,
// and one of each pair of single ones ([harmless]); and nothing above an even cell
// that completes a line for the first player and that a follow-up fills. If there
// is no line for it in all that, the first player wins, with the threat at the
// latest: then the cells above the threat are empty, 3 or 1 of them; with the threat
// itself that is 4 or 2 discs to come, half of them the first player's, the winning
// one included.
func oddThreat(second, firstWins, open, live uint64) (least int, ok bool) {
	threats := live & odd & firstWins &^ open
	if threats == 0 {
		return 0, false
	}
	gets := live & odd &^ above(live&even&firstWins&^open)
	for ; threats != 0; threats &= threats - 1 {
		cell := bits.TrailingZeros64(threats)
		column := uint64(0xff) << (cell &^ 7)
		below := column & even & (1<<cell - 1)
		gets := second | gets&^column | live&below
		if hasLine(gets) {
			continue
		}
		if _, ok := harmless(gets, open&(even^column)); ok {
			return (rows - cell&7) / 2, true
		}
	}
	return 0, false
}
