package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// CompleteFlags registers completions for the flags of a command and its subcommands. A flag's
// value may have a Words method, which returns the words to offer, in order. A word may be followed
// by a tab and a description.
func CompleteFlags(cmd *cobra.Command) {
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
		case f.Name == "their-socket": // on another machine
			words = []string{f.DefValue}
		case f.Name == "listen":
			words = []string{"127.0.0.1:8484", "0.0.0.0:8484"}
		case f.Name != "position": // for devices and other files the shell completes paths
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, // the flag exists, and has no completion yet
			cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder))
	})
	for _, sub := range cmd.Commands() {
		CompleteFlags(sub)
	}
}
