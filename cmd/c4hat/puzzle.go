package main

import (
	"context"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/history"
	"github.com/c4hat/c4hat/internal/command/play"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/spf13/cobra"
)

func newPuzzle() *cobra.Command {
	s := settings.New()
	discs, count, rules := 2, 1, board.Standard
	asJSON, fromMatches := false, false
	cmd := &cobra.Command{
		Use:   "puzzle",
		Short: "Find the only column that wins",
		Long: `Play puzzles: at each of your turns exactly one column wins. A disc in a wrong column
comes back.

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
			prints := asJSON || flags.Changed("count")
			var progress *cli.Progress
			if prints { // a game has the terminal to itself
				progress = cli.NewProgress(cmd.ErrOrStderr())
				defer progress.Clear()
			}
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			puzzles := analysis.NewMaker(rules, s.Seed).All(ctx, discs)
			if fromMatches || !prints && !flags.Changed("seed") && !flags.Changed("board") {
				h, err := history.Find(cmd.Context(), s, flags)
				length := 0
				if flags.Changed("discs") {
					length = discs
				}
				switch {
				case !fromMatches && err == nil:
					puzzles = analysis.Join(h.MissedWins(ctx, length, time.Now().Add(-24*time.Hour), nil), puzzles)
				case fromMatches && err != nil:
					return err
				case fromMatches:
					puzzles = h.MissedWins(ctx, length, time.Time{}, progress)
				}
			}
			if prints {
				return console.TellPuzzles(cmd.OutOrStdout(), puzzles, count, asJSON, progress)
			}
			std := cli.StreamsOf(cmd)
			return play.Puzzles(cmd.Context(), std, std.CanDraw() && s.Display != "plain", s.Picture(), discs, puzzles, cancel)
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
