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

	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game/gametest"
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
