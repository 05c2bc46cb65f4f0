package tournament

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
)

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
		if played == len(players) && left > time.Minute { // each has played about twice
			progress.Clear()
			fmt.Fprintf(to.Errs, "%d games are left and take about %v; Ctrl-C stops and prints the results so far\n", rest, left)
		}
		ending := map[board.Disc]string{board.Red: g.Red + " wins", board.Yellow: g.Yellow + " wins", board.Empty: "a draw"}[g.winner()]
		if g.Fault != "" {
			ending += " by a fault"
		}
		progress.Show("game %d of %d, %s against %s: %s; about %v left", now.Played, now.Games, g.Red, g.Yellow, ending, left)
		if err := to.Showing.Show(g, now); err != nil {
			progress.Clear()
			fmt.Fprintf(to.Errs, "not shown: %v\n", err)
		}
	}
	results, err := Run(ctx, players, o)
	progress.Clear()
	if errors.Is(err, errOpening) {
		return cli.Usagef("%w; use a smaller --opening-plies", err)
	}
	if err := to.Showing.End(results); err != nil {
		fmt.Fprintf(to.Errs, "the standing is not shown: %v\n", err)
	}
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
