package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/settings"
)

// told is a command in the pages, and what it should do.
type told struct {
	command string
	try     func(*reader, *testing.T, told)
	says    string // expected in the output, or why the command is not run
}

// commands are the commands in the pages' blocks of sh, in order. Add new ones here.
var commands = []told{
	{"git clone https://github.com/c4hat/c4hat && cd c4hat", (*reader).elsewhere, "it needs the network"},
	{"make play", (*reader).target, ""},
	{"make test", (*reader).target, ""},

	{"sudo apt update && sudo apt install git make golang-go", (*reader).elsewhere, "it needs root"},
	{"git clone https://github.com/c4hat/c4hat && cd c4hat && make build && sudo make install", (*reader).elsewhere, "it needs the network, and root"},
	{"sudo reboot", (*reader).elsewhere, "it needs root; internal/dev/e2e boots a machine that has the package"},
	{"c4hat doctor", (*reader).examines, "no problems found"},

	{"c4hat play --vs-cpu", (*reader).attaches, "level medium"},
	{"c4hat play --continue", (*reader).attaches, "level medium"},
	{"c4hat watch", (*reader).attaches, "the match on the HAT"},
	{"c4hat status", (*reader).asks, "yellow is the computer"},
	{"c4hat stats", (*reader).asks, "1 match "},
	{"c4hat replay", (*reader).asks, "red wins the match 1-0"},

	{"sudo apt update && sudo apt install git make golang-go", (*reader).elsewhere, "it needs root"},
	{"git clone https://github.com/c4hat/c4hat && cd c4hat && make build && sudo make install", (*reader).elsewhere, "it needs the network, and root"},
	{"git clone https://github.com/c4hat/c4hat && cd c4hat && make deb DEB_ARCHS=\"arm64 armhf\"", (*reader).elsewhere, "it needs the network"},
	{"./c4hat card /media/$USER/bootfs", (*reader).elsewhere, "it needs a card; internal/card has tests"},
	{"c4hat play --continue", (*reader).attaches, "level medium"},
	{"c4hat play --force --vs-cpu --level novice", (*reader).attaches, "level novice"},
	{"c4hat stats", (*reader).asks, "matches "},
	{"c4hat replay", (*reader).asks, "given up"},
	{"c4hat doctor", (*reader).examines, "no problems found"},
	{"sudoedit /etc/c4hat/config.toml", (*reader).elsewhere, "it needs root, and an editor"},
	{"c4hat daemon --check && sudo systemctl reload c4hat", (*reader).elsewhere, "it needs root; internal/dev/e2e reloads the service"},
	{"git checkout main && git pull && make build && sudo make install", (*reader).elsewhere, "it needs the network, and root"},
	{"sudo make uninstall", (*reader).elsewhere, "it needs root; internal/dev/deb has tests"},
	{"sudo tar -C / --ignore-failed-read -czf c4hat.tgz var/lib/c4hat etc/c4hat", (*reader).elsewhere, "it needs root"},
	{"sudo systemctl stop c4hat && sudo tar -C / -xzf c4hat.tgz && sudo systemctl start c4hat", (*reader).elsewhere, "it needs root"},

	{"c4hat play --vs-cpu --cpu red --board 8x8", (*reader).plays, "red: computer,"},
	{"c4hat play --vs-cpu --level perfect --position 34465143564314", (*reader).plays, "level perfect"},
	{"c4hat play --board 5x4 --points 3", (*reader).plays, "first to 3 points"},
	{"c4hat play --connect 5 --first loser", (*reader).plays, "red to move"},
	{"c4hat play --continue", (*reader).plays, "to move"},
	{`printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play --points 1 --state apart`, (*reader).prints, "\nred wins the match 1-0\n"},
	{"c4hat daemon --emulator --state /tmp/c4hat --socket /tmp/c4hat.sock &", (*reader).elsewhere, "it needs a desktop"},

	{"c4hat solve 45461667", (*reader).prints, "45461667 11 "},
	{"c4hat solve --columns 112233", (*reader).prints, "112233 "},
	{"c4hat solve --json --columns 4453", (*reader).prints, `"columns":[`},

	{"sudo apt install espeak-ng", (*reader).elsewhere, "it needs root"},
	{"sudo systemctl enable --now c4hat-speech", (*reader).elsewhere, "it needs root; internal/dev/e2e enables the voice"},
	{"c4hat doctor", (*reader).examines, "speech"},
	{"systemctl --user enable --now c4hat-speech", (*reader).elsewhere, "it needs a desktop"},
	{"c4hat play --display plain", (*reader).converses, "red: column 4, row 1"},
	{"c4hat play --display plain --continue", (*reader).converses, "yellow: column 4, row 2"},
	{"ssh pi@raspberrypi.local c4hat watch | espeak-ng -v en-gb -s 150", (*reader).elsewhere, "it needs a Pi; TestWatchSpeech checks the text"},

	{"sudo systemctl reload c4hat", (*reader).elsewhere, "it needs root; internal/dev/e2e reloads the service"},

	{"chmod +x bot.py", (*reader).programs, ""},
	{"c4hat play --yellow-program ./bot.py", (*reader).programs, "Yellow is played by ./bot.py."},
	{"c4hat play --force --vs-cpu --level novice --red-program ./bot.py", (*reader).programs, "wins the match"},
	{"c4hat play --force --red-program ./bot.py --yellow-program other=./bot.py", (*reader).programs, "wins the match"},
	{"c4hat tournament ./bot.py novice easy", (*reader).competes, "\n1 "},
	{"scp bot.py pi@raspberrypi.local:", (*reader).elsewhere, "it needs a Pi"},
	{"ssh pi@raspberrypi.local", (*reader).elsewhere, "it needs a Pi"},
	{"c4hat play --force --yellow-program ./bot.py", (*reader).seats, "Yellow is played by ./bot.py."},
	{"c4hat play --continue --yellow-program './bot.py'", (*reader).seats, "Yellow is played by ./bot.py."},
	{"sudo useradd --create-home --groups games --shell /bin/bash bots", (*reader).elsewhere, "it needs root"},
	{"sudo cp -r class /home/bots", (*reader).elsewhere, "it needs root"},
	{"sudo --login --user bots", (*reader).elsewhere, "it needs root"},
	{"c4hat tournament --games 2 --move-time 1s --record class.jsonl --html class.html --csv class.csv class/*/bot.py", (*reader).competes, " ben "},
	{"c4hat tournament novice easy ./bot.py", (*reader).competes, "\n1 "},
	{"c4hat tournament --games 1000 new=./bot.py old=./bot-1.py", (*reader).competes, " old "},
	{"c4hat tournament --record games.jsonl easy ./bot.py", (*reader).competes, " easy "},
	{"c4hat analyse - < games.jsonl", (*reader).prints, " played a best column "},
	{"echo 4453 | c4hat engine --level perfect", (*reader).prints, ""},
	{`c4hat tournament medium "m=c4hat engine --level medium"`, (*reader).competes, " m "},
	{`c4hat tournament ./bot.py "kaggle=python3 kaggle.py kaggle_agent.py" "aigames=./aigames.py ./aigames_bot.py"`, (*reader).competes, "aigames"},

	{"cp -r doc/examples/python lessons", (*reader).elsewhere, "it needs the folder"},
	{"cd lessons", (*reader).elsewhere, "it needs the folder"},
	{"c4hat tournament ./lesson1_random.py novice", (*reader).competes, " lesson1_random "},
	{"c4hat tournament ./lesson2_ahead.py ./lesson1_random.py easy", (*reader).competes, " lesson2_ahead "},
	{"c4hat tournament --games 40 ./lesson3_minimax.py ./lesson2_ahead.py medium", (*reader).competes, " lesson3_minimax "},
	{"c4hat tournament --games 10 ./lesson4_alphabeta.py ./lesson3_minimax.py hard", (*reader).elsewhere, "it takes half a second a move; TestExamples plays it"},

	{"c4hat analyse 51525374", (*reader).explained, "doc/analysis.md"},
	{"echo 51525374 | c4hat analyse --json -", (*reader).prints, `{"ply":1,"player":"red","column":5,"before":1,"after":0,"best":[4],"mark":"win to draw",`},
	{"c4hat puzzle --discs 3", (*reader).converses, "moves and wins with 3 discs"},
	{"c4hat puzzle --discs 1 --seed 7 --count 12 > worksheet.txt", (*reader).prints, ""},
	{"c4hat puzzle --json --count 30", (*reader).prints, `{"position":"`},

	{"c4hat web", (*reader).browses, "<title>c4hat</title>"},
	{"sudo systemctl enable --now c4hat-web.socket", (*reader).elsewhere, "it needs root; internal/dev/e2e enables the page"},
	{"sudo c4hat web --forget", (*reader).forgets, "there are no pairings"},
	{"make site", (*reader).target, ""},
	{"python3 -m http.server --directory build/site 8000", (*reader).elsewhere, "internal/dev/e2e/browser serves build/site"},

	{"c4hat link pi@raspberrypi2.local", (*reader).elsewhere, "it needs two Pis; TestLinkSSH links two services through an sshd"},
	{"sudo raspi-config nonint do_ssh 0", (*reader).elsewhere, "it needs a Pi"},
	{"sudo raspi-config nonint do_hostname raspberrypi2", (*reader).elsewhere, "it needs a Pi"},
	{"sudo reboot", (*reader).elsewhere, "it needs a Pi"},
	{"ssh-keygen -t ed25519", (*reader).elsewhere, "TestLinkSSH makes such a key"},
	{"ssh-copy-id pi@raspberrypi2.local", (*reader).elsewhere, "it needs two Pis"},
	{"ssh pi@raspberrypi2.local c4hat status", (*reader).elsewhere, "it needs two Pis"},
	{"loginctl enable-linger", (*reader).elsewhere, "it changes the machine"},
	{"systemd-run --user --unit=c4hat-link --property=Restart=on-failure c4hat link pi@raspberrypi2.local", (*reader).elsewhere, "it needs two Pis"},
	{"systemctl --user stop c4hat-link", (*reader).elsewhere, "it needs two Pis"},
	{"journalctl --user --unit=c4hat-link", (*reader).elsewhere, "it needs two Pis"},

	{"c4hat version", (*reader).prints, "c4hat "},
	{"c4hat doctor --json", (*reader).examines, "{"},
	{"journalctl -u c4hat -b", (*reader).elsewhere, "it needs systemd"},
	{"make", (*reader).target, ""},
	{"make build", (*reader).target, ""},
	{"make test", (*reader).target, ""},
	{"make lint", (*reader).target, ""},
}

// reader types the commands of the pages in an empty folder.
type reader struct {
	folder  string
	env     []string
	service *running
}

// The commands of the pages work, in order. Some are run here, on a HAT simulated by files. For the
// others, the list says what tests them.
func TestPageCommands(t *testing.T) {
	next := 0
	for _, b := range fenced(t, "sh") {
		if b.page == "doc/socket.md" { // internal/socket runs its commands
			continue
		}
		for i, line := range strings.Split(strings.TrimRight(b.text, "\n"), "\n") {
			command := comment.ReplaceAllString(strings.TrimSpace(line), "")
			if next == len(commands) || commands[next].command != command {
				t.Fatalf("%s:%d: %s\nis not the next command in this test: add it there", b.page, b.line+i, command)
			}
			next++
		}
	}
	if next < len(commands) {
		t.Fatalf("no page has %s", commands[next].command)
	}
	if testing.Short() {
		t.Skip("runs every command of every page")
	}
	t.Parallel()
	r := newReader(t)
	r.serve(t)
	for _, c := range commands {
		t.Run(c.command, func(t *testing.T) { c.try(r, t, c) })
	}
}

// comment matches the comment after a command.
var comment = regexp.MustCompile(`\s+# .*$`)

func newReader(t *testing.T) *reader {
	t.Helper()
	r := &reader{folder: t.TempDir()}
	exe, err := os.Executable()
	must(t, err)
	if err := os.Symlink(exe, filepath.Join(r.folder, "c4hat")); err != nil { // TestMain runs c4hat by this name
		t.Fatal(err)
	}
	r.env = []string{"PATH=" + r.folder + ":" + os.Getenv("PATH"), "XDG_STATE_HOME=" + t.TempDir()}
	return r
}

// serve runs the service on a HAT simulated by files, with a finished match.
func (r *reader) serve(t *testing.T) {
	t.Helper()
	r.service = newRunning(t)
	r.run(t, `printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play --points 1 --state `+r.service.state, 0, "red wins the match")
	r.service.start(t)
}

// shell returns a command that the shell runs.
func (r *reader) shell(t *testing.T, command string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = r.folder
	cmd.Env = testEnvironment(r.env...)
	cmd.WaitDelay = patience
	return cmd
}

// run runs a command to its end, and checks its exit status and output.
func (r *reader) run(t *testing.T, command string, status int, says string) {
	t.Helper()
	cmd := r.shell(t, command)
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != status || !strings.Contains(string(out), says) {
		t.Errorf("exit status %d, want %d with %q:\n%s", got, status, says, out)
	}
}

func (r *reader) prints(t *testing.T, c told) { r.run(t, c.command, 0, c.says) }

// explained runs a command, and checks that every line of the output is in a block of a page.
func (r *reader) explained(t *testing.T, c told) {
	for _, b := range fenced(t, "text") {
		if b.page == c.says {
			r.run(t, c.command, 0, b.text)
		}
	}
}

// programs runs a command that uses the program in doc/programs.md. If the command asks a person
// for a disc, it gets q, which quits.
func (r *reader) programs(t *testing.T, c told) {
	r.bots(t)
	if strings.Contains(c.command, "play") {
		c.command = "echo q | " + c.command + " --local --move-time 0"
	}
	r.prints(t, c)
}

// seats runs a command with which the program plays in the service's match.
func (r *reader) seats(t *testing.T, c told) {
	r.bots(t)
	c.command += " --move-time 0"
	r.converses(t, c)
}

// bots writes the programs in doc/programs.md into the reader's folder.
func (r *reader) bots(t *testing.T) {
	t.Helper()
	tool(t, "python3", "python3")
	source := fenced(t, "python")[0].text
	if source != read(t, "doc/examples/bot.py") {
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

// competes runs a tournament of two games.
func (r *reader) competes(t *testing.T, c told) {
	c.command += " --games 2 --opening-plies 10 --move-time 0"
	r.programs(t, c)
}

// examines runs c4hat doctor, whose exit status depends on the machine.
func (r *reader) examines(t *testing.T, c told) {
	r.run(t, c.command+" || test $? = 1", 0, c.says)
}

// browses runs a command that serves a page, and opens the page.
func (r *reader) browses(t *testing.T, c told) {
	var out gametest.Log
	cmd := r.shell(t, "exec "+c.command+" --listen 127.0.0.1:0 --socket "+r.service.socket)
	cmd.Stdout, cmd.Stderr = &out, &out
	must(t, cmd.Start())
	address := ""
	eventually(t, func() bool { address = regexp.MustCompile(`http://\S+`).FindString(out.String()); return address != "" }, out.String)
	answer, err := http.Get(address)
	must(t, err)
	defer answer.Body.Close()
	if page, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(page), c.says) {
		t.Errorf("%v: %.200s", err, page)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// forgets runs a command without sudo, in a folder that has no pairings.
func (r *reader) forgets(t *testing.T, c told) {
	r.run(t, strings.TrimPrefix(c.command, "sudo ")+" --state .", 0, c.says)
}

func (r *reader) elsewhere(t *testing.T, c told) { t.Skip(c.says) }

// target checks that the Makefile has the target, without building it.
func (r *reader) target(t *testing.T, c told) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make")
	}
	cmd := r.shell(t, c.command+" -n")
	cmd.Dir = "../.."
	cmd.Env = append(cmd.Env, "MAKEFLAGS=", "MAKELEVEL=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// plays runs a command in a terminal, drops a disc and quits.
func (r *reader) plays(t *testing.T, c told) {
	args := strings.Fields(strings.TrimPrefix(c.command, "./"))
	s := open(t, r.env, args...)
	s.shows(t, c.says)
	s.types(t, "4q")
	s.ends(t, 0)
}

// attaches is like plays, but the service is running.
func (r *reader) attaches(t *testing.T, c told) {
	c.command += " --socket " + r.service.socket
	r.plays(t, c)
}

// converses runs a command that reads lines of text. For a new match it first ends the match on the
// HAT.
func (r *reader) converses(t *testing.T, c told) {
	if !strings.Contains(c.command, "--continue") {
		_, _ = r.service.client.Do(t.Context(), game.End{})
	}
	r.run(t, "printf '4\\nq\\n' | "+c.command+" --socket "+r.service.socket, 0, c.says)
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

func (r *reader) asks(t *testing.T, c told) {
	r.run(t, c.command+" --socket "+r.service.socket, 0, c.says)
}

// The configurations in the pages are valid. The one in doc/configuration.md has the same keys and
// values as the package's.
func TestPageConfigurations(t *testing.T) {
	_, example, found := strings.Cut(configText(), "An example")
	_, example, _ = strings.Cut(example, "\n\n")
	if !found || example == "" {
		t.Fatal("c4hat help config shows no example")
	}
	var shown string
	for _, b := range append(fenced(t, "toml"), block{page: "c4hat help config", text: example}) {
		file := filepath.Join(t.TempDir(), "config.toml")
		must(t, os.WriteFile(file, []byte(strings.ReplaceAll(b.text, "\n# ", "\n")), 0o666))
		newReader(t).run(t, "c4hat daemon --check --config "+file, 0, "")
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
	for _, m := range set.FindAllStringSubmatch(settings.Text(""), -1) {
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
