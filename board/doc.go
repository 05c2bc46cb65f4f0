// Package board knows the rules of connect-k on boards of up to 8×8 cells, of
// which Connect-4 on 7 columns × 6 rows is the one everybody knows, and of the
// match: several rounds, a point for each won, first to so many points.
//
// A board is a [Position], a small comparable value: [Position.Drop] gives the
// next position and leaves the old one as it was. A [Game] is a position with
// the moves that led to it and can be taken back; a [Match] counts points and
// says who starts.
//
// Columns count from 0 at the left and rows from 0 at the bottom. Only the
// written form of a game, "4453", counts columns from 1, as the field does.
//
// Nothing here allocates while a game is played, and nothing knows of time,
// screens or computer players.
package board
