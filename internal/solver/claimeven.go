package solver

// claimeven bounds the score of the first player from above; ok is false where it
// has nothing to say. It needs the discs of both, the empty cells with which the
// second player wins, the open cells (playable now) and the live ones (empty, not dead).
// Whose turn it is does not matter.
//
// The second player can follow up: answer every disc in an odd cell with one in
// the even cell above it, which is on the board, since a column's top is even. A
// disc in an even cell can only go where such a cell is playable now, a single
// one, because from then on odd cells are answered. The second player puts the
// single cells in pairs and answers a disc in one with a disc in the other. It can:
// each of their columns has an odd number of empty cells and the others an even
// number, so with the first player to move, when all empty cells together are even
// in number, so are the single ones. With the second player to move they are odd
// in number, and it begins by taking one. So
//
//   - the first player gets no more than odd cells and one of each pair of single
//     ones ([harmless]),
//   - and not those above an even cell that completes a line for the second and
//     is not playable yet: when the first player fills the cell below it, the
//     game is over;
//   - the second player gets, if it comes to that, every even cell not playable
//     now, and the single one that it begins with.
//
// If the first has no line in what it can get, the second has not lost by
// following up: the score is 0 at most. If then the second has a line in what it
// gets, it wins, by the time that the last cell of that line is filled. The
// first player can put that off until nothing is left but the cells above that
// last cell and the cell itself, and the second's reply fills it: with the line's
// empty cells in row 1 or below four cells stay empty, two of them the second's,
// and so the score is -3 at most; row 3 leaves two, and row 5 none.
func claimeven(first, second, secondWins, open, live uint64) (most int, ok bool) {
	claimed := live & even &^ open
	gets := live & odd &^ above(claimed&secondWins)
	gets |= first
	if hasLine(gets) {
		return 0, false
	}
	taken, ok := harmless(gets, open&even)
	if !ok {
		return 0, false
	}
	claimed |= taken
	const upToRow1, upToRow3 = floor * 0b11, floor * 0b1111
	switch {
	case !hasLine(second | claimed):
		return 0, true
	case hasLine(second | claimed&upToRow1):
		return -3, true
	case hasLine(second | claimed&upToRow3):
		return -2, true
	}
	return -1, true
}
