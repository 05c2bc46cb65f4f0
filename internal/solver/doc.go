// Package solver tells what a position of the standard board is worth when both
// sides play perfectly: positions in, exact scores out.
//
// A score is the field's usual one, seen by the side to move: above zero it wins
// and has that many discs in hand when it does, the winning one included; below
// zero it loses likewise; zero is a draw. 1 is a win with the very last disc.
//
// The search asks one question again and again: is this position worth at least
// beta? It is an alpha-beta search with a null window ([Solver.search]); a driver
// closes in on the score from both ends (drive.go). What keeps it small:
//
//   - moves that lose at once are never made, forced ones are made without
//     thought, and two threats at once end it (search.go, order.go);
//   - whether a side wins with its next disc but one is seen without search;
//   - rules of Allis's thesis (A Knowledge-Based Approach of Connect-Four, 1988)
//     bound the score of a position as it stands: the second player's follow-ups
//     (claimeven.go), the first player's odd threats (oddthreat.go), and cells
//     that nobody will ever fill (dead.go);
//   - positions met before are remembered (table.go), in a table that grows with
//     its work: while it is small it stays in the processor's cache;
//   - early positions, which take longest, are looked up in an opening book
//     (package book).
//
// Several threads can look for one answer (threads.go).
//
// doc/solver.md has what each of them brings, and what else was tried.
package solver
