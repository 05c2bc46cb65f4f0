package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// A test writes the manual pages, from the help of the commands, so that the program does not have
// to contain the code for this.
var man = flag.String("man", "", "write the manual pages to the folder man1 of this `folder`")

func TestManPages(t *testing.T) {
	release := regexp.MustCompile(`(?m)^## ([0-9.]+) - (\d{4}-\d\d-\d\d)$`).FindStringSubmatch(read(t, "CHANGELOG.md"))
	if release == nil {
		t.Fatal("CHANGELOG.md has no release: want ## 1.2.3 - 2000-12-31")
	}
	date, err := time.Parse(time.DateOnly, release[2])
	must(t, err)
	root := newRoot()
	root.DisableAutoGenTag = true
	root.Long += sections
	completion, _, _ := root.Find([]string{"completion"})
	completion.RemoveCommand(completion.Commands()...)
	if *man == "" {
		*man = t.TempDir()
		must(t, os.Mkdir(filepath.Join(*man, "man1"), 0o755))
	}
	must(t, doc.GenManTree(root, &doc.GenManHeader{Date: &date, Source: "c4hat " + release[1], Manual: "User Commands"}, filepath.Join(*man, "man1")))
	packaged := regexp.MustCompile(`(?m)/usr/share/man/(man1/.*)\.gz$`).FindAllStringSubmatch(read(t, "internal/dev/deb/contents"), -1)
	for _, name := range packaged {
		if _, err := os.Stat(filepath.Join(*man, name[1])); err != nil {
			t.Errorf("internal/dev/deb/contents: %v", err)
		}
	}
	if pages, _ := filepath.Glob(*man + "/man1/*"); len(pages) != len(packaged) {
		t.Errorf("%d pages, internal/dev/deb/contents has %d", len(pages), len(packaged))
	}
}

// sections are in the program's manual page only, in Markdown.
const sections = `

# ENVIRONMENT
**TERM**, **COLORTERM**: what the terminal can do. If it cannot move the cursor, a match is lines of text; its colours
have 24 bits, or are 256, 16 or 8.

**NO_COLOR**: if set, nothing is coloured, and discs are letters.

**XDG_STATE_HOME**: matches played without the service are saved in the folder c4hat in this folder; the default is
~/.local/state.

# FILES
**` + settings.DefaultConfig + `**: the configuration file; flags override it. c4hat config prints one with every key.

**~/.local/state/c4hat**: matches played without the service.

**` + settings.SystemState + `**: matches of the service.

**` + settings.DefaultSocket + `**: the service's socket.
`

// manual lists the commands that have a manual page.
func manual(cmd *cobra.Command) []*cobra.Command {
	if cmd.Hidden || cmd.Name() == "help" || cmd.IsAdditionalHelpTopicCommand() || cmd.HasParent() && cmd.Parent().Name() == "completion" {
		return nil
	}
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, manual(sub)...)
	}
	return all
}

// The help of each command has a text, at most six examples and lines that fit, and some page mentions the
// command. Only commands to copy and the example of a configuration file are longer.
func TestHelp(t *testing.T) {
	for _, cmd := range manual(newRoot()) {
		cobras := cmd.Name() == "completion"
		if cmd.Short == "" || cmd.Long == "" && cmd.HasSubCommands() || cmd.Example == "" && !cobras || strings.Count(cmd.Example, "\n") > 5 {
			t.Errorf("%s: no short or long text, or no or too many examples", cmd.CommandPath())
		}
		if !cobras && !slices.ContainsFunc(pages, func(page string) bool { return strings.Contains(read(t, page), cmd.CommandPath()) }) {
			t.Errorf("%s: no page mentions it", cmd.CommandPath())
		}
		var out, errs bytes.Buffer
		args := append([]string{"help"}, strings.Fields(strings.TrimPrefix(cmd.CommandPath(), "c4hat"))...)
		if status := run(context.Background(), args, strings.NewReader(""), &out, &errs); status != 0 {
			t.Errorf("%q: exit status %d: %s", args, status, &errs)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimRight(line, "\n")
			if utf8.RuneCountInString(line) > 80 && (!strings.HasPrefix(line, "  ") || strings.Contains(strings.TrimSpace(line), "  ")) {
				t.Errorf("%q: too long: %s", args, line)
			}
		}
	}
}

// The examples in the help use existing commands, flags and arguments.
func TestExamplesAreCommands(t *testing.T) {
	ours, quoted := regexp.MustCompile(`(?:^|[ (])c4hat( [^|<>)]*)?`), regexp.MustCompile(`"[^"]*"`)
	seen := 0
	for _, cmd := range manual(newRoot()) {
		for line := range strings.Lines(cmd.Example) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "   ") // without the description
			for _, found := range ours.FindAllStringSubmatch(line, -1) {
				words := strings.Fields(quoted.ReplaceAllString(found[1], "quoted"))
				if strings.HasPrefix(line, "sudo systemctl") || len(words) == 0 {
					continue
				}
				seen++
				run, args, err := newRoot().Find(words)
				if err == nil {
					run.InitDefaultHelpFlag()
					err = run.ParseFlags(args)
				}
				if err == nil && run.HasParent() { // arguments of the root are unknown commands
					err = run.ValidateArgs(run.Flags().Args())
				}
				if err != nil {
					t.Errorf("%s: %q: %v", cmd.CommandPath(), line, err)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d examples, want 30 or more", seen)
	}
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
			var out, errs bytes.Buffer
			typed := append(strings.Fields(cmd.CommandPath())[1:], "--"+f.Name, "")
			if status := run(context.Background(), append([]string{"__complete"}, typed...), strings.NewReader(""), &out, &errs); status != 0 {
				t.Fatalf("%q: exit status %d: %s", typed, status, &errs)
			}
			offers := strings.Split(strings.TrimSpace(out.String()), "\n") // the last line is a directive, as in :4
			last := len(offers) - 1
			directive, err := strconv.Atoi(offers[last][1:])
			must(t, err)
			offers = offers[:last]
			switch offersFiles := cobra.ShellCompDirective(directive)&cobra.ShellCompDirectiveNoFileComp == 0; {
			case offersFiles != slices.Contains(files, f.Name):
				t.Errorf("%q offers files: %v", typed, offersFiles)
			case !offersFiles && len(offers) == 0 && !slices.Contains(anything, f.Name):
				t.Errorf("%q offers nothing", typed)
			}
			for _, offer := range offers {
				word, _, _ := strings.Cut(offer, "\t")
				if err := f.Value.Set(word); err != nil {
					t.Errorf("%q offers %q: %v", typed, word, err)
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

// pages are the documentation, in the order in which the pages' commands are run.
var pages = []string{
	"README.md", "doc/first-evening.md", "doc/terminal.md", "doc/listening.md", "doc/configuration.md",
	"doc/programs.md", "doc/course.md", "doc/analysis.md", "doc/puzzles.md", "doc/browser.md", "doc/link.md", "doc/socket.md",
	"doc/libraries.md", "doc/levels.md", "doc/hat.md", "doc/solver.md", "doc/measured.md",
	"doc/architecture.md", "doc/game.md", "doc/adding.md", "CONTRIBUTING.md",
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", page))
	must(t, err)
	return string(text)
}
