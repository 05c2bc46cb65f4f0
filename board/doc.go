// Package board has the rules of Connect-4, and of its relatives on boards of up to
// 8×8 cells with lines of 2 to 8 discs.
//
// A [Position] is the discs on a board, a small comparable value: [Position.Drop] returns
// the next position and leaves the old one unchanged. A [Game] is a position with the
// moves that led to it, so that they can be undone and written down. A [Match] is several
// games, a point for each win; it keeps the score and says who starts.
//
// A player is named by the colour of its discs, so [Disc] is the type of players and of
// discs: red is the first player, yellow the second, and [Empty] means nobody.
//
// Columns count from 0 at the left, rows from 0 at the bottom. Only the notation of a
// game, "4453", counts columns from 1, as is usual.
//
// Playing a game allocates nothing.
package board
