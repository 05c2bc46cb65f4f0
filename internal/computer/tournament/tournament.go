// Package tournament lets levels of the computer and programs play each other, and counts the results. With
// the same workers it solves lists of positions and analyses lists of games.
//
// Every player plays every other player, from random openings. Each opening is played twice, with
// the colours exchanged; none is played again before all have been played. With the same seed, a
// tournament of levels has the same results, with any number of threads: each game has its own seed,
// and a level's search is limited by the number of positions, not by time.
package tournament

import (
	"bytes"
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
)

// Options configure [Run].
type Options struct {
	cli.Streams
	Players  []*Player
	Rules    board.Rules
	Games    int  // of each pair
	Opening  int  // plies of the openings
	Gauntlet bool // only the first player plays all others
	Seed     uint64
	Seeded   bool          // the record does not decide the seed
	Threads  int           // games played at the same time; 0: see [Options.Workers]
	Table    int           // bytes of the solver's table, for each thread; 0: its default
	MoveTime time.Duration // limit for each move of a program; 0: none

	// What a program's first move may take beside that. A program that was too late even so has no such time in
	// later games.
	StartTime time.Duration

	JSON    bool      // write the results as JSON
	Record  string    // a file that gets each game as a line of JSON; the tournament goes on where it ends
	CSV     string    // a file that gets the ranking
	Page    string    // a file that gets ranking, scores and games, and what decided each game
	Log     io.Writer // gets the programs' standard error; may be nil
	Showing *Showing  // shows the games; may be nil
}

// Workers returns how many games are played at the same time: by default one if a program plays, else one
// for each processor.
func (o *Options) Workers() int {
	switch {
	case o.Threads != 0:
		return o.Threads
	case slices.ContainsFunc(o.Players, (*Player).isProgram):
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// Run plays a tournament, shows its progress, and writes the results, even if the context ends early; then the
// error is the context's cause.
func Run(ctx context.Context, o Options) (*Results, error) {
	record, games, err := o.resume()
	if err != nil {
		return nil, err
	}
	defer record.Close()
	total, before := len(o.pairs())*o.Games, len(games)
	if before == total {
		fmt.Fprintf(o.Errs, "%s has all %d games: for new ones, name another file or delete this one\n", o.Record, total)
	} else if before > 0 {
		fmt.Fprintf(o.Errs, "%s: going on after %d of %d games\n", o.Record, before, total)
	}
	played, explaining := map[key]bool{}, newWorker(&o)
	for _, g := range games {
		played[g.key()] = true
		explaining.explain(ctx, g)
	}
	if err := o.files(tally(&o, games)); err != nil { // before hours of play
		return nil, err
	}
	progress, began, failed := cli.NewProgress(o.Errs), time.Now(), error(nil)
	write := func(g *Game) error {
		rest := time.Since(began) / time.Duration(len(games)-before) * time.Duration(total-len(games))
		progress.Show("game %d of %d, %s; about %v left", len(games), total, g.ending(), rest.Round(time.Second))
		now := games
		o.Showing.Show(g, func() *Results { return tally(&o, now) })
		if err := json.NewEncoder(record).Encode(g); err != nil || o.Log == nil {
			return err
		}
		_, err := io.WriteString(o.Log, g.said)
		return err
	}
	worker := func() work[*Game, *Game] { return newWorker(&o).play }
	for g, err := range inOrder(ctx, o.Workers(), o.schedule(played), worker) {
		if err == nil {
			games = append(games, g)
			err = write(g)
		}
		if err != nil {
			failed = err
			break
		}
	}
	progress.Clear()
	if errors.Is(failed, errOpening) {
		return nil, cli.Usagef("%w; use a smaller --opening-plies", failed)
	}
	results := tally(&o, games)
	o.Showing.End(results)
	return results, cmp.Or(failed, o.report(results))
}

// report writes the results.
func (o *Options) report(r *Results) error {
	if r.Played < r.Games {
		fmt.Fprintf(o.Errs, "stopped after %d of %d games\n", r.Played, r.Games)
	}
	write := r.Write
	if o.JSON {
		write = func(w io.Writer) error { return cli.WriteJSON(w, r) }
	}
	err := cmp.Or(write(o.Out), o.files(r))
	for _, p := range r.Players {
		if p.Faults > 0 {
			fmt.Fprintf(o.Errs, "faults of %s: %d; the first: %s\n", p.Name, p.Faults, p.FirstFault)
		}
	}
	return err
}

// files writes the results that are files.
func (o *Options) files(r *Results) error {
	return cmp.Or(save(o.CSV, r.WriteCSV), save(o.Page, r.WritePage))
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

// resume opens the record, and returns those of its games that the tournament would play too. A last line that a
// power cut has cut off is removed. Games are appended, so the same tournament that runs twice destroys none.
func (o *Options) resume() (*os.File, []*Game, error) {
	file, err := os.OpenFile(cmp.Or(o.Record, os.DevNull), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() { // a pipe
		return file, nil, err
	}
	wanted := map[key]bool{}
	for _, p := range o.pairs() {
		wanted[keyOf(p[0].Name, p[1].Name, 0)] = true
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	var games []*Game
	number := 0
	for line := range bytes.Lines(whole) {
		number++
		g, err := o.recall(line, number == 1)
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("%s, line %d: %w", o.Record, number, err), file.Close())
		}
		if wanted[keyOf(g.Red, g.Yellow, 0)] && g.Number <= o.Games && !wanted[g.key()] {
			games, wanted[g.key()] = append(games, g), true
		}
	}
	return file, games, file.Truncate(int64(len(whole)))
}

// recall reads a game of the record. The first one decides the seed, unless that is given.
func (o *Options) recall(line []byte, first bool) (*Game, error) {
	g, err := parseGame(line)
	if err != nil || g.Number < 1 {
		return nil, errors.New("it is no game of a tournament: choose another file")
	}
	if first && !o.Seeded {
		o.Seed = g.Seed
	}
	if g.played.Position().Rules() != o.Rules || len(g.Opening) != o.Opening || g.Seed != o.Seed {
		return nil, fmt.Errorf("it was played with --board %s --connect %d --opening-plies %d --seed %d: use the same, or another file",
			cmp.Or(g.Board, "7x6"), cmp.Or(g.Connect, board.Standard.Connect), len(g.Opening), g.Seed)
	}
	return g, nil
}
