package solver

// claimeven bounds the score of the first player from above. If it finds no bound, it returns
// highest. It needs the discs of both players, the empty cells with which the second player
// wins, the open cells (playable now) and the live cells (empty, not dead). It does not
// matter whose turn it is.
//
// The second player can follow up: answer every disc in an odd cell with a disc in the
// even cell above it, which exists since the top row is even. Then the first player can
// fill an even cell only if it is playable now: a single. The second player pairs the
// singles and answers each with its partner. This always works: the column of a single
// has an odd number of empty cells, and every other column an even number. With the first
// player to move, the number of all empty cells is even, so the number of singles is even
// too. With the second player to move it is odd, and the second player first takes one
// single. So
//
//   - the first player gets only odd cells and one single of each pair ([harmless]);
//   - it does not get cells above an even cell that completes a line for the second
//     player and is not playable yet: once the first player fills the cell below such a
//     cell, the second player wins there;
//   - if the board fills up, the second player has every even cell that is not playable
//     now, and the single that it took first.
//
// If the first player cannot complete a line with these cells, the second player does not
// lose: the score is at most 0. If, in addition, the second player's cells contain a line,
// it wins at the latest when the last cell of that line is filled. The first
// player can delay this until only that cell, the one below and those above it are empty.
// Then it must fill the one below, and the second player's reply wins. If the line's empty
// cells are in row 1 or below, four cells stay empty, two of them for the second player's
// discs, so the score is at most -3; from row 3 two cells stay empty (-2), from row 5
// none (-1).
func claimeven(first, second, secondWins, open, live uint64) (most int) {
	claimed := live & even &^ open
	reach := live & odd &^ above(claimed&secondWins)
	reach |= first
	if hasLine(reach) {
		return highest
	}
	taken, ok := harmless(reach, open&even)
	if !ok {
		return highest
	}
	claimed |= taken
	const upToRow1, upToRow3 = floor * 0b11, floor * 0b1111
	switch {
	case !hasLine(second | claimed):
		return 0
	case hasLine(second | claimed&upToRow1):
		return -3
	case hasLine(second | claimed&upToRow3):
		return -2
	}
	return -1
}
