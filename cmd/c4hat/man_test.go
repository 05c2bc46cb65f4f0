package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A test writes the manual pages, from the help of the commands, so that the program does not have
// to contain the code for this.
var man = flag.String("man", "", "write the manual pages to the folders man1 and man5 of this `folder`")

func TestManPages(t *testing.T) {
	root := newRoot()
	manuals := map[string]string{"man5/" + configPage + ".5": manConfig(root)}
	for _, cmd := range manual(root) {
		name := "man1/" + pageName(cmd) + ".1"
		if cmd.Short == "" || cmd.Long == "" && cmd.HasSubCommands() {
			t.Errorf("%s: no short or long text", name)
		}
		if cmd.Example == "" {
			t.Errorf("%s: no examples", name)
		}
		if cmd.Name() != "completion" && !slices.ContainsFunc(pages, func(page string) bool { return strings.Contains(read(t, page), cmd.CommandPath()) }) {
			t.Errorf("%s: no page mentions it", cmd.CommandPath())
		}
		manuals[name] = manPage(cmd)
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if len(line) > 92 {
				t.Errorf("%s: a line of more than 92 bytes: %s", name, line)
			}
		}
	}
	packaged, err := os.ReadFile("../../internal/dev/deb/contents")
	must(t, err)
	for name, page := range manuals {
		if file := "/usr/share/man/" + name + ".gz\n"; !strings.Contains(string(packaged), file) {
			t.Errorf("internal/dev/deb/contents lacks -rw-r--r-- root:root %s", file)
		}
		for line := range strings.Lines(page) {
			if !manLine.MatchString(line) {
				t.Errorf("%s: %q", name, line)
			}
		}
		if *man != "" {
			must(t, os.WriteFile(filepath.Join(*man, name), []byte(page), 0o644))
		}
	}
}

// manLine matches text, or one of the requests that the pages use. Text that starts with a dot or
// an apostrophe would be taken for an unknown request, and not be shown.
var manLine = regexp.MustCompile(`^(\.(TH|SH|SS|TP|PP|EX|EE|BR|ad) ?.*|[^.'].*)?\n$`)

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
					run.InitDefaultVersionFlag()
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

// configPage is the page of the configuration file, in section 5.
const configPage = "c4hat-config"

// manPage writes a command's page.
func manPage(cmd *cobra.Command) string {
	root := !cmd.HasParent()
	p := newPage(pageName(cmd), 1, cmd.Short)
	p.section("SYNOPSIS")
	if usage := cmd.UseLine(); root {
		p.line(bold("c4hat") + " " + italic("COMMAND") + " [" + italic("flags") + "]")
	} else {
		p.line(bold(cmd.CommandPath()) + italic(strings.TrimPrefix(usage, cmd.CommandPath())))
	}
	p.section("DESCRIPTION")
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	description, exit := cutExit(text)
	p.text(description)
	if subs := cmd.Commands(); len(subs) > 0 {
		p.section("COMMANDS")
		for _, sub := range subs {
			if !sub.Hidden && !sub.IsAdditionalHelpTopicCommand() {
				p.term(bold(sub.Name()), sub.Short)
			}
		}
	}
	p.section("OPTIONS")
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			p.term(flagNames(f), flagWords(f))
		}
	})
	has := func(flag string) bool { return root || cmd.Flags().Lookup(flag) != nil }
	p.section("EXIT STATUS")
	if _, usual := cutExit(cmd.Root().Long); exit == "" || root {
		p.text(usual)
	} else {
		p.text(exit + "\n\nOtherwise " + strings.ToLower(usual[:1]) + usual[1:])
	}
	if variables := environment(cmd.Name(), has("state")); len(variables) > 0 {
		p.section("ENVIRONMENT")
		for _, v := range variables {
			p.term(bold(v[0]), v[1])
		}
	}
	if has("config") {
		p.section("FILES")
		p.term(bold(settings.DefaultConfig), "The configuration file; flags override it.")
		if has("state") {
			p.term(bold("~/.local/state/c4hat"), "Matches played without the service.")
			p.term(bold(settings.SystemState), "Matches of the service.")
		}
		p.term(bold(settings.DefaultSocket), "The service's socket.")
	}
	p.section("EXAMPLES")
	p.verbatim(cmd.Example)
	if root {
		p.seeAlso(manual(cmd)[1:], true)
	} else {
		p.seeAlso(manual(cmd.Root())[:1], has("config"))
	}
	return p.String()
}

// cutExit separates the paragraph about the exit status from a text.
func cutExit(text string) (rest, exit string) {
	paragraphs := strings.Split(text, "\n\n")
	var others []string
	for _, paragraph := range paragraphs {
		if strings.HasPrefix(paragraph, "The exit status") {
			exit = paragraph
		} else {
			others = append(others, paragraph)
		}
	}
	return strings.Join(others, "\n\n"), exit
}

// environment returns the variables that a command reads.
func environment(cmd string, keepsMatches bool) (variables [][2]string) {
	switch cmd {
	case "c4hat", "play", "watch", "replay":
		variables = [][2]string{
			{"TERM, COLORTERM", "What the terminal can do: if it cannot move the cursor, a match is lines of text; its colours have 24 bits, or are 256, 16 or 8."},
			{"NO_COLOR", "If set, nothing is coloured, and discs are letters."},
		}
	case "doctor":
		variables = [][2]string{{"NO_COLOR", "If set, the report has no colours."}}
	}
	if keepsMatches {
		variables = append(variables, [2]string{"XDG_STATE_HOME", "Matches played without the service are saved in the folder c4hat in this folder; the default is ~/.local/state."})
	}
	return variables
}

// manConfig writes the page of the configuration file.
func manConfig(root *cobra.Command) string {
	topic, _, err := root.Find([]string{"config"})
	if err != nil {
		panic(err)
	}
	flags := settings.Flags()
	p := newPage(configPage, 5, topic.Short)
	before, after, found := strings.Cut(configText(), "All keys with their defaults:\n\n"+settings.Text("  "))
	if !found {
		panic("the keys are not in the topic's text")
	}
	p.section("DESCRIPTION")
	p.text(before)
	p.section("KEYS")
	p.text("Each key is shown with its default.")
	for _, t := range settings.Tables {
		p.subsection("[" + t.Name + "]: " + t.About)
		for _, key := range settings.Keys(t.Name) {
			f := flags.Lookup(key)
			_, usage := pflag.UnquoteUsage(f)
			p.term(bold(settings.KeyLine(f)), usage)
		}
	}
	p.section("FILES")
	p.term(bold(settings.DefaultConfig), "The default file. The Debian package installs one with every key commented out.")
	p.section("EXAMPLES")
	p.text(after)
	p.seeAlso(manual(root)[:1], false)
	return p.String()
}
