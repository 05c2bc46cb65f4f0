package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/tournament"
	"github.com/spf13/cobra"
)

func newTournament() *cobra.Command {
	s := settings.New()
	games, plies, threads, table := 100, 2, 0, solver.DefaultTable>>20
	moveTime := 10 * time.Second
	record, log, asJSON := "", "", false
	cmd := &cobra.Command{
		Use:   "tournament PLAYER PLAYER...",
		Short: "Let levels and programs play each other",
		Long: `Each player plays every other player, and a table ranks them. A player is a level of the
computer or a program's command, as in ./bot.py or "python3 bot.py". A player's name can
be put first, as in fast=./bot. doc/programs.md explains how to write a program.

Each game starts with a few random discs, and is played twice, with the colours swapped.
A program that answers with an illegal column, or does not answer in time, loses the
game. If only levels play, the same --seed always gives the same table, on any machine.

For each player the table shows the score, which counts a draw as half a win, the
score's 95 % interval, and how many of the player's moves kept the exact value of the
position, where the solver knows it; on the 7x6 board it always does. If a program plays,
a second table shows each player's median and longest time for a move, and the number of
its faults. --json always includes these figures.

Ctrl-C prints the results so far.`,
		Example: `  c4hat tournament easy medium ./bot.py
  c4hat tournament --games 1000 new=./bot old=./bot-1
  c4hat tournament hard "kaggle=python3 kaggle.py my_agent.py"
  c4hat tournament --record games.jsonl --seed 1 novice easy`,
		ValidArgsFunction: cobra.FixedCompletions(levels.Names(), cobra.ShellCompDirectiveDefault), // a player may also be a file
		RunE: func(cmd *cobra.Command, args []string) error {
			players, err := tournament.ParsePlayers(args)
			if err != nil {
				return cli.Usage(err)
			}
			rules, err := s.Rules()
			if err != nil {
				return err
			}
			o := tournament.Options{
				Rules: rules, Games: games, Opening: plies, Seed: s.Seed(),
				Threads: threads, Table: table << 20, MoveTime: moveTime,
			}
			threads := o.ThreadsFor(players)
			if all := pi.Memory(); all != 0 && uint64(o.Table)*uint64(threads) > all {
				return cli.Usagef("--table %d with %d threads: this machine has %d MiB of memory", table, threads, all>>20)
			}
			if o.Record, err = create(record); err != nil {
				return err
			}
			if o.Log, err = create(log); err != nil {
				return err
			}
			played, all := 0, 0
			progress, began := cli.NewProgress(cmd.ErrOrStderr()), time.Now()
			o.Played = func(games, total int) {
				played, all = games, total
				left := time.Since(began) / time.Duration(games) * time.Duration(total-games)
				progress.Show("game %d of %d, about %v left", games, total, left.Round(time.Second))
			}
			results, err := tournament.Run(cmd.Context(), players, o)
			progress.Clear()
			if results == nil {
				return cli.Usagef("%w; use a smaller --opening-plies", err)
			}
			if played < all {
				fmt.Fprintf(cmd.ErrOrStderr(), "stopped after %d of %d games\n", played, all)
			}
			write := results.Write
			if asJSON {
				write = func(w io.Writer) error { return cli.WriteJSON(w, results) }
			}
			err = cmp.Or(err, write(cmd.OutOrStdout()))
			for _, p := range results.Players {
				if p.Faults > 0 {
					fmt.Fprintf(cmd.ErrOrStderr(), "faults of %s: %d; the first: %s\n", p.Name, p.Faults, p.FirstFault)
				}
			}
			return err
		},
	}
	f := cmd.Flags()
	f.Var(settings.Number(&games, 1, 1_000_000), "games", "games between each pair of players")
	f.Var(settings.Number(&plies, 0, 20), "opening-plies", "random discs at the start of each game")
	s.AddRules(f)
	s.AddSeed(f)
	f.Var(settings.Duration(&moveTime), "move-time", "a program's time limit for each move, 0 for none")
	f.Var(settings.Number(&threads, 1, maxThreads), "threads", "games played in parallel (default: 1 if a program plays, else one per core)")
	f.Var(settings.Number(&table, 1, maxTable), "table", "size of the solver's transposition table in `MiB`, for each thread")
	f.StringVar(&record, "record", "", "write each game as a line of JSON to `FILE`")
	f.StringVar(&log, "program-log", "", "write the programs' standard error to `FILE`")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
