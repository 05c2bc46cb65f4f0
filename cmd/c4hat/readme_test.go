package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// block is a fenced block of the README, and the number of its first line.
type block struct {
	line int
	text string
}

// fenced gives the blocks of a language.
func fenced(t *testing.T, language string) (all []block) {
	t.Helper()
	inside := false
	for i, line := range strings.SplitAfter(readme(t), "\n") {
		switch fence := strings.TrimSpace(line); {
		case inside && fence == "```":
			inside = false
		case inside:
			all[len(all)-1].text += line
		case fence == "```"+language:
			inside = true
			all = append(all, block{line: i + 2})
		}
	}
	if len(all) == 0 {
		t.Fatalf("README.md has no block of %s", language)
	}
	return all
}

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The programs that the README shows are ones.
func TestReadmePrograms(t *testing.T) {
	for _, b := range fenced(t, "go") {
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(b.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
			t.Errorf("README.md:%d: %v\n%s", b.line, err, out)
		}
	}
}

// What the README links to is there.
func TestReadmeLinks(t *testing.T) {
	for _, m := range regexp.MustCompile(`\]\(([^)]+)\)|(?m)^\[[^]]+\]: (\S+)`).FindAllStringSubmatch(readme(t), -1) {
		link := m[1] + m[2]
		if strings.Contains(link, "://") {
			continue
		}
		if _, err := os.Stat(filepath.Join("../..", link)); err != nil {
			t.Error(err)
		}
	}
}

// What the README calls by name in its text is there: commands, flags, make's targets,
// benchmarks.
func TestReadmeNames(t *testing.T) {
	text := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(readme(t), "")
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
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
				t.Errorf("no command has %s", words[0])
			}
		case words[0] == "make" && len(words) > 1:
			if !regexp.MustCompile(`(?m)^` + words[1] + `:`).Match(makefile) {
				t.Errorf("make knows no %s", words[1])
			}
		case words[0] == "go" && slices.Contains(words, "-bench"):
			benchmarkExists(t, words)
		default:
			continue
		}
		seen++
	}
	if seen < 20 {
		t.Errorf("only %d names were found", seen)
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

// benchmarkExists looks for what go test -run '^$' -bench PATTERN … FOLDER would run.
func benchmarkExists(t *testing.T, words []string) {
	t.Helper()
	pattern, err := regexp.Compile(strings.Trim(words[slices.Index(words, "-bench")+1], "'"))
	if err != nil {
		t.Error(err)
		return
	}
	folder := words[len(words)-1]
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func Benchmark(\w+)`).FindAllSubmatch(source, -1) {
			if pattern.Match(m[1]) {
				return
			}
		}
	}
	t.Errorf("%s has no benchmark like %v", folder, pattern)
}
