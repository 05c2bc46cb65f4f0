// Package tournament lets levels of the computer and programs play each other, and counts the results. With
// the same pool of workers it solves lists of positions and analyses lists of games.
//
// Every player plays every other player, from random openings. Each opening is played twice, with
// the colours exchanged; none is played again before all have been played. With the same seed, a
// tournament of levels has the same results, with any number of threads: each game has its own seed,
// and a level's search is limited by the number of positions, not by time.
package tournament

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/computer"
)

// Options configure [Run].
type Options struct {
	Rules    board.Rules
	Games    int  // of each pair
	Opening  int  // plies of the openings
	Gauntlet bool // only the first player plays all others
	Seed     uint64
	Threads  int           // games played at the same time; 0: one if a program plays, else one for each processor
	Table    int           // bytes of the solver's table, for each thread; 0: its default
	MoveTime time.Duration // limit for each move of a program; 0: none

	// What a program's first move may take beside that. A program that was too late even so has no such time in
	// later games.
	StartTime time.Duration

	// These may be nil. A failed write ends the tournament.
	Record io.Writer                   // gets a line of JSON for each game, in the order of the games
	Log    io.Writer                   // gets the programs' standard error
	Played func(g *Game, now *Results) // is called after each game; now has the ranks and shares until then

	Why bool // find out what decided each game

	before   []*Game // the games that the tournament has played before, from its record
	recorded map[key]bool
}

// Run plays a tournament. If the context ends early, Run returns the context's cause, and the
// results of the games that are over.
func Run(ctx context.Context, players []*Player, o Options) (*Results, error) {
	results, explaining := newResults(players, o), worker{Options: o}
	for _, g := range o.before {
		explaining.explain(ctx, g)
		results.add(g)
	}
	err := pool[fixture, *Game]{
		workers: o.ThreadsFor(players),
		jobs: func(yield func(fixture, error) bool) {
			for f, err := range schedule(players, o) {
				if !o.recorded[keyOf(f.players[0].Name, f.players[1].Name, f.number)] && !yield(f, err) {
					return
				}
			}
		},
		worker: func() func(context.Context, fixture, show) (*Game, error) {
			w := worker{Options: o, computer: computer.Computer{Table: o.Table}}
			return w.play
		},
		take: func(g *Game) (err error) {
			results.add(g)
			if o.Played != nil {
				results.rank()
				o.Played(g, results)
			}
			if o.Record != nil {
				err = json.NewEncoder(o.Record).Encode(g)
			}
			if o.Log != nil && err == nil {
				_, err = io.WriteString(o.Log, g.said)
			}
			return err
		},
	}.run(ctx)
	results.finish()
	return results, err
}

// ThreadsFor returns how many games are played at the same time.
func (o Options) ThreadsFor(players []*Player) int {
	switch {
	case o.Threads != 0:
		return o.Threads
	case slices.ContainsFunc(players, (*Player).isProgram):
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// resume opens a record, and recalls those of its games that the tournament would play too. Unless seeded is
// set, the record decides the seed. A last line that a power cut has cut off is removed.
func (o *Options) resume(name string, seeded bool, players []*Player) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	o.Record = file
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() { // a pipe
		return file, err
	}
	length, meet := int64(0), newResults(players, *o).pairs
	o.recorded = map[key]bool{}
	for lines, number := bufio.NewReader(file), 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err == nil {
			err = o.recall(line, seeded || length > 0, meet)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, number, err)
		}
		length += int64(len(line))
	}
	_, err = file.Seek(length, io.SeekStart)
	return file, errors.Join(err, file.Truncate(length))
}

// recall takes a game of the record, if the tournament would play it too.
func (o *Options) recall(line []byte, seeded bool, meet map[key]*Pair) error {
	g, err := parseGame(line)
	if err != nil || g.Number < 1 {
		return errors.New("it is no game of a tournament: choose another file")
	}
	if !seeded {
		o.Seed = g.Seed
	}
	if g.played.Position().Rules() != o.Rules || len(g.Opening) != o.Opening || g.Seed != o.Seed {
		return fmt.Errorf("it was played with --board %s --connect %d --opening-plies %d --seed %d: use the same, or another file",
			cmp.Or(g.Board, "7x6"), cmp.Or(g.Connect, board.Standard.Connect), len(g.Opening), g.Seed)
	}
	k := keyOf(g.Red, g.Yellow, g.Number)
	if meet[keyOf(g.Red, g.Yellow, 0)] != nil && g.Number <= o.Games && !o.recorded[k] {
		o.before, o.recorded[k] = append(o.before, g), true
	}
	return nil
}

// Output says what [Report] writes. Empty names are those of files that are not written.
type Output struct {
	cli.Streams
	JSON   bool   // write the results as JSON
	Record string // gets each game as a line of JSON; the tournament goes on where this file ends
	CSV    string // gets the ranking
	Page   string // gets ranking, scores and games

	Seeded  bool     // the record does not decide the seed
	Showing *Showing // shows the games
}

// Report plays a tournament, shows its progress, and writes the results, even if the context ends early.
func Report(ctx context.Context, players []*Player, o Options, to Output) error {
	if to.Record != "" {
		record, err := o.resume(to.Record, to.Seeded, players)
		if err != nil {
			return err
		}
		defer record.Close()
	}
	total := newResults(players, o).Games
	if n := len(o.before); n == total {
		fmt.Fprintf(to.Errs, "%s has all %d games: for new ones, name another file or delete this one\n", to.Record, n)
	} else if n > 0 {
		fmt.Fprintf(to.Errs, "%s: going on after %d of %d games\n", to.Record, n, total)
	}
	progress, began := cli.NewProgress(to.Errs), time.Now()
	o.Why = to.Page != ""
	o.Played = func(g *Game, now *Results) {
		played, rest := now.Played-len(o.before), now.Games-now.Played
		left := (time.Since(began) / time.Duration(played) * time.Duration(rest)).Round(time.Second)
		ending := map[board.Disc]string{board.Red: g.Red + " wins", board.Yellow: g.Yellow + " wins", board.Empty: "a draw"}[g.winner()]
		if g.Fault != "" {
			ending += " by a fault"
		}
		progress.Show("game %d of %d, %s against %s: %s; about %v left", now.Played, now.Games, g.Red, g.Yellow, ending, left)
		to.Showing.Show(g, now)
	}
	results, err := Run(ctx, players, o)
	progress.Clear()
	if errors.Is(err, errOpening) {
		return cli.Usagef("%w; use a smaller --opening-plies", err)
	}
	to.Showing.End(results)
	if results.Played < results.Games {
		fmt.Fprintf(to.Errs, "stopped after %d of %d games\n", results.Played, results.Games)
	}
	write := results.Write
	if to.JSON {
		write = func(w io.Writer) error { return cli.WriteJSON(w, results) }
	}
	err = cmp.Or(err, write(to.Out), save(to.CSV, results.WriteCSV), save(to.Page, results.WritePage))
	for _, p := range results.Players {
		if p.Faults > 0 {
			fmt.Fprintf(to.Errs, "faults of %s: %d; the first: %s\n", p.Name, p.Faults, p.FirstFault)
		}
	}
	return err
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
