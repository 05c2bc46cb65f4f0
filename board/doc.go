// Package board has the rules of Connect-4, and of similar games on boards of up to 8×8 cells with
// lines of 2 to 8 discs.
//
// A [Position] is a small comparable value with the discs on a board. [Position.Drop] returns the
// next position and leaves the old one unchanged. A [Game] is a position with the moves that led to
// it, so that they can be undone and written down. A [Match] is a series of games with a point for
// each win; it keeps the score and decides who starts each game.
//
// A player is named by the colour of its discs, so [Disc] is the type of players and of
// discs: red is the first player, yellow the second, and [Empty] means nobody.
//
// Columns are numbered from 0, starting at the left, and rows from 0, starting at the bottom. Only
// the notation of a game, such as "4453", numbers the columns from 1, as is usual.
//
// Playing a game allocates nothing.
package board
