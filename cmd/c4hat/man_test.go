package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The manual pages are written here, from the words of the commands' own help, so that
// the program itself need not carry what writes them.
var man = flag.String("man", "", "write the manual pages to this `folder`")

func TestManPages(t *testing.T) {
	for _, cmd := range manual(newRoot()) {
		name, page := strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1", manPage(cmd)
		if cmd.Short == "" || cmd.Long == "" && cmd.HasSubCommands() {
			t.Errorf("%s: says too little", name)
		}
		for line := range strings.Lines(page) {
			if !manLine.MatchString(line) {
				t.Errorf("%s: %q", name, line)
			}
		}
		if *man != "" {
			if err := os.WriteFile(filepath.Join(*man, name), []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// manLine is text or one of the few requests that pages need: text that begins with a
// dot or an apostrophe would be lost as an unknown one.
var manLine = regexp.MustCompile(`^(\.(TH|SH|TP|PP|nf|fi|B|BR) ?.*|[^.'].*)?\n$`)

// manual lists the commands that have a page.
func manual(cmd *cobra.Command) []*cobra.Command {
	if cmd.Hidden || cmd.Name() == "help" || cmd.HasParent() && cmd.Parent().Name() == "completion" {
		return nil
	}
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, manual(sub)...)
	}
	return all
}

// manPage writes a command's page in the requests of man(7).
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	section := func(name string) { fmt.Fprintf(&b, ".SH %s\n", name) }
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" c4hat \"User Commands\"\n", strings.ToUpper(roff(name)))
	section("NAME")
	fmt.Fprintf(&b, "%s \\- %s\n", roff(name), roff(cmd.Short))
	section("SYNOPSIS")
	if cmd.HasSubCommands() && !cmd.HasParent() {
		fmt.Fprintf(&b, ".B %s\n", roff(cmd.CommandPath()+" COMMAND [flags]"))
	} else {
		fmt.Fprintf(&b, ".B %s\n", roff(cmd.UseLine()))
	}
	section("DESCRIPTION")
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	verbatim := false
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		// What is laid out by hand, as tables are, stays so.
		if verbatim = strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n "); verbatim {
			fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(paragraph))
			continue
		}
		if i > 0 {
			b.WriteString(".PP\n")
		}
		fmt.Fprintf(&b, "%s\n", roff(paragraph))
	}
	if subs := cmd.Commands(); len(subs) > 0 {
		section("COMMANDS")
		for _, sub := range subs {
			if !sub.Hidden {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(sub.Name()), roff(sub.Short))
			}
		}
	}
	section("OPTIONS")
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		flag := "--" + f.Name
		if f.Shorthand != "" {
			flag = "-" + f.Shorthand + ", " + flag
		}
		if kind != "" {
			flag += " " + kind
		}
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(flag), roff(usage))
	})
	if cmd.Example != "" {
		section("EXAMPLES")
		fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(cmd.Example))
	}
	section("FILES")
	fmt.Fprintf(&b, ".TP\n.B %s\nsettings; a flag wins over them\n", usualConfig)
	section("EXIT STATUS")
	b.WriteString("0 if all went well, 1 if something failed, 2 for wrong usage, 130 after Ctrl\\-C.\n")
	section("SEE ALSO")
	if cmd.HasParent() {
		b.WriteString(".BR c4hat (1)\n")
	} else {
		for i, other := range manual(cmd)[1:] {
			comma := ","
			if i == len(manual(cmd))-2 {
				comma = ""
			}
			fmt.Fprintf(&b, ".BR %s (1)%s\n", roff(strings.ReplaceAll(other.CommandPath(), " ", "-")), comma)
		}
	}
	return b.String()
}

// roff makes text safe: nothing in it is a request or an escape, and hyphens are those
// that can be copied into a shell.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
