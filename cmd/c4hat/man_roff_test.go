package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// page is the source of a manual page, in the format of man(7).
type page struct{ strings.Builder }

// released matches the newest release in the changelog, and its date.
var released = regexp.MustCompile(`(?m)^## ([0-9.]+) - (\d{4}-\d\d-\d\d)$`)

func newPage(name string, section int, short string) *page {
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		panic(err)
	}
	release := released.FindSubmatch(changes)
	if release == nil {
		panic("CHANGELOG.md has no release: want ## 1.2.3 - 2000-12-31")
	}
	title := map[int]string{1: "User Commands", 5: "File Formats"}[section]
	p := new(page)
	p.line(fmt.Sprintf(`.TH %s %d %s "c4hat %s" "%s"`, strings.ToUpper(roff(name)), section, release[2], release[1], title))
	p.line(".ad l")
	p.section("NAME")
	p.line(roff(name) + ` \- ` + roff(short))
	return p
}

func (p *page) line(s string)          { p.WriteString(s + "\n") }
func (p *page) section(name string)    { p.line(".SH " + name) }
func (p *page) subsection(name string) { p.line(".SS " + roff(name)) }
func (p *page) term(what, words string) {
	p.line(".TP\n" + what + "\n" + roff(words))
}
func (p *page) verbatim(text string) { p.line(".EX\n" + roff(strings.Trim(text, "\n")) + "\n.EE") }

// text writes paragraphs. Indented ones keep their layout.
func (p *page) text(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		verbatim := strings.HasPrefix(paragraph, " ")
		if i > 0 {
			p.line(".PP")
		}
		if verbatim {
			p.verbatim(paragraph)
		} else {
			p.line(roff(paragraph))
		}
	}
}

// seeAlso lists the pages of commands and, if config is set, the page of the configuration file.
func (p *page) seeAlso(cmds []*cobra.Command, config bool) {
	p.section("SEE ALSO")
	var pages []string
	for _, cmd := range cmds {
		pages = append(pages, ".BR "+roff(pageName(cmd))+" (1)")
	}
	if config {
		pages = append(pages, ".BR "+roff(configPage)+" (5)")
	}
	p.line(strings.Join(pages, ",\n"))
}

// flagNames returns a flag as it is typed, with its argument.
func flagNames(f *pflag.Flag) string {
	names := bold("--" + f.Name)
	if f.Shorthand != "" {
		names = bold("-"+f.Shorthand) + ", " + names
	}
	if kind, _ := pflag.UnquoteUsage(f); kind != "" {
		names += " " + italic(kind)
	}
	return names
}

// flagWords returns a flag's description and default.
func flagWords(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "false" {
		usage += " (default " + f.DefValue + ")"
	}
	return usage
}

func bold(s string) string   { return `\fB` + roff(s) + `\fR` }
func italic(s string) string { return `\fI` + roff(s) + `\fR` }

// wordWithDash matches a word that starts like a flag.
var wordWithDash = regexp.MustCompile(`(^|\s)(\\-\S)`)

// roff escapes text, so that man(7) shows it as it is: hyphens can be copied into a shell, and flags
// are not broken at the end of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "~", `\(ti`, "^", `\(ha`).Replace(text)
	text = wordWithDash.ReplaceAllString(text, `$1\%$2`)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
