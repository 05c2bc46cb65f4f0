package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/history"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/panel/term"
	"github.com/c4hat/c4hat/internal/plain"
	"github.com/c4hat/c4hat/internal/puzzle"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
)

func newPuzzle() *cobra.Command {
	var p settings.Places
	seed := settings.Seed{N: rand.Uint64()}
	discs := settings.Number{N: 2, Least: 1, Most: puzzle.MaxDiscs}
	count := settings.Number{N: 1, Least: 1, Most: maxPuzzles}
	asJSON, fromMatches := false, false
	cmd := &cobra.Command{
		Use:   "puzzle",
		Short: "Find the only column that wins",
		Long: `Play puzzles: positions in which exactly one column wins. You play the side to move,
and the computer holds out as long as it can; at each of your turns a single column
wins. A wrong column comes back. --discs says how many discs it takes you to win.

Puzzles are made as you go, without end. --from-matches takes them from your finished
matches instead: wins that a player missed, the latest match first. --count and --json
print puzzles instead of playing them, for worksheets and programs; doc/puzzles.md has
more.`,
		Example: `  c4hat puzzle                                 win with two discs
  c4hat puzzle --discs 4                       harder
  c4hat puzzle --from-matches                  wins that you missed
  c4hat puzzle --count 12 --seed 7 | lpr       a worksheet, with the answers last
  c4hat puzzle --json --count 30 > puzzles     as JSON, one object per line`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := cmd.Flags()
			if fromMatches && flags.Changed("seed") {
				return cli.Usagef("--seed is for new puzzles: leave it out with --from-matches")
			}
			prints := asJSON || flags.Changed("count")
			var progress *cli.Progress
			if prints { // a game has the terminal to itself
				progress = cli.NewProgress(cmd.ErrOrStderr())
				defer progress.Clear()
			}
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			puzzles := newPuzzles(ctx, seed.N, discs.N)
			if fromMatches {
				if err := p.Read(flags); err != nil {
					return err
				}
				h, err := history.Find(cmd.Context(), &p)
				if err != nil {
					return err
				}
				length := 0
				if flags.Changed("discs") {
					length = discs.N
				}
				puzzles = missedWins(ctx, h, length, progress)
			}
			if prints {
				return printPuzzles(cmd, puzzles, count.N, asJSON, progress)
			}
			if cli.OnTerminal(cmd) {
				return playPuzzles(cmd, puzzles, discs.N, cancel)
			}
			in, out := cmd.InOrStdin(), cmd.OutOrStdout()
			return plain.Puzzles(cmd.Context(), puzzles, plain.Options{
				In: in, Out: out, Newline: !cli.IsTerminal(in) || !cli.IsTerminal(out),
			})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&discs, "discs", "discs that you drop to win, 1 to 5: the difficulty")
	f.Var(&seed, "seed", "random seed: the same puzzles again")
	f.BoolVar(&fromMatches, "from-matches", false, "wins that were missed in your finished matches; of any length without --discs")
	f.Var(&count, "count", "print `N` puzzles and their answers")
	f.BoolVar(&asJSON, "json", false, "print one JSON object per line")
	p.Add(f)
	return cmd
}

// maxPuzzles is more than anybody prints.
const maxPuzzles = 100_000

// playPuzzles plays puzzles in the terminal. It cancels their making at the end.
func playPuzzles(cmd *cobra.Command, puzzles iter.Seq2[puzzle.Puzzle, error], discs int, cancel func()) error {
	next, stop := iter.Pull2(puzzles)
	var making sync.Mutex
	defer func() {
		cancel()
		making.Lock() // stop must not run beside next
		stop()
		making.Unlock()
	}()
	var failed error
	o := withComputer(slog.New(slog.DiscardHandler))
	o.Compose = func(context.Context, game.Compose) (game.Puzzle, error) {
		making.Lock()
		defer making.Unlock()
		p, err, ok := next()
		if !ok {
			err = io.EOF
		}
		failed = err
		return game.Puzzle(p), err
	}
	c := game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Run: "puzzle"}
	s, err := game.NewPuzzles(c, discs, time.Now())
	if err != nil {
		return err
	}
	screen, err := term.Open(term.PlayHelp)
	if err != nil {
		return err
	}
	defer screen.Close()
	o.Panels = []loop.Panel{screen}
	s, err = loop.Run(cmd.Context(), s, o)
	screen.Close()
	making.Lock()
	defer making.Unlock()
	switch {
	case err != nil:
		return err
	case s.Phase() != game.Over: // somebody quit
		return nil
	case errors.Is(failed, io.EOF):
		_, err = fmt.Fprintln(cmd.OutOrStdout(), "There are no more puzzles.")
		return err
	}
	return failed
}

// printPuzzles prints puzzles, each as soon as it is made, and for people the answers last.
func printPuzzles(cmd *cobra.Command, puzzles iter.Seq2[puzzle.Puzzle, error], count int, asJSON bool, progress *cli.Progress) error {
	var made []puzzle.Puzzle
	out := cmd.OutOrStdout()
	for p, err := range puzzles {
		progress.Clear()
		if err != nil {
			return err
		}
		made = append(made, p)
		if asJSON {
			err = json.NewEncoder(out).Encode(p)
		} else {
			err = plain.TellPuzzle(out, len(made), p)
		}
		if err != nil {
			return err
		}
		if len(made) == count {
			break
		}
		progress.Show("%d of %d puzzles", len(made), count)
	}
	progress.Clear()
	if asJSON {
		return nil
	}
	return plain.TellAnswers(out, made)
}

// newPuzzles yields puzzles without end.
func newPuzzles(ctx context.Context, seed uint64, discs int) iter.Seq2[puzzle.Puzzle, error] {
	return func(yield func(puzzle.Puzzle, error) bool) {
		maker := puzzle.NewMaker(seed)
		for {
			p, err := maker.Next(ctx, discs)
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// missedWins yields the wins that were missed in finished matches, the latest first: those
// of a length, or of any for 0.
func missedWins(ctx context.Context, h history.History, discs int, progress *cli.Progress) iter.Seq2[puzzle.Puzzle, error] {
	return func(yield func(puzzle.Puzzle, error) bool) {
		var matches []history.Match
		for e, err := range h.Entries {
			if err != nil {
				yield(puzzle.Puzzle{}, err)
				return
			}
			matches = append(matches, history.Match{Number: len(matches) + 1, Match: e})
		}
		finder := puzzle.NewFinder()
		found := false
		for _, m := range slices.Backward(matches) {
			games := m.Match.Games()
			if m.Match.Match.Rules() != board.Standard {
				continue
			}
			progress.Show("match %d", m.Number)
			for i, g := range slices.Backward(games) {
				opening := 0
				if i == 0 {
					opening = m.Match.Opening
				}
				for p, err := range finder.Missed(ctx, g, opening, m.Match.Computer) {
					if ctx.Err() != nil {
						err = context.Cause(ctx)
					} else if discs != 0 && p.Discs != discs {
						continue
					}
					found = true
					if !yield(p, err) || err != nil {
						return
					}
				}
			}
		}
		if !found {
			yield(puzzle.Puzzle{}, fmt.Errorf("no win was missed that makes a puzzle (%d matches, %s)", len(matches), h.Of))
		}
	}
}
