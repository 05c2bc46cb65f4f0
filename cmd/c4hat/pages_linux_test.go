package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// comment matches the comment after a command.
var comment = regexp.MustCompile(`\s+# .*$`)

// The commands of the pages work, in order. testdata/pages/commands.txt says how each is tried, on a HAT simulated by
// files, or what else tests it. In an attempt, $C is the command, and => begins what the output must have:
//
//	run     in a shell
//	bot     in a shell, with the programs of doc/programs.md
//	tty     in a terminal, where a disc is dropped; then q is typed
//	browse  as a server whose page is opened
//	target  of the Makefile, which must exist
func TestPageCommands(t *testing.T) {
	text, err := os.ReadFile("testdata/pages/commands.txt")
	must(t, err)
	var attempts [][2]string // a command, and how it is tried
	for _, m := range regexp.MustCompile(`(?m)^(\S.*)\n\t(.*)$`).FindAllStringSubmatch(string(text), -1) {
		attempts = append(attempts, [2]string{m[1], m[2]})
	}
	next := 0
	for _, b := range fenced(t, "sh") {
		if b.page == "doc/socket.md" { // internal/service/socket runs its commands
			continue
		}
		for i, line := range strings.Split(strings.TrimRight(b.text, "\n"), "\n") {
			command := comment.ReplaceAllString(strings.TrimSpace(line), "")
			if next == len(attempts) || attempts[next][0] != command {
				t.Fatalf("%s:%d: %s\nis not the next command of testdata/pages/commands.txt: add it there", b.page, b.line+i, command)
			}
			next++
		}
	}
	if next < len(attempts) {
		t.Fatalf("no page has %s", attempts[next][0])
	}
	if testing.Short() {
		t.Skip("runs every command of every page")
	}
	t.Parallel()
	r := newReader(t)
	r.bots(t)
	d := newRunning(t)
	r.run(t, `printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play --points 1 --state `+d.state, "red wins the match")
	d.start(t)
	r.env = append(r.env, "SOCKET="+d.socket)
	for _, a := range attempts {
		t.Run(a[0], func(t *testing.T) {
			how, text, _ := strings.Cut(a[1], " ")
			text, says, _ := strings.Cut(strings.ReplaceAll(text, "$C", a[0]), " => ")
			if quoted, err := strconv.Unquote(says); err == nil {
				says = quoted
			}
			switch how {
			case "elsewhere:":
				t.Skip(text)
			case "bot":
				try.Tool(t, "python3")
				fallthrough
			case "run":
				if page, ok := strings.CutPrefix(says, "the block of "); ok {
					blocks := fenced(t, "text")
					says = blocks[slices.IndexFunc(blocks, func(b block) bool { return b.page == page })].text
				}
				r.run(t, text, says)
			case "tty":
				s := open(t, r.env, strings.Fields(strings.ReplaceAll(text, "$SOCKET", d.socket))...)
				s.shows(t, says)
				s.types(t, "4q")
				s.ends(t, 0)
			case "browse":
				r.browses(t, text+" --listen 127.0.0.1:0 --socket "+d.socket, says)
			case "target":
				cmd := exec.Command(try.Tool(t, "make"), append(strings.Fields(a[0])[1:], "-n")...)
				cmd.Dir, cmd.Env = "../..", append(testEnvironment(), "MAKEFLAGS=", "MAKELEVEL=")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v:\n%s", err, out)
				}
			default:
				t.Fatalf("%s is no way to try a command", how)
			}
		})
	}
}

// reader types the commands of the pages in an empty folder.
type reader struct {
	folder string
	env    []string
}

func newReader(t *testing.T) *reader {
	t.Helper()
	r := &reader{folder: t.TempDir()}
	exe, err := os.Executable()
	must(t, err)
	must(t, os.Symlink(exe, filepath.Join(r.folder, "c4hat"))) // TestMain runs c4hat by this name
	r.env = []string{"PATH=" + r.folder + ":" + os.Getenv("PATH"), "XDG_STATE_HOME=" + t.TempDir()}
	return r
}

// shell returns a command that the shell runs.
func (r *reader) shell(t *testing.T, command string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.WaitDelay = r.folder, testEnvironment(r.env...), patience
	return cmd
}

// run runs a command to its end, and checks that it succeeds and its output.
func (r *reader) run(t *testing.T, command, says string) {
	t.Helper()
	out, err := r.shell(t, command).CombinedOutput()
	if err != nil || !strings.Contains(string(out), says) {
		t.Errorf("%v, want %q:\n%s", err, says, out)
	}
}

// bots writes the programs in doc/programs.md into the reader's folder.
func (r *reader) bots(t *testing.T) {
	t.Helper()
	if fenced(t, "python")[0].text != read(t, "doc/examples/bot.py") {
		t.Error("doc/examples/bot.py is not the program of the page")
	}
	must(t, os.MkdirAll(filepath.Join(r.folder, "class/anna"), 0o755))
	must(t, os.MkdirAll(filepath.Join(r.folder, "class/ben"), 0o755))
	copies := strings.NewReplacer("bot-1", "bot", "class/anna/", "", "class/ben/", "")
	for _, name := range []string{"bot.py", "bot-1.py", "class/anna/bot.py", "class/ben/bot.py", "kaggle.py", "kaggle_agent.py", "aigames.py", "aigames_bot.py", "python/board.py", "python/lesson1_random.py", "python/lesson2_ahead.py", "python/lesson3_minimax.py", "python/lesson4_alphabeta.py"} {
		text := read(t, "doc/examples/"+copies.Replace(name))
		must(t, os.WriteFile(filepath.Join(r.folder, strings.TrimPrefix(name, "python/")), []byte(text), 0o755))
	}
}

// browses runs a command that serves a page, and opens the page.
func (r *reader) browses(t *testing.T, command, says string) {
	var out gametest.Log
	cmd := r.shell(t, "exec "+command)
	cmd.Stdout, cmd.Stderr = &out, &out
	must(t, cmd.Start())
	address := ""
	eventually(t, func() bool { address = regexp.MustCompile(`http://\S+`).FindString(out.String()); return address != "" }, out.String)
	answer, err := http.Get(address)
	must(t, err)
	defer answer.Body.Close()
	if page, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(page), says) {
		t.Errorf("%v: %.200s", err, page)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// The turn in doc/listening.md is what the program prints.
func TestPageRound(t *testing.T) {
	for _, b := range fenced(t, "text") {
		if b.page != "doc/listening.md" {
			continue
		}
		cmd := newReader(t).shell(t, "c4hat play --vs-cpu --level novice --points 1 --seed 3")
		cmd.Stdin = strings.NewReader("4\nr 1\nq\n")
		out, err := cmd.Output()
		if heard := regexp.MustCompile(`(column 1-7: ).*\n`).ReplaceAllString(b.text, "$1\n"); err != nil || !strings.Contains(string(out), heard) {
			t.Errorf("%v: a player hears\n%s\nand %s:%d has\n%s", err, out, b.page, b.line, heard)
		}
	}
}

// The configurations in the pages are valid. The one in doc/configuration.md has the same keys and
// values as the package's.
func TestPageConfigurations(t *testing.T) {
	var shown string
	for _, b := range fenced(t, "toml") {
		file := filepath.Join(t.TempDir(), "config.toml")
		must(t, os.WriteFile(file, []byte(strings.ReplaceAll(b.text, "\n# ", "\n")), 0o666))
		newReader(t).run(t, "c4hat daemon --check --config "+file, "")
		if b.page == "doc/configuration.md" {
			shown = b.text
		}
	}
	set := regexp.MustCompile(`(?m)^(# ?)?(\w+) = ("[^"]*"|\d+)`)
	values := map[string]string{}
	for _, m := range set.FindAllStringSubmatch(shown, -1) {
		if values[m[2]] = m[3]; m[1] != "" {
			values[m[2]] = "" // an example; the key has no default
		}
	}
	for _, m := range set.FindAllStringSubmatch(settings.Text(), -1) {
		value, ok := values[m[2]]
		if !ok || value != "" && value != m[3] {
			t.Errorf("doc/configuration.md has %s = %s, the help %s", m[2], value, m[3])
		}
		delete(values, m[2])
	}
	for key := range values {
		t.Errorf("the help has no %s", key)
	}
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
	fence := regexp.MustCompile("(?ms)^ *```" + language + "\n(.*?)^ *```$")
	for _, page := range pages {
		text := read(t, page)
		for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
			all = append(all, block{page, 1 + strings.Count(text[:m[2]], "\n"), text[m[2]:m[3]]})
		}
	}
	if len(all) == 0 {
		t.Fatalf("no page has a %s block", language)
	}
	return all
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

// The commands, flags and make targets that the pages name exist.
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
