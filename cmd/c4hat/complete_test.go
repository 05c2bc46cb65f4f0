package main

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// offered returns the completions of what is typed, without their descriptions, and the directive
// to the shell.
func offered(t *testing.T, typed ...string) (words []string, directive cobra.ShellCompDirective) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(context.Background(), append([]string{"__complete"}, typed...), strings.NewReader(""), &out, &errs); status != 0 {
		t.Fatalf("%q: exit status %d: %s", typed, status, &errs)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	last := len(lines) - 1
	n, err := strconv.Atoi(strings.TrimPrefix(lines[last], ":"))
	if err != nil {
		t.Fatalf("%q: no directive: %q", typed, lines[last])
	}
	for _, line := range lines[:last] {
		word, _, _ := strings.Cut(line, "\t")
		words = append(words, word)
	}
	return words, cobra.ShellCompDirective(n)
}

// Every flag that takes a value offers valid values, or files if the value is a file. Every key of the
// configuration file is a flag.
func TestCompleteFlags(t *testing.T) {
	files := []string{"config", "csv", "fb", "html", "package", "program-log", "record", "red-program", "socket", "state", "stick", "yellow-program"}
	anything := []string{"position", "seed", "voice"}
	seen := map[string]bool{}
	for _, cmd := range manual(newRoot()) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			seen[f.Name] = true
			if f.NoOptDefVal != "" { // it takes no value
				return
			}
			path := append(strings.Fields(cmd.CommandPath())[1:], "--"+f.Name, "")
			words, directive := offered(t, path...)
			switch {
			case slices.Contains(files, f.Name):
				if directive&cobra.ShellCompDirectiveNoFileComp != 0 {
					t.Errorf("%q offers no files", path)
				}
				return
			case directive&cobra.ShellCompDirectiveNoFileComp == 0:
				t.Errorf("%q offers files", path)
			case len(words) == 0 && !slices.Contains(anything, f.Name):
				t.Errorf("%q offers nothing", path)
			}
			for _, word := range words {
				if err := f.Value.Set(word); err != nil {
					t.Errorf("%q offers %q: %v", path, word, err)
				}
			}
		})
	}
	settings.Flags().VisitAll(func(f *pflag.Flag) {
		if !seen[f.Name] {
			t.Errorf("the key %s is no command's flag", f.Name)
		}
	})
}
