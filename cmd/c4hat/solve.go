package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/computer/tournament"
	"github.com/spf13/cobra"
)

func newSolve() *cobra.Command {
	table, threads := solver.DefaultTable>>20, 1
	var o tournament.SolveOptions
	rules := board.Standard
	cmd := &cobra.Command{
		Use:   "solve [POSITION...]",
		Short: "Solve positions",
		Long: `Compute the exact value of positions, with four in a line. A position is the columns of its
moves, from 1 on the left, or - for the empty board, as an argument or a line of standard
input. For each one c4hat prints a line:

  POSITION SCORE NODES MICROSECONDS

SCORE is positive if the side to move wins: 1 with its last disc, 2 with the disc before,
and so on; it is negative if that side loses, and 0 is a draw. NODES is the number of
positions searched. --columns adds the score of each column, or - for a full one. On 8x8,
positions of fewer than about 20 discs may take hours. After a bad line of standard input
the exit status is 1.`,
		Example: `  c4hat solve 4453                       the value of a position
  c4hat solve --columns 4453             the value of each column too
  c4hat solve --columns --json - | jq    the empty board, as JSON
  c4hat solve --board 8x8 --columns 4455443366115577223311   on the 8x8 board
  c4hat solve --threads 4 < file         a file of positions, on four cores
  c4hat solve --fresh --no-book < file   a benchmark of the solver`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Threads, o.Solver.Threads = threads, 1 // positions in parallel, and threads for each
			if len(args) == 1 {
				o.Threads, o.Solver.Threads = 1, threads
			}
			if err := fits(table, o.Threads); err != nil {
				return err
			}
			in, out, errs := cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if err := solver.CheckBook(); err != nil && !o.Solver.NoBook {
				fmt.Fprintf(errs, "%v; continuing without it\n", err)
			}
			o.Solver.Table, o.Rules = table<<20, rules
			o.Header = cli.IsTerminal(out)
			// By default the collector lets garbage grow to the size of live memory, and the
			// table is live memory.
			defer debug.SetGCPercent(debug.SetGCPercent(5))
			positions := tournament.Args(args)
			if len(args) == 0 {
				positions = tournament.Input(cmd.Context(), in)
				if cli.IsTerminal(in) {
					fmt.Fprintln(errs, "Type one position per line, such as 4453; Ctrl-D ends.")
				}
			}
			err := tournament.Solve(cmd.Context(), positions, out, errs, o)
			if errors.Is(err, cli.ErrReported) && len(args) > 0 {
				return cli.Usage(err)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.Var(settings.Size(&rules), "board", "size of the board, up to 8x8")
	f.BoolVar(&o.Columns, "columns", false, "print the score of each column too")
	f.BoolVar(&o.JSON, "json", false, "print one JSON object per line")
	f.BoolVar(&o.Fresh, "fresh", false, "clear the table before each position; the time for this is not counted")
	f.BoolVar(&o.Solver.NoBook, "no-book", false, "do not use the opening book")
	f.Var(settings.Number(&table, 1, maxTable), "table", "size of the transposition table in `MiB`, for each position solved in parallel")
	f.Var(settings.Number(&threads, 1, maxThreads), "threads", "positions solved in parallel; for a single argument, threads that solve it together")
	return cmd
}

// fits says whether the memory of this machine has room for tables of so many MiB.
func fits(table, threads int) error {
	if all := memory(); all != 0 && uint64(table)<<20*uint64(threads) > all {
		return cli.Usagef("--table %d with %d threads: this machine has %d MiB of memory", table, threads, all>>20)
	}
	return nil
}

// memory returns the size of the memory in bytes, or 0 if it is unknown, as on other systems than Linux.
func memory() uint64 {
	var kilobytes uint64
	text, _ := os.ReadFile("/proc/meminfo")
	_, _ = fmt.Sscanf(string(text), "MemTotal: %d kB", &kilobytes)
	return kilobytes << 10
}

// maxTable is the largest table in MiB: 512 for a 32-bit program, else 4096.
const maxTable = 512 << (^uint(0) >> 63 * 3)

// maxThreads is more than the cores of most machines.
const maxThreads = 256
