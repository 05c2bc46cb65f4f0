// Package solver computes the exact scores of positions on every board of up to 8x8 cells with four in
// a line.
//
//	p, err := board.Parse(board.FullMatrix, "122275766688582151258115176876") // columns from 1 on the left
//	…
//	s := solver.New(solver.Options{})
//	a, err := s.Analyse(ctx, p)
//	fmt.Println(a.Score, a.Best)
//
// A score is the value of a position to the side to move when both sides play
// perfectly. A positive score is a win: the number of discs the winner has left,
// counting the winning one, so 1 is a win with its last disc. A negative score is a loss,
// counted in the same way by the winner's discs. Zero is a draw. Columns are numbered from 0.
//
// [Solver.Solve] finds the score, [Solver.Best] also the best columns, [Solver.Analyse] the scores of
// all columns, and [Solver.Judge] the score and the columns' outcomes. If many cells are empty, ask
// less: [Solver.Outcomes] for the columns' outcomes without the distance, [Solver.Outcome] for a
// column that keeps the outcome, or [Solver.Estimate] for a promising one, which is not exact.
// [Solver.AtLeast] asks a single question.
//
// On 7x6, every answer takes a fraction of a second on a PC, thanks to an opening book. On 8x8,
// an outcome takes milliseconds with 24 discs or more on the board and often minutes with 14;
// [Options.Nodes] or the context ends a search that takes too long. With one thread, nodes depend on
// nothing but earlier searches, so after [Solver.Reset] a limit of nodes has the same effect on every
// machine.
//
// A Solver must be used by one goroutine at a time; several Solvers are independent of each other, and
// with [Options.Threads], one searches in parallel. A Solver takes [Options.Table] bytes, a quarter
// more on boards with eight columns or rows, half a MiB a thread and 50 KiB. It takes memory as its
// table grows and at the first Estimate, and allocates nothing after that, except the lists of an
// [Analysis] and of Best.
//
// The search is alpha-beta with a null window (search.go): it finds out whether the score of a
// position is at least beta. It is repeated with other values of beta until the score is known
// (drive.go). These ideas keep the search small:
//
//   - it never tries moves that lose at once, makes forced moves without search, and
//     stops at double threats (search.go, order.go);
//   - it detects without search whether a side can win with the disc after its next;
//   - rules after Allis's thesis (A Knowledge-Based Approach of Connect-Four, 1988)
//     bound the score of a position without search: the follow-ups of one side, the threats of the
//     other, and cells that are never filled (rules.go);
//   - it first tries moves that were good in similar positions (order.go);
//   - a transposition table remembers positions (table.go); it grows as needed, since
//     a small table stays in the processor's cache;
//   - an opening book has the early positions of 7x6, which take longest (package book).
//
// Estimate does not search but plays games (estimate.go).
//
// doc/solver.md compares its speed with that of other solvers.
package solver
