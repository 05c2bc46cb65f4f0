package main

import (
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/history"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/computer/tournament"
	"github.com/spf13/cobra"
)

func newAnalyse() *cobra.Command {
	s := settings.New()
	asJSON := false
	rules := board.Standard
	cmd := &cobra.Command{
		Use:     "analyse [N | MOVES | -]",
		Aliases: []string{"analyze"},
		Short:   "Find the discs that decided a game",
		Long: `For each disc of a game, show how perfect play would end the game before and after it,
which columns were best, and the disc that decided the game. The default is the last
finished match. A number of up to three digits is that of a match in c4hat stats; more
digits are the moves of a game. With -, each line of standard input is a game: its moves,
or a line from c4hat tournament --record; after a bad line the exit status is 1.

Values are exact, and need four in a line; on boards larger than 7x6 the first discs are
usually unknown. With --display plain the report is sentences for a screen reader.`,
		Example: `  c4hat analyse                    the last match
  c4hat analyse 12                 number 12 in the list of c4hat stats
  c4hat analyse 44444433526        a game by its moves
  c4hat analyse - < games.jsonl    the games of a tournament
  c4hat analyse --json - < games   many games, a JSON object per line`,
		Args:              takes(0, 1, "analyse takes one match or game: use - for many"),
		ValidArgsFunction: completeMatch(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			find := func() (history.History, error) { return history.Find(cmd.Context(), s, cmd.Flags()) }
			games, err := tournament.Choose(cmd.Context(), cli.StreamsOf(cmd), rules, strings.Join(args, ""), find)
			if err != nil {
				return err
			}
			form := tournament.Table
			switch {
			case asJSON:
				form = tournament.JSON
			case s.Display == "plain":
				form = tournament.Sentences
			}
			return tournament.Analyse(cmd.Context(), games, cmd.OutOrStdout(), cmd.ErrOrStderr(), form)
		},
	}
	cmd.Flags().Var(settings.Size(&rules), "board", "size of the board, for games that are not saved matches")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per game")
	s.Add(cmd.Flags(), "display "+settings.Places)
	return cmd
}
