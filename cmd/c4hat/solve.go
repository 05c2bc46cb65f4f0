package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/computer/tournament"
	"github.com/c4hat/c4hat/internal/front/bot"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/spf13/cobra"
)

func newSolve() *cobra.Command {
	table, threads := solver.DefaultTable>>20, 1
	var o tournament.SolveOptions
	rules := board.Standard
	cmd := &cobra.Command{
		Use:   "solve [POSITION...]",
		Short: "Solve positions",
		Long: `Compute the exact score of positions, with four in a line. A position is the columns of its
moves, from 1 on the left, or - for the empty board, as an argument or a line of standard
input. For each one c4hat prints a line:

  POSITION SCORE NODES MICROSECONDS

SCORE is positive if the side to move wins: 1 with its last disc, 2 with the disc before,
and so on; it is negative if that side loses, and 0 is a draw. NODES is the number of
positions searched. --columns adds the score of each column, or - for a full one. On 8x8,
positions of fewer than about 20 discs may take hours. After a bad line of standard input
the exit status is 1.`,
		Example: `  c4hat solve 4453                       the score of a position
  c4hat solve --columns 4453             the score of each column too
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
			// By default the collector lets garbage grow to the size of live memory, and the
			// table is live memory.
			defer debug.SetGCPercent(debug.SetGCPercent(5))
			if len(args) == 0 && cli.IsTerminal(in) {
				fmt.Fprintln(errs, "Type one position per line, such as 4453; Ctrl-D ends.")
			}
			err := tournament.Solve(cmd.Context(), tournament.Lines(cmd.Context(), args, in), out, errs, o)
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
		return cli.Usagef("--table %d with --threads %d exceeds this machine's %d MiB of memory", table, threads, all>>20)
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

func newEngine() *cobra.Command {
	s := settings.New()
	level := match.UsualLevel
	cmd := &cobra.Command{
		Use:   "engine",
		Short: "Play for another program, line by line",
		Long: `Play as one of the computer's levels, for another program: doc/programs.md has the protocol.
Each line of standard input has the moves so far, as columns from 1; an empty line is the
start of a game. c4hat engine answers each line with the computer's column. The variables
C4HAT_BOARD and C4HAT_CONNECT describe the board; flags override them.`,
		Example: `  echo 4453 | c4hat engine --level perfect
  c4hat tournament medium "m2=c4hat engine --level medium"`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for flag, variable := range map[string]string{"board": "C4HAT_BOARD", "connect": "C4HAT_CONNECT"} {
				if text := os.Getenv(variable); text != "" && !cmd.Flags().Changed(flag) {
					if err := cmd.Flags().Set(flag, text); err != nil {
						return cli.Usagef("%s=%s: %w", variable, text, err)
					}
				}
			}
			rules, err := s.Rules()
			if err != nil {
				return err
			}
			var player computer.Computer
			chance := rand.New(rand.NewPCG(s.Seed, 0))
			choose := func(ctx context.Context, p board.Position) (int, error) {
				return player.Choose(ctx, level, p, chance.Uint64())
			}
			if cli.IsTerminal(cmd.InOrStdin()) {
				fmt.Fprintln(cmd.ErrOrStderr(), "Type the moves so far, such as 4453, or nothing at the start; Ctrl-D ends.")
			}
			return bot.Engine(cmd.Context(), rules, cmd.InOrStdin(), cmd.OutOrStdout(), choose)
		},
	}
	f := cmd.Flags()
	f.Var(settings.Level(&level, level), "level", "the computer's level")
	s.Add(f, settings.Rules+"seed")
	return cmd
}

func newTournament() *cobra.Command {
	s := settings.New()
	o := tournament.Options{Games: 100, Opening: 2, MoveTime: 10 * time.Second, StartTime: bot.StartTime}
	table, log, onHAT := solver.DefaultTable>>20, "", false
	cmd := &cobra.Command{
		Use:   "tournament PLAYER PLAYER...",
		Short: "Let levels and programs play each other",
		Long: `Let every player play every other, and rank them by score: wins and half the draws, with the
95 % interval. The column kept is the share of moves as good as the best. A player is a level
of the computer or a program's command, as in ./bot.py or NAME=./bot. doc/programs.md explains how to write a program.

Each game starts with a few random discs, and is played twice, with the colours swapped.
A program that answers with an illegal column, or too late, loses the game. Ctrl-C prints
the results so far; with --record, the same command continues later.`,
		Example: `  c4hat tournament easy medium ./bot.py
  c4hat tournament --games 1000 new=./bot old=./bot-1
  c4hat tournament hard "kaggle=python3 kaggle.py my_agent.py"
  c4hat tournament --record games.jsonl --seed 1 novice easy
  c4hat tournament --games 2 --record class.jsonl --html class.html class/*/bot.py`,
		ValidArgsFunction: cobra.FixedCompletions(match.LevelNames(), cobra.ShellCompDirectiveDefault), // a player may also be a file
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Players, err = tournament.ParsePlayers(args); err != nil {
				return cli.Usage(err)
			}
			if o.Rules, err = s.Rules(); err != nil {
				return err
			}
			o.Seed, o.Table = s.Seed, table<<20
			if err := fits(table, o.Workers()); err != nil {
				return err
			}
			if o.Log, err = cli.Append(log); err != nil {
				return err
			}
			if onHAT {
				service, _, err := dial(cmd, s)
				if err != nil {
					return err
				}
				borrow := func(ctx context.Context) (tournament.HAT, error) { return service.Borrow(ctx) }
				o.Showing = tournament.NewShowing(cmd.Context(), borrow, cmd.ErrOrStderr())
			}
			o.Streams, o.Seeded = cli.StreamsOf(cmd), cmd.Flags().Changed("seed")
			_, err = tournament.Run(cmd.Context(), o)
			return err
		},
	}
	f := cmd.Flags()
	f.Var(settings.Number(&o.Games, 1, 1_000_000), "games", "games between each pair of players")
	f.Var(settings.Number(&o.Opening, 0, 20), "opening-plies", "random discs at the start of each game")
	f.BoolVar(&o.Gauntlet, "gauntlet", false, "only the first player plays all others")
	s.Add(f, settings.Rules+"seed")
	f.Var(settings.Duration(&o.MoveTime), "move-time", "a program's time limit for each move, 0 for none")
	f.Var(settings.Number(&o.Threads, 1, maxThreads), "threads", "games played in parallel (default: 1 if a program plays, else one per core)")
	f.Var(settings.Number(&table, 1, maxTable), "table", "size of the solver's transposition table in `MiB`, for each thread")
	f.StringVar(&o.Record, "record", "", "write each game as a line of JSON to `FILE`, and go on where FILE ends")
	f.Var(settings.Output(&o.CSV, ".csv"), "csv", "write the ranking to `FILE`, for a spreadsheet")
	f.Var(settings.Output(&o.Page, ".html"), "html", "write ranking, scores and games to `FILE`, a page for a browser")
	f.BoolVar(&onHAT, "on-hat", false, "show games and the ranking on the service's HAT")
	f.StringVar(&log, "program-log", "", "add the programs' standard error to `FILE`")
	f.BoolVar(&o.JSON, "json", false, "print JSON")
	s.Add(f, settings.Service)
	return cmd
}
