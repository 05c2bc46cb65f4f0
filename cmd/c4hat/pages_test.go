package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/hat"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// pages are the documentation, in the order in which the pages' commands are run.
var pages = []string{
	"README.md", "doc/first-evening.md", "doc/terminal.md", "doc/listening.md", "doc/configuration.md",
	"doc/programs.md", "doc/course.md", "doc/analysis.md", "doc/puzzles.md", "doc/browser.md", "doc/link.md", "doc/socket.md",
	"doc/libraries.md", "doc/levels.md", "doc/hat.md", "doc/solver.md", "doc/measured.md",
	"doc/architecture.md", "doc/game.md", "doc/adding.md", "CONTRIBUTING.md",
}

// All pages are in the list, and all their commands are in blocks of sh, because the tests run no
// others.
func TestPages(t *testing.T) {
	all, err := filepath.Glob("../../doc/*.md")
	must(t, err)
	for _, page := range all {
		if name := "doc/" + filepath.Base(page); !slices.Contains(pages, name) {
			t.Errorf("%s is not in this test: add it there", name)
		}
	}
	indented := regexp.MustCompile(`(?m)^ {4,}(sudo|c4hat|make|ssh|scp|curl|git|go|python3) .*`)
	for _, page := range pages {
		text := regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(read(t, page), "")
		for _, line := range indented.FindAllString(text, -1) {
			t.Errorf("%s: put this into a block of sh: %s", page, line)
		}
	}
}

// block is a fenced block in a page.
type block struct {
	page string
	line int // its first line in the page
	text string
}

// fenced returns the blocks of a language in all pages.
func fenced(t *testing.T, language string) (all []block) {
	t.Helper()
	for _, page := range pages {
		inside := false
		for i, line := range strings.SplitAfter(read(t, page), "\n") {
			switch fence := strings.TrimSpace(line); {
			case inside && fence == "```":
				inside = false
			case inside:
				all[len(all)-1].text += line
			case fence == "```"+language:
				inside = true
				all = append(all, block{page: page, line: i + 2})
			}
		}
	}
	if len(all) == 0 {
		t.Fatalf("no page has a %s block", language)
	}
	return all
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", page))
	must(t, err)
	return string(text)
}

// The README is not too long.
func TestReadmeLength(t *testing.T) {
	if n := len(strings.Fields(read(t, "README.md"))); n > 1100 {
		t.Errorf("README.md has %d words, want 1,100 at most", n)
	}
}

// The Go programs in the pages compile. Package internal tests the parts of c4hat in doc/adding.md.
func TestPagePrograms(t *testing.T) {
	for _, b := range fenced(t, "go") {
		if b.page == "doc/adding.md" {
			continue
		}
		file := filepath.Join(t.TempDir(), "main.go")
		must(t, os.WriteFile(file, []byte(b.text), 0o666))
		if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
			t.Errorf("%s:%d: %v\n%s", b.page, b.line, err, out)
		}
	}
}

// The files and headings that the pages link to exist. A link to "2. A card" is #2-a-card.
func TestPageLinks(t *testing.T) {
	for _, page := range pages {
		for _, m := range regexp.MustCompile(`\]\(([^)]+)\)|(?m)^\[[^]]+\]: (\S+)`).FindAllStringSubmatch(read(t, page), -1) {
			link := m[1] + m[2]
			if strings.Contains(link, "://") {
				continue
			}
			file, heading, _ := strings.Cut(link, "#")
			to := page
			if file != "" {
				to = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join("../..", to)); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if heading != "" && !regexp.MustCompile(`(?mi)^#+ `+strings.ReplaceAll(heading, "-", `\.? `)+`$`).MatchString(read(t, to)) {
				t.Errorf("%s: %s has no heading %s", page, to, heading)
			}
		}
	}
}

// The commands, flags, make targets and benchmarks that the pages name exist.
func TestPageNames(t *testing.T) {
	makefile := read(t, "Makefile")
	seen := 0
	for _, page := range pages {
		text := regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(read(t, page), "")
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1) {
			words := strings.Fields(strings.ReplaceAll(m[1], `\|`, "|"))
			if words[0] == "sudo" {
				words = words[1:]
			}
			switch {
			case words[0] == "c4hat" && len(words) > 1:
				commandExists(t, words[1:])
			case strings.HasPrefix(words[0], "--"):
				if !slices.ContainsFunc(newRoot().Commands(), func(c *cobra.Command) bool { return flagOf(c, words[0]) != nil }) {
					t.Errorf("%s: no command has %s", page, words[0])
				}
			case words[0] == "make" && len(words) > 1:
				if !regexp.MustCompile(`(?m)^` + words[1] + `:`).MatchString(makefile) {
					t.Errorf("%s: there is no make %s", page, words[1])
				}
			case words[0] == "go" && slices.Contains(words, "-bench"):
				benchmarkExists(t, words)
			default:
				continue
			}
			seen++
		}
	}
	if seen < 20 {
		t.Errorf("too few names: %d", seen)
	}
}

func commandExists(t *testing.T, words []string) {
	t.Helper()
	cmd, rest, err := newRoot().Find(words)
	if err != nil || !cmd.HasParent() {
		t.Errorf("there is no c4hat %s", words[0])
		return
	}
	for _, word := range rest {
		if strings.HasPrefix(word, "--") && flagOf(cmd, word) == nil {
			t.Errorf("%s has no %s", cmd.CommandPath(), word)
		}
	}
}

func flagOf(cmd *cobra.Command, word string) *pflag.Flag {
	name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	return cmd.Flags().Lookup(name)
}

// benchmarkExists checks that go test -run '^$' -bench PATTERN … FOLDER has a benchmark to run.
func benchmarkExists(t *testing.T, words []string) {
	t.Helper()
	pattern := regexp.MustCompile(`(?m)^func Benchmark` + strings.Trim(words[slices.Index(words, "-bench")+1], "'"))
	files, err := filepath.Glob(filepath.Join("../..", words[len(words)-1], "*_test.go"))
	must(t, err)
	if !slices.ContainsFunc(files, func(file string) bool { return pattern.MatchString(read(t, strings.TrimPrefix(file, "../../"))) }) {
		t.Errorf("no benchmark for %q", words)
	}
}

// The udev rule names the HAT's devices as the drivers do, and runs a command that exists. Its labels
// exist too.
func TestRules(t *testing.T) {
	rules := read(t, "systemd/60-c4hat.rules")
	for _, part := range []string{`"` + hat.MatrixName + `"`, `"` + hat.JoystickName + `"`, "'c4hat console'"} {
		if !strings.Contains(rules, part) {
			t.Errorf("no rule has %s", part)
		}
	}
	for _, part := range strings.Split(rules, `GOTO="`)[1:] {
		if label, _, _ := strings.Cut(part, `"`); !strings.Contains(rules, `LABEL="`+label+`"`) {
			t.Errorf("there is no label %s", label)
		}
	}
	if cmd, _, err := newRoot().Find([]string{"console"}); err != nil || cmd.Name() != "console" {
		t.Error("there is no command console")
	}
}
