package main

import (
	"fmt"
	"runtime/debug"

	"github.com/c4hat/c4hat/internal/solver"
	"github.com/spf13/cobra"
)

func newSolve() *cobra.Command {
	table := numberValue{n: solver.DefaultTable >> 20, least: 1, most: mostTable}
	threads := numberValue{n: 1, least: 1, most: mostThreads}
	var columns, asJSON, fresh, noBook bool
	cmd := &cobra.Command{
		Use:   "solve [POSITION...]",
		Short: "Tell what positions are worth, exactly",
		Long: `solve tells what positions of the standard board, 7x6, are worth when both sides
play perfectly. A position is written as the columns of its moves, 1 to 7 from
the left; - is the empty board. Positions are arguments, or lines of the standard
input. For each, one line:

  POSITION SCORE NODES MICROSECONDS

SCORE is above zero if the side to move wins: 1 with the very last disc, 2 with
its last but one, and so on; below zero if it loses likewise; 0 is a draw. NODES
is how many positions were looked at. --columns adds the score of a disc in each
column, - where it is full. Early positions are answered from an opening book.

A bad line is named on standard error, the others are answered all the same, and
the exit status is 1.`,
		Example: `  c4hat solve 4453                       what is it worth?
  c4hat solve --columns 4453             and each column?
  c4hat solve --columns --json - | jq    with the best moves, for programs
  c4hat solve --threads 4 < file         a file of them on four cores
  c4hat solve --fresh --no-book < file   as solvers are compared`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			size := uint64(table.n) << 20
			atOnce, together := threads.n, 1 // positions, and threads for each
			if len(args) == 1 {
				atOnce, together = 1, threads.n
			}
			if all := memory(); all != 0 && size*uint64(atOnce) > all {
				return usagef("--table %d with --threads %d: this machine has %d MiB of memory", table.n, threads.n, all>>20)
			}
			out := answers{out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr()}
			if err := solver.CheckBook(); err != nil && !noBook {
				fmt.Fprintf(out.errs, "%v; going on without it\n", err)
			}
			shown := isTerminal(cmd.ErrOrStderr()) && usableTerminal()
			for range atOnce {
				c := &calculator{columns: columns, json: asJSON, fresh: fresh, errs: out.errs}
				o := solver.Options{Table: int(size), NoBook: noBook, Threads: together}
				if shown {
					o.Progress = c.progress
				}
				c.solver = solver.New(o)
				out.calculators = append(out.calculators, c)
			}
			// The collector lets as much garbage pile up as there is live memory, and
			// takes the whole table for that.
			defer debug.SetGCPercent(debug.SetGCPercent(5))
			if len(args) > 0 {
				return out.give(cmd.Context(), arguments(args))
			}
			in := cmd.InOrStdin()
			if isTerminal(in) {
				fmt.Fprintln(out.errs, "Type a position a line, such as 4453; Ctrl-D ends.")
			}
			return out.give(cmd.Context(), inputLines(in))
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&columns, "columns", false, "score every column too")
	f.BoolVar(&asJSON, "json", false, "print a JSON object a line")
	f.BoolVar(&fresh, "fresh", false, "forget everything between positions; the time that takes does not count")
	f.BoolVar(&noBook, "no-book", false, "search early positions too, instead of looking them up")
	f.Var(&table, "table", "`MiB` of memory for positions met before, for each position in parallel")
	f.Var(&threads, "threads", "positions solved in parallel; a single argument is solved by all threads together")
	return cmd
}

// mostTable is the largest table, in MiB: half of what a 32-bit program can
// hope for, and 4 GiB.
const mostTable = 512 << (^uint(0) >> 63 * 3)

// mostThreads is more than any machine here has cores.
const mostThreads = 256
