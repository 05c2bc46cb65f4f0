package main

import (
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/internal/history"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completeFlags registers completions for the flags of a command and its subcommands. A flag's
// value may have a Words method, which returns the words to offer, in order. A word may be followed
// by a tab and a description.
func completeFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		var words []string
		switch v, ok := f.Value.(interface{ Words() []string }); {
		case ok:
			words = v.Words()
		case f.Name == "config":
			_ = cmd.MarkFlagFilename(f.Name, "toml") // the flag exists
			return
		case f.Name == "state":
			_ = cmd.MarkFlagDirname(f.Name) // the flag exists
			return
		case f.Name == "listen":
			words = []string{"127.0.0.1:8484", "0.0.0.0:8484"}
		case f.Name != "position": // for devices and other files the shell completes paths
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, // the flag exists, and has no completion yet
			cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder))
	})
	for _, sub := range cmd.Commands() {
		completeFlags(sub)
	}
}

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
