package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
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
	record, log, csv, html, asJSON, onHAT, gauntlet := "", "", "", "", false, false, false
	cmd := &cobra.Command{
		Use:   "tournament PLAYER PLAYER...",
		Short: "Let levels and programs play each other",
		Long: `Each player plays every other player, and a table ranks them. A player is a level of the
computer or a program's command, as in ./bot.py or "python3 bot.py". A name may come
first, as in fast=./bot. doc/programs.md explains how to write a program.

Each game starts with a few random discs, and is played twice, with the colours swapped.
A program that answers with an illegal column, or too late, loses the game. If only
levels play, the same --seed always gives the same table, on any machine.

The ranking shows each player's score, its 95 % interval, and under kept how many of the
player's moves were as good as the best; a draw is half a win. If programs play, a table
shows the median and longest time of their moves (not counting waits for the processor),
the longest time by the clock, and how often they failed.

Ctrl-C prints the results so far. With --record, the same command later continues where
the tournament stopped, even after a power cut. --html writes a page with all games, and
says which disc decided each.`,
		Example: `  c4hat tournament easy medium ./bot.py
  c4hat tournament --games 1000 new=./bot old=./bot-1
  c4hat tournament hard "kaggle=python3 kaggle.py my_agent.py"
  c4hat tournament --record games.jsonl --seed 1 novice easy
  c4hat tournament --games 2 --record class.jsonl --html class.html class/*.py`,
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
				Rules: rules, Games: games, Opening: plies, Gauntlet: gauntlet, Seed: s.Seed,
				Threads: threads, Table: table << 20, MoveTime: moveTime,
			}
			threads := o.ThreadsFor(players)
			if all := pi.Memory(); all != 0 && uint64(o.Table)*uint64(threads) > all {
				return cli.Usagef("--table %d with %d threads: this machine has %d MiB of memory", table, threads, all>>20)
			}
			if o.Log, err = cli.Create(log); err != nil {
				return err
			}
			o.Keep = html != ""
			if record != "" {
				file, err := resume(&o, record, cmd.Flags().Changed("seed"))
				if err != nil {
					return err
				}
				defer file.Close()
			}
			var hat *tournament.Showing
			if onHAT {
				service, _, err := dial(cmd, &s.Places)
				if err != nil {
					return err
				}
				hat = tournament.NewShowing(cmd.Context(), service.Do)
			}
			progress, began, errs := cli.NewProgress(cmd.ErrOrStderr()), time.Now(), cmd.ErrOrStderr()
			total, most := o.Most(players)
			switch n := len(o.Before); {
			case n == total:
				fmt.Fprintf(errs, "%s has all %d games: for new ones, name another file or delete this one\n", record, n)
			case n > 0:
				fmt.Fprintf(errs, "%s: going on after %d games\n", record, n)
			case most > 10*time.Minute:
				fmt.Fprintf(errs, "%d games take at most %.0f minutes, if each move takes %v\n", total, most.Minutes(), moveTime)
			}
			o.Played = func(g *tournament.Game, now *tournament.Results) {
				played := now.Played - len(o.Before)
				left := (time.Since(began) / time.Duration(played) * time.Duration(now.Games-now.Played)).Round(time.Second)
				if played == len(players) && left > time.Minute { // each has played about twice
					progress.Clear()
					fmt.Fprintf(errs, "%d games take about %v; Ctrl-C stops and prints the results so far\n", now.Games-now.Played, left)
				}
				progress.Show("game %d of %d, %s against %s: %s; about %v left", now.Played, now.Games, g.Red, g.Yellow, g.Result, left)
				hat.Show(g, now)
			}
			results, err := tournament.Run(cmd.Context(), players, o)
			progress.Clear()
			hat.End(cmd.Context())
			switch {
			case errors.Is(err, tournament.ErrOpening):
				return cli.Usagef("%w; use a smaller --opening-plies", err)
			case results == nil && record != "":
				return fmt.Errorf("%s: %w", record, err)
			case results == nil:
				return err
			}
			if results.Played < results.Games {
				fmt.Fprintf(errs, "stopped after %d of %d games\n", results.Played, results.Games)
			}
			write := results.Write
			if asJSON {
				write = func(w io.Writer) error { return cli.WriteJSON(w, results) }
			}
			err = cmp.Or(err, write(cmd.OutOrStdout()), save(csv, results.WriteCSV), save(html, results.WritePage))
			for _, p := range results.Players {
				if p.Faults > 0 {
					fmt.Fprintf(errs, "faults of %s: %d; the first: %s\n", p.Name, p.Faults, p.FirstFault)
				}
			}
			return err
		},
	}
	f := cmd.Flags()
	f.Var(settings.Number(&games, 1, 1_000_000), "games", "games between each pair of players")
	f.Var(settings.Number(&plies, 0, 20), "opening-plies", "random discs at the start of each game")
	f.BoolVar(&gauntlet, "gauntlet", false, "only the first player plays all others")
	s.AddRules(f)
	s.AddSeed(f)
	f.Var(settings.Duration(&moveTime), "move-time", "a program's time limit for each move, 0 for none")
	f.Var(settings.Number(&threads, 1, maxThreads), "threads", "games played in parallel (default: 1 if a program plays, else one per core)")
	f.Var(settings.Number(&table, 1, maxTable), "table", "size of the solver's transposition table in `MiB`, for each thread")
	f.StringVar(&record, "record", "", "write each game as a line of JSON to `FILE`, and go on where FILE ends")
	f.StringVar(&csv, "csv", "", "write the ranking to `FILE`, for a spreadsheet")
	f.StringVar(&html, "html", "", "write ranking, scores and games to `FILE`, a page for a browser")
	f.BoolVar(&onHAT, "on-hat", false, "show games and the standing on the service's HAT")
	f.StringVar(&log, "program-log", "", "write the programs' standard error to `FILE`")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	s.Places.AddSocket(f)
	return cmd
}

// resume opens the record and reads the games that it has. Without --seed, the record decides the seed.
func resume(o *tournament.Options, name string, seeded bool) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	var length int64
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() { // not a pipe
		if o.Before, length, err = tournament.ReadRecord(file); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := file.Truncate(length); err != nil {
			return nil, err
		}
		if _, err := file.Seek(length, io.SeekStart); err != nil {
			return nil, err
		}
	}
	if len(o.Before) > 0 && !seeded {
		o.Seed = o.Before[0].Seed
	}
	o.Record = file
	return file, nil
}

// save writes a file, unless its name is empty.
func save(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
