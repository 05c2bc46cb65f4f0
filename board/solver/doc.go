// Package solver computes the exact score of positions of the standard board.
//
// A score is the value of a position to the side to move when both sides play
// perfectly. A positive score is a win: the number of discs the winner has left,
// counting the winning one, so 1 is a win with its last disc. A negative score is a loss,
// counted in the same way by the winner's discs. Zero is a draw.
//
// The search is alpha-beta with a null window ([Solver.search]): it finds out whether the
// score of a position is at least beta. [Solver.solve] repeats it with other values of beta
// until the score is known (drive.go). These ideas keep the search small:
//
//   - it never tries moves that lose at once, makes forced moves without search, and
//     stops at double threats (search.go, order.go);
//   - it detects without search whether a side can win with the disc after its next;
//   - rules from Allis's thesis (A Knowledge-Based Approach of Connect-Four, 1988)
//     bound the score of a position without search: the second player's follow-ups
//     and the first player's odd threats, on boards of any size, and cells that are never filled
//     (rules.go);
//   - it first tries moves that were good in similar positions (history.go);
//   - a transposition table remembers positions (table.go); it grows as needed, since
//     a small table stays in the processor's cache;
//   - an opening book has the early positions, which take longest (package book).
//
// Several threads can search one position (threads.go).
//
// doc/solver.md has measurements of these ideas and of those that were rejected.
package solver
