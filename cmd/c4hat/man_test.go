package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A test writes the manual pages, from the help of the commands, so that the program does not have
// to contain the code for this.
var man = flag.String("man", "", "write the manual pages to the folder man1 of this `folder`")

func TestManPages(t *testing.T) {
	changes := read(t, "CHANGELOG.md")
	release := regexp.MustCompile(`(?m)^## ([0-9.]+) - (\d{4}-\d\d-\d\d)$`).FindStringSubmatch(changes)
	if release == nil {
		t.Fatal("CHANGELOG.md has no release: want ## 1.2.3 - 2000-12-31")
	}
	packaged := read(t, "internal/dev/deb/contents")
	for _, cmd := range manual(newRoot()) {
		name := "man1/" + pageName(cmd) + ".1"
		page := fmt.Sprintf(".TH %s 1 %s \"c4hat %s\" \"User Commands\"\n.ad l\n", strings.ToUpper(roff(pageName(cmd))), release[2], release[1]) + manPage(cmd)
		for line := range strings.Lines(page) {
			if !manLine.MatchString(line) {
				t.Errorf("%s: %q", name, line)
			}
		}
		if file := "/usr/share/man/" + name + ".gz\n"; !strings.Contains(packaged, file) {
			t.Errorf("internal/dev/deb/contents lacks -rw-r--r-- root:root %s", file)
		}
		if *man != "" {
			must(t, os.WriteFile(filepath.Join(*man, name), []byte(page), 0o644))
		}
	}
}

// manLine matches text, or one of the requests that the pages use. Text that starts with a dot or
// an apostrophe would be taken for an unknown request, and not be shown.
var manLine = regexp.MustCompile(`^(\.(TH|SH|SS|TP|PP|EX|EE|BR|ad) ?.*|[^.'].*)?\n$`)

// manPage returns what a command's page has below its title, in the format of man(7). What concerns all
// commands is in the page of the program.
func manPage(cmd *cobra.Command) string {
	var p strings.Builder
	section := func(name, text string) {
		if text != "" {
			p.WriteString(".SH " + name + "\n" + strings.Trim(text, "\n") + "\n")
		}
	}
	terms := func(pairs ...[2]string) (text string) {
		for _, pair := range pairs {
			text += ".TP\n" + pair[0] + "\n" + roff(pair[1]) + "\n"
		}
		return text
	}
	bold := func(s string) string { return `\fB` + roff(s) + `\fR` }
	section("NAME", roff(pageName(cmd))+` \- `+roff(cmd.Short))
	if cmd.Runnable() {
		section("SYNOPSIS", bold(cmd.CommandPath())+`\fI`+roff(strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath()))+`\fR`)
	}
	var description string
	for i, paragraph := range strings.Split(cmd.Long+"\n", "\n\n") {
		switch paragraph = strings.TrimRight(paragraph, "\n"); {
		case i > 0 && strings.HasPrefix(paragraph, " "):
			description += ".PP\n.EX\n" + roff(paragraph) + "\n.EE\n"
		default:
			description += ".PP\n" + roff(paragraph) + "\n"
		}
	}
	section("DESCRIPTION", description)
	see := []string{"c4hat"}
	if cmd.HasSubCommands() {
		see = nil
		var all [][2]string
		for _, sub := range cmd.Commands() {
			if !sub.Hidden && !sub.IsAdditionalHelpTopicCommand() {
				all = append(all, [2]string{bold(sub.Name()), sub.Short})
			}
		}
		section("COMMANDS", terms(all...))
		for _, sub := range manual(cmd)[1:] {
			see = append(see, pageName(sub))
		}
	}
	var options [][2]string
	cmd.InitDefaultHelpFlag()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		kind, usage := pflag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "false" {
			usage += " (default " + f.DefValue + ")"
		}
		options = append(options, [2]string{bold("--"+f.Name) + ` \fI` + roff(kind) + `\fR`, usage})
	})
	if cmd.Runnable() {
		section("OPTIONS", terms(options...))
	}
	if !cmd.HasParent() {
		section("ENVIRONMENT", terms(
			[2]string{bold("TERM, COLORTERM"), "What the terminal can do: if it cannot move the cursor, a match is lines of text; its colours have 24 bits, or are 256, 16 or 8."},
			[2]string{bold("NO_COLOR"), "If set, nothing is coloured, and discs are letters."},
			[2]string{bold("XDG_STATE_HOME"), "Matches played without the service are saved in the folder c4hat in this folder; the default is ~/.local/state."}))
		section("FILES", terms(
			[2]string{bold(settings.DefaultConfig), "The configuration file; flags override it. The Debian package installs one with every key commented out."},
			[2]string{bold("~/.local/state/c4hat"), "Matches played without the service."},
			[2]string{bold(settings.SystemState), "Matches of the service."},
			[2]string{bold(settings.DefaultSocket), "The service's socket."}))
	}
	if cmd.HasExample() {
		section("EXAMPLES", ".EX\n"+roff(strings.Trim(cmd.Example, "\n"))+"\n.EE")
	}
	var links []string
	for _, s := range see {
		links = append(links, ".BR "+roff(s)+" (1)")
	}
	section("SEE ALSO", strings.Join(links, ",\n"))
	return p.String()
}

// roff escapes text, so that man(7) shows it as it is: hyphens can be copied into a shell, and flags
// are not broken at the end of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "~", `\(ti`, "^", `\(ha`).Replace(text)
	text = regexp.MustCompile(`(^|\s)(\\-\S)`).ReplaceAllString(text, `$1\%$2`)
	return regexp.MustCompile(`(?m)^[.']`).ReplaceAllString(text, `\&$0`)
}

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

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

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
