package main

import (
	"context"
	"time"

	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/computer/tournament"
	"github.com/c4hat/c4hat/internal/front/bot"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/spf13/cobra"
)

func newTournament() *cobra.Command {
	s := settings.New()
	o := tournament.Options{Games: 100, Opening: 2, MoveTime: 10 * time.Second, StartTime: bot.StartTime}
	table, log, onHAT := solver.DefaultTable>>20, "", false
	cmd := &cobra.Command{
		Use:   "tournament PLAYER PLAYER...",
		Short: "Let levels and programs play each other",
		Long: `Each player plays every other player, and a table ranks them: the score, in which a draw
is half a win, its 95 % interval, and in the column kept how many moves were as good as
the best. A player is a level of the computer or a program's command, as in ./bot.py or
fast=./bot. doc/programs.md explains how to write a program.

Each game starts with a few random discs, and is played twice, with the colours swapped.
A program that answers with an illegal column, or too late, loses the game. Ctrl-C prints
the results so far; with --record, the same command continues later.`,
		Example: `  c4hat tournament easy medium ./bot.py
  c4hat tournament --games 1000 new=./bot old=./bot-1
  c4hat tournament hard "kaggle=python3 kaggle.py my_agent.py"
  c4hat tournament --record games.jsonl --seed 1 novice easy
  c4hat tournament --games 2 --record class.jsonl --html class.html class/*/bot.py`,
		ValidArgsFunction: cobra.FixedCompletions(levels.Names(), cobra.ShellCompDirectiveDefault), // a player may also be a file
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
			if o.Log, err = cli.Create(log); err != nil {
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
	f.StringVar(&o.CSV, "csv", "", "write the ranking to `FILE`, for a spreadsheet")
	f.StringVar(&o.Page, "html", "", "write ranking, scores and games to `FILE`, a page for a browser")
	f.BoolVar(&onHAT, "on-hat", false, "show games and the standing on the service's HAT")
	f.StringVar(&log, "program-log", "", "write the programs' standard error to `FILE`")
	f.BoolVar(&o.JSON, "json", false, "print JSON")
	s.Add(f, settings.Service)
	return cmd
}
