package main

import (
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/internal/history"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
)

// withTopics adds the help topics that are not commands.
func withTopics(commands cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		words, directive := commands(cmd, args, typed)
		for _, topic := range cmd.Root().Commands() {
			if len(args) == 0 && topic.IsAdditionalHelpTopicCommand() && strings.HasPrefix(topic.Name(), typed) {
				words = append(words, cobra.CompletionWithDesc(topic.Name(), topic.Short))
			}
		}
		return words, directive
	}
}

// maxOffered is how many matches replay and analyse offer a shell: old matches are rarely wanted,
// and a shell asks for confirmation before it lists more than a screenful.
const maxOffered = 20

// completeMatch offers the numbers of the last matches, newest first.
func completeMatch(p *settings.Places) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) (matches []string, _ cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		if len(args) > 0 {
			return nil, directive
		}
		h, err := history.Find(cmd.Context(), p, cmd.Flags())
		if err != nil {
			return nil, directive
		}
		for m, err := range h.Matches() {
			if err != nil {
				return nil, directive
			}
			if word := fmt.Sprint(m.Number); strings.HasPrefix(word, typed) {
				matches = append([]string{word + "\t" + history.ResultText(m.Match)}, matches[:min(len(matches), maxOffered-1)]...)
			}
		}
		return matches, directive
	}
}
