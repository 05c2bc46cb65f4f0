package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/spf13/cobra"
)

func newPuzzle() *cobra.Command {
	s := settings.New()
	discs, count, rules := 2, 0, board.Standard
	asJSON, fromMatches := false, false
	cmd := &cobra.Command{
		Use:   "puzzle",
		Short: "Find the only column that wins",
		Long: `Play puzzles: at each of your turns exactly one column wins. A wrong disc is taken
back.

The first puzzles are wins that you missed in your last three matches of the past day;
then come new puzzles until you quit. With --from-matches, all are wins that you missed,
the latest match first; with --seed or --board, all are new. doc/puzzles.md says more.`,
		Example: `  c4hat puzzle                                 missed wins, then new puzzles
  c4hat puzzle --discs 4                       harder
  c4hat puzzle --from-matches                  wins that you missed
  c4hat puzzle --count 12 --seed 7 | lpr       a worksheet with its answers
  c4hat puzzle --json --count 30 > puzzles     save as JSON, one object per line`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := cmd.Flags()
			if fromMatches && flags.Changed("seed") {
				return cli.Usagef("--seed is for new puzzles: leave it out with --from-matches")
			}
			prints := asJSON || count > 0
			var progress *cli.Progress
			if prints { // a game has the terminal to itself
				progress = cli.NewProgress(cmd.ErrOrStderr())
				defer progress.Clear()
			}
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			puzzles := analysis.Puzzles(ctx, rules, s.Seed, discs)
			if fromMatches || !prints && !flags.Changed("seed") && !flags.Changed("board") {
				h, err := findHistory(cmd, s)
				length := 0
				if flags.Changed("discs") {
					length = discs
				}
				switch {
				case !fromMatches && err == nil:
					puzzles = analysis.Join(h.missedWins(ctx, length, time.Now().Add(-24*time.Hour), nil), puzzles)
				case fromMatches && err != nil:
					return err
				case fromMatches:
					puzzles = h.missedWins(ctx, length, time.Time{}, progress)
				}
			}
			if prints {
				return console.TellPuzzles(cmd.OutOrStdout(), puzzles, max(count, 1), asJSON, progress)
			}
			return playPuzzles(ctx, cmd, s, discs, puzzles)
		},
	}
	f := cmd.Flags()
	f.Var(settings.Number(&discs, 1, game.MaxPuzzle), "discs", "difficulty: the discs you need to win, 1 to 5; without it, missed wins of any length come first")
	s.Add(f, "seed")
	f.Var(settings.Size(&rules), "board", "size of the board of new puzzles, up to 8x8")
	f.BoolVar(&fromMatches, "from-matches", false, "puzzles from the wins missed in your finished matches")
	f.Var(settings.Number(&count, 1, 100_000), "count", "print `N` puzzles and their answers")
	f.BoolVar(&asJSON, "json", false, "print one JSON object per line")
	s.Add(f, "display palette "+settings.Places)
	return cmd
}

// playPuzzles plays puzzles, each won with a number of discs, with pictures in the terminal or as lines of text.
func playPuzzles(ctx context.Context, cmd *cobra.Command, s *settings.Settings, discs int, sequence iter.Seq2[analysis.Puzzle, error]) error {
	std := cli.StreamsOf(cmd)
	picture := std.CanDraw() && s.Display != "plain"
	g, err := game.NewPuzzles(game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Run: "puzzle", Waits: picture}, discs, time.Now())
	if err != nil {
		return err
	}
	puzzles := computer.NewPuzzles(ctx, sequence)
	if picture {
		g, err = inTerminal(ctx, s, g, puzzles)
	} else {
		panel := console.NewPanel(ctx, console.Options{In: std.In, Out: std.Out, Boards: console.EachRound, Newline: !std.OneTerminal()})
		g, err = session.New(g, session.Options{Computer: puzzles, Instant: true}).Run(ctx, panel)
		panel.Close()
	}
	switch failed := puzzles.Err(); {
	case err != nil:
		return err
	case g.Phase() != game.Over, errors.Is(failed, context.Canceled): // somebody quit
		return nil
	case errors.Is(failed, io.EOF):
		_, err = fmt.Fprintln(std.Out, "There are no more puzzles.")
		return err
	default:
		return failed
	}
}

// missedWins yields the wins that players missed, as puzzles, the latest first. discs is the number
// of discs with which each puzzle is won; 0 means any number. If since is not zero, only the last three
// matches count, if they ended after it: finding a puzzle in a match can take seconds. The last element
// may be an error: no win was missed, or the context has ended.
func (h history) missedWins(ctx context.Context, discs int, since time.Time, progress *cli.Progress) iter.Seq2[analysis.Puzzle, error] {
	return func(yield func(analysis.Puzzle, error) bool) {
		analyst, found := analysis.New(solver.Options{}), map[board.Position]bool{}
		for i, m := range slices.Backward(h.matches) {
			if !since.IsZero() && (i < len(h.matches)-3 || m.Match.Ended.Before(since)) {
				break
			}
			if m.err != nil || m.Match.Match.Rules().Connect != board.Standard.Connect {
				continue
			}
			progress.Show("match %d", m.Number)
			for i, g := range slices.Backward(m.Match.Games()) {
				for p, err := range analyst.Missed(ctx, g, m.Match.OpeningOf(i), m.Match.Computer) {
					if ctx.Err() != nil {
						err = context.Cause(ctx)
					} else if found[p.Game.Position()] || discs != 0 && p.Discs != discs {
						continue
					}
					found[p.Game.Position()] = true
					if !yield(p, err) || err != nil {
						return
					}
				}
			}
		}
		if len(found) == 0 {
			few := "1 to 5 discs"
			if discs != 0 {
				few = fmt.Sprintf("--discs %d", discs)
			}
			yield(analysis.Puzzle{}, fmt.Errorf("nobody missed a win with %s (matches: %d, %s)", few, len(h.matches), h.of))
		}
	}
}
