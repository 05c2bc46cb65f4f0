package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/history"
	"github.com/c4hat/c4hat/internal/command/play"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

func newReplay() *cobra.Command {
	s := settings.New()
	asJSON := false
	cmd := &cobra.Command{
		Use:   "replay [N]",
		Short: "Replay a finished match",
		Long: `Replay a finished match in this terminal: the last one, or number N in c4hat stats.
Left and right step through the discs, up and down go to the previous or next mistake;
there, down plays what follows, then what would have been better. Space stops and
resumes, q quits.

In a pipe, the match is lines of text; with --display plain they have no boards, for a
screen reader.`,
		Example: `  c4hat replay             the last match
  c4hat replay 12          number 12 in the list of c4hat stats
  c4hat replay 12 | less   as text
  c4hat replay --json 12   as JSON`,
		Args:              takes(0, 1, "replay takes the number of one match"),
		ValidArgsFunction: completeMatch(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := strconv.Atoi(strings.Join(args, ""))
			if len(args) == 1 && (err != nil || number < 1) {
				return cli.Usagef("replay %q is not the number of a match: c4hat stats lists them", args[0])
			}
			h, err := history.Find(cmd.Context(), s, cmd.Flags())
			if err != nil {
				return err
			}
			n, err := h.Match(number, cmd.ErrOrStderr())
			switch {
			case err != nil:
				return err
			case asJSON:
				return cli.WriteJSON(cmd.OutOrStdout(), n)
			case s.Display != "plain" && cli.StreamsOf(cmd).CanDraw():
				return play.Replay(cmd.Context(), cmd.OutOrStdout(), n, newComputer(), s.Picture())
			}
			boards := console.EachRound
			if s.Display == "plain" {
				boards = console.OnDemand
			}
			err = console.Tell(cmd.OutOrStdout(), n.Match.Record, boards)
			if err == nil && n.Match.Match.Rules().Connect == board.Standard.Connect {
				why := cli.Command(fmt.Sprintf("analyse %d", n.Number), cmd.Flags(), "display", "state", "socket", "config")
				_, err = fmt.Fprintln(cmd.OutOrStdout(), words.Decided(why))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the match as JSON")
	s.Add(cmd.Flags(), "display palette "+settings.Places)
	return cmd
}

// maxOffered is how many matches replay and analyse offer a shell: old matches are rarely wanted,
// and a shell asks for confirmation before it lists more than a screenful.
const maxOffered = 20

// completeMatch offers the numbers of the last matches, newest first.
func completeMatch(s *settings.Settings) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) (matches []string, _ cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		if len(args) > 0 {
			return nil, directive
		}
		h, err := history.Find(cmd.Context(), s, cmd.Flags())
		if err != nil {
			return nil, directive
		}
		for _, m := range h.Matches {
			if word := fmt.Sprint(m.Number); m.Err == nil && strings.HasPrefix(word, typed) {
				matches = append([]string{word + "\t" + words.Result(m.Match.Record)}, matches[:min(len(matches), maxOffered-1)]...)
			}
		}
		return matches, directive
	}
}
