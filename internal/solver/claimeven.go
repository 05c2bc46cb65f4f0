package solver

// claimeven bounds the score of the first player from above; ok is false where it
// has nothing to say. It needs the discs of both, the empty cells with which the
// second player wins, the open cells (playable now) and the live ones (empty, not dead).
// Whose turn it is does not matter.
//
// The second player can follow up: answer every disc in an odd cell with one in
// the even cell above it, which is on the board, since a column's top is even. A
// disc in an even cell can only go where such a cell is playable now, because
// from then on odd cells are answered; the second player answers it with another
// playable even cell. There always is one: each of these columns has an odd
// number of empty cells and the others an even number, so with the first player
// to move, when all empty cells together are even in number, there is an even
// number of them, and one is left when the first has taken one. With the second
// player to move their number is odd, and it begins by taking one. So
//
//   - the first player gets no more than odd cells and even ones playable now,
//   - and not those above an even cell that completes a line for the second and
//     is not playable yet: when the first player fills the cell below it, the
//     game is over;
//   - the second player gets, if it comes to that, every even cell not playable
//     now.
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
	gets := live & (odd | open) &^ above(claimed&secondWins)
	if hasLine(first | gets) {
		return 0, false
	}
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
