package solver

import "math/bits"

// Rules that bound the score without search. They hold on every board, with the leader and the
// follower of [geometry]. Each player deviates from its strategy only to win at once, which is
// always best and sooner than the bound promises.

// dead returns the empty cells that are never filled if both sides always win when they
// can, given the cells with which each side wins. They are the cells above one of these:
//
//   - A cell that completes a line for both sides. As soon as it is playable, the side
//     to move fills it and wins.
//   - Two cells, one right above the other, that each complete a line for the same side.
//     That side wins with the lower cell or, once the other side has filled it, with the
//     upper one.
//
// So no line with a dead cell is ever completed.
func dead(one, other uint64) uint64 {
	end := one&other | (one&(one<<1)|other&(other<<1))&fromRow1
	if end == 0 {
		return 0
	}
	return above(end)
}

// claimeven bounds the leader's score from above. If it finds no bound, it returns highest. It
// needs the discs of both sides, the empty cells with which the follower wins, the open cells
// (playable now) and the live cells (empty, not dead). It does not matter whose turn it is.
//
// The follower can follow up: answer every disc in a lower cell with a disc in the upper cell
// above it, which exists since the top row is upper. Then the leader can fill an upper cell only
// if it is playable now: a single. The follower pairs the singles and answers each with its
// partner. This always works: the column of a single has an odd number of empty cells, and every
// other column an even number. With the leader to move, the number of all empty cells is even, so
// the number of singles is even too. With the follower to move it is odd, and the follower first
// takes one single. So
//
//   - the leader gets only lower cells and one single of each pair ([harmless]);
//   - it does not get cells above an upper cell that completes a line for the follower and is not
//     playable yet: once the leader fills the cell below such a cell, the follower wins there;
//   - if the board fills up, the follower has every upper cell that is not playable now, and the
//     single that it took first.
//
// If the leader cannot complete a line with these cells, the follower does not lose: the score is
// at most 0. If, in addition, the follower's cells contain a line, it wins at the latest when the
// last cell of that line is filled. The leader can delay this until only that cell, the one below
// and those above it are empty. Then it must fill the one below, and the follower's reply wins.
// Half of the cells above are for the follower's discs, so a line up to the top row is a score of
// at most -1, one up to the second row below it of -2, and so on.
func (g *geometry) claimeven(leader, follower, followerWins, open, live uint64) (most int) {
	claimed := live & g.upper &^ open
	reach := live & g.lower &^ above(claimed&followerWins)
	reach |= leader
	if hasLine(reach) {
		return highest
	}
	taken, ok := harmless(reach, open&g.upper)
	if !ok {
		return highest
	}
	claimed |= taken
	if !hasLine(follower | claimed) {
		return 0
	}
	most = -1
	for rows := g.rows - 2; rows > 0 && hasLine(follower|claimed&(floor*(1<<rows-1))); rows -= 2 {
		most--
	}
	return most
}

// oddThreat bounds the leader's score from below. If it finds no bound, it returns lowest. It
// needs the follower's discs, the empty cells with which the leader wins, the open cells (playable
// now) and the live cells (empty, not dead). It does not matter whose turn it is.
//
// A threat, here, is a lower cell that completes a line for the leader and is not playable yet.
// Call the upper cell below it hot: neither side wants to fill it first. The leader never does. In
// the other columns it follows up as the follower does in [geometry.claimeven]: it answers a disc
// in a lower cell with a disc in the upper cell above. This leaves the upper cells of other columns
// that are playable now, and the cells of the threat's column below the hot one. Of the latter, the
// topmost two form a pair, an upper cell and the lower cell above it, which answers it; so do the
// two below, and so on, until at most one lower cell is left at the bottom, which is playable. This
// one and the upper cells of other columns are the singles. The leader pairs them and answers each
// with its partner.
//
// This always works. With the follower to move, the number of all empty cells is odd, and so is the
// number of cells from the hot one upwards. So the number of the others is even, and without
// the pairs the number of singles is even too. With the leader to move it is odd, and the leader
// first takes one single.
//
// So in the end only the hot cell is playable; the follower must fill it and loses. Before that,
// the follower gets only lower cells of other columns, upper cells of the threat's column below the
// threat, and one single of each pair ([harmless]); and nothing above an upper cell that a
// follow-up fills and that completes a line for the leader. If it cannot complete a line with
// these, the leader wins, at the latest by filling the threat. At that moment the cells above the
// threat are empty. Together with the threat their number is even, and half of them are for the
// leader's discs.
func (g *geometry) oddThreat(follower, leaderWins, open, live uint64) (least int) {
	threats := live & g.lower & leaderWins &^ open
	if threats == 0 {
		return lowest
	}
	common := live & g.lower &^ above(live&g.upper&leaderWins&^open)
	for ; threats != 0; threats &= threats - 1 {
		cell := bits.TrailingZeros64(threats)
		column := uint64(0xff) << (cell &^ 7)
		below := column & g.upper & (1<<cell - 1)
		reach := follower | common&^column | live&below
		if hasLine(reach) {
			continue
		}
		if _, ok := harmless(reach, open&(g.upper^column)); ok {
			return (g.rows - cell&7) / 2
		}
	}
	return lowest
}

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
// both is harmless. With four or more left, harmless requires that the cells in reach and
// all of these singles contain no line, which saves a search for the best pairs.
func harmless(reach, singles uint64) (taken uint64, ok bool) {
	n := bits.OnesCount64(singles)
	// The vertical lines that completing leaves out.
	vertical := reach << 1 & (reach << 2 & fromRow2) & (reach >> 1 & toRow6)
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
