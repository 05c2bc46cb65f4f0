package tournament

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/front/bot"
	"github.com/c4hat/c4hat/internal/match"
)

// The test's binary is also a program that plays, with the arguments "behave NAME".
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "behave" {
		behave(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func behave(how string) {
	switch how {
	case "exits":
		fmt.Fprintln(os.Stderr, "File \"<bot.py>\", line 3\nno idea")
		os.Exit(1)
	case "first": // always the first column, legal or not
		_ = bot.Engine(context.Background(), board.Standard, os.Stdin, os.Stdout, func(context.Context, board.Position) (int, error) {
			return 0, nil
		})
	case "nothing":
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// program returns a player that is a program with a behaviour.
func program(how string) string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%s=%s behave %s", "program-"+how, self, how)
}

// hold plays a tournament, and returns its results, what it prints, and the record.
func hold(t *testing.T, o Options, players ...string) (*Results, string, string) {
	t.Helper()
	o.Record = filepath.Join(t.TempDir(), "games.jsonl")
	r, printed, err := run(t, o, players...)
	must(t, err)
	record, err := os.ReadFile(o.Record)
	must(t, err)
	return r, printed, string(record)
}

// run plays a tournament, and returns its results and what it prints.
func run(t *testing.T, o Options, players ...string) (r *Results, printed string, err error) {
	t.Helper()
	o.Players, err = ParsePlayers(players)
	must(t, err)
	var out strings.Builder
	o.Out, o.Errs, o.Seeded = &out, io.Discard, true
	r, err = Run(t.Context(), o)
	return r, out.String(), err
}

const examples = "../../../doc/examples/"

// Positions late in a game are quickly solved.
var short = Options{Rules: board.Standard, Games: 10, Opening: 18, Seed: 1, Table: 1 << 20}

// The same seed gives the same tournament of levels, with any number of threads.
func TestRepeats(t *testing.T) {
	o := short
	o.Threads = 1
	_, table, record := hold(t, o, "novice", "easy", "medium")
	for _, o.Threads = range []int{1, 2, 7} {
		_, again, games := hold(t, o, "novice", "easy", "medium")
		if again != table || games != record {
			t.Errorf("%d threads:\n%swant\n%s", o.Threads, again, table)
		}
	}
	o.Seed = 2
	if _, _, games := hold(t, o, "novice", "easy", "medium"); games == record {
		t.Error("another seed gives the same games")
	}
}

// A script in Python computes the same results from the record, with the board of the examples.
func TestResultsIndependent(t *testing.T) {
	if testing.Short() {
		t.Skip("plays three tournaments")
	}
	python := try.Tool(t, "python3")
	o := short
	o.MoveTime = time.Minute
	for rules, strong := range map[board.Rules]string{
		board.Standard: "perfect", {Columns: 5, Rows: 4, Connect: 3}: "medium", {Columns: 8, Rows: 3, Connect: 5}: "medium",
	} {
		o.Rules, o.Opening = rules, map[string]int{"perfect": short.Opening, "medium": 2}[strong]
		r, _, record := hold(t, o, "novice", "easy", strong, program("first"))
		dir := t.TempDir()
		results, err := json.Marshal(r)
		must(t, err)
		for name, text := range map[string]string{"results.json": string(results), "games.jsonl": record} {
			must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		}
		cmd := exec.Command(python, "testdata/check.py", filepath.Join(dir, "results.json"), filepath.Join(dir, "games.jsonl"), examples)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v\n%s", err, out)
		}
		if best := r.Players[0]; rules == board.Standard && (best.Name != "perfect" || *best.Kept != 1) {
			t.Errorf("%+v, and not perfect, which keeps all", best)
		}
	}
}

// Kept agrees with the analysis of the games.
func TestKept(t *testing.T) {
	_, _, record := hold(t, short, "novice", "medium")
	analyst := analysis.New(solver.Options{})
	for line := range strings.Lines(record) {
		var g Game
		must(t, json.Unmarshal([]byte(line), &g))
		moves, err := board.ParseGame(board.Standard, board.Red, g.Moves)
		must(t, err)
		var want [2]int
		for d, err := range analyst.Discs(t.Context(), moves, len(g.Opening)) {
			must(t, err)
			if d.Kept() {
				want[d.Player-board.Red]++
			}
		}
		if *g.Kept != want {
			t.Errorf("%s: %v, want %v", line, *g.Kept, want)
		}
	}
}

// A program that fails in a game loses that game, and the tournament continues.
func TestFaults(t *testing.T) {
	o := short
	o.Games, o.Opening, o.Seed, o.MoveTime = 4, 12, 4, time.Minute // no game that a program wins with its first disc
	var log bytes.Buffer
	o.Log = &log
	r, table, _ := hold(t, o, "novice", program("exits"), program("first"))
	for _, s := range r.Players {
		switch s.Name {
		case "program-exits":
			if s.Faults != 8 || s.Losses != 8 || s.FirstFault != "program-exits ended with exit status 1: no idea" {
				t.Errorf("%s: %+v, %d faults: %s", s.Name, s.Score, s.Faults, s.FirstFault)
			}
		case "program-first":
			if s.Wins < 4 || s.Faults > 0 && s.FirstFault != "program-first answered column 1, which is full" {
				t.Errorf("%s: %+v, %d faults: %s", s.Name, s.Score, s.Faults, s.FirstFault)
			}
		default:
			if s.Faults != 0 || s.Wins < 4 {
				t.Errorf("%s: %+v, %d faults: %s", s.Name, s.Score, s.Faults, s.FirstFault)
			}
		}
	}
	if got := strings.Count(log.String(), "no idea\n"); got != 8 || !strings.HasPrefix(log.String(), "== game 1, novice against program-exits: program-exits\nFile \"<bot.py>\", line 3\nno idea\n== game 1, program-exits against program-first: program-exits\n") {
		t.Errorf("%d of 8 complaints in\n%s", got, log.String())
	}
	if !strings.HasPrefix(table, "time of a move ") {
		t.Errorf("no times in\n%s", table)
	}
	o.MoveTime, o.StartTime, o.Games = 10*time.Millisecond, 90*time.Millisecond, 2
	r, _, record := hold(t, o, program("nothing"), "novice")
	if s := r.Players[1]; s.Faults != 2 || s.Slowest < 1 || !strings.Contains(record, `"fault":"program-nothing gave no answer within 100ms"`) || !strings.Contains(record, `no answer within 10ms"`) {
		t.Errorf("%+v\n%s", s, record)
	}
}

// A program that starts too many processes loses, even if only the other one notices.
func TestCrowd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux can the threads of a group be counted")
	}
	if testing.Short() {
		t.Skip("starts hundreds of processes")
	}
	dir := t.TempDir()
	write := func(name, script string) string {
		file := filepath.Join(dir, name)
		must(t, os.WriteFile(file, []byte("#!/bin/sh\ncd "+dir+"\n"+script+"\n"), 0o755))
		return file
	}
	o := short
	o.Games, o.MoveTime = 2, time.Minute
	crowd := write("crowd", fmt.Sprintf("i=0; while [ $i -lt %d ]; do sleep 1000 & i=$((i+1)); done; touch $C4HAT_PLAYER; while read m; do echo 4; done", 200+50*runtime.NumCPU()))
	r, _, record := hold(t, o, crowd, write("quits", "read m; until [ -e yellow ]; do sleep 0.1; done; exit 1"))
	if r.Players[0].Name != "quits" || r.Players[1].Faults != 2 || !strings.Contains(r.Players[1].FirstFault, "crowd had more than ") {
		t.Error(record)
	}
}

// When a tournament is stopped, the games that are over are counted.
func TestStopped(t *testing.T) {
	for _, threads := range []int{1, 3} {
		cause := errors.New("Ctrl-C")
		ctx, cancel := context.WithCancelCause(t.Context())
		o := short
		o.Games, o.Threads, o.Record = 100_000, threads, filepath.Join(t.TempDir(), "games.jsonl")
		o.Players, _ = ParsePlayers([]string{"novice", "easy"})
		o.Out, o.Errs = io.Discard, io.Discard
		recorded := func() int {
			text, _ := os.ReadFile(o.Record)
			return strings.Count(string(text), "\n")
		}
		go func() {
			for recorded() < 7 {
				time.Sleep(time.Millisecond)
			}
			cancel(cause)
		}()
		r, err := Run(ctx, o)
		if err != cause {
			t.Error(err)
		}
		if s := r.Players[0]; s.Games < 7 || s.Games == o.Games || recorded() != s.Games || s.Interval == nil {
			t.Errorf("%+v, %d recorded", s, recorded())
		}
	}
}

// A tournament that was stopped goes on from its record as if it had not been stopped, wherever the record was cut
// off, even if its players are named in another order and another one joins. It leaves out the recorded games that
// it would not play, and they stay in the record. The record of another tournament is refused.
func TestGoesOn(t *testing.T) {
	o := short
	o.Games, o.Threads, o.MoveTime = 4, 2, time.Minute
	goOn := func(before string, o Options, players ...string) (table, record string, err error) {
		o.Record = filepath.Join(t.TempDir(), "games.jsonl")
		must(t, os.WriteFile(o.Record, []byte(before), 0o666))
		_, table, err = run(t, o, players...)
		text, _ := os.ReadFile(o.Record)
		return table, string(text), err
	}
	sorted := func(text string) []string { return slices.Sorted(strings.Lines(text)) }
	_, table, record := hold(t, o, "novice", "easy", "medium")
	_, _, two := hold(t, o, "easy", "novice")
	for _, before := range []string{"", "{", record[:len(record)/3], record[:len(record)/2], record[:len(record)-1], record, two} {
		again, after, err := goOn(before, o, "medium", "novice", "easy")
		if err != nil || again != table || !slices.Equal(sorted(after), sorted(record)) {
			t.Errorf("after %d bytes: %v\n%s\nnot\n%s", len(before), err, again, table)
		}
	}
	twice := o // two runs at once
	twice.Record = filepath.Join(t.TempDir(), "twice.jsonl")
	one, _, err := twice.resume()
	must(t, err)
	other, _, err := twice.resume()
	must(t, err)
	_, _ = io.WriteString(one, "one\n")
	_, _ = io.WriteString(other, "other\n")
	if text, _ := os.ReadFile(twice.Record); string(text) != "one\nother\n" {
		t.Errorf("two runs at once leave %q", text)
	}
	must(t, errors.Join(one.Close(), other.Close()))
	programs := []string{"novice", program("first"), program("exits")} // their times and faults are in the record too
	_, programsTable, programsRecord := hold(t, o, programs...)
	if again, after, err := goOn(programsRecord, o, programs...); err != nil || again != programsTable || after != programsRecord {
		t.Errorf("%v\n%snot\n%s", err, again, programsTable)
	}
	fewer, gauntlet := o, o
	fewer.Games, gauntlet.Gauntlet = 2, true
	for _, o := range []Options{fewer, gauntlet} {
		r, table, _ := hold(t, o, "medium", "novice", "easy")
		again, after, err := goOn(record, o, "medium", "novice", "easy")
		if err != nil || again != table || after != record || o.Gauntlet && len(r.Pairs) != 2 {
			t.Errorf("%v\n%snot\n%s", err, again, table)
		}
	}
	for name, change := range map[string]func(*Options){
		"board":   func(o *Options) { o.Rules = board.FullMatrix },
		"connect": func(o *Options) { o.Rules.Connect = 5 },
		"opening": func(o *Options) { o.Opening = 2 },
		"seed":    func(o *Options) { o.Seed = 2 },
	} {
		other := o
		change(&other)
		_, after, err := goOn(record, other, "novice", "easy", "medium")
		if err == nil || !strings.HasSuffix(err.Error(), "line 1: it was played with --board 7x6 --connect 4 --opening-plies 18 --seed 1: use the same, or another file") || after != record {
			t.Errorf("goes on with another %s: %v", name, err)
		}
	}
	for _, text := range []string{"4453\n", "{}\n", record + "x\n" + record} {
		if _, after, err := goOn(text, o, "novice", "easy"); err == nil || after != text {
			t.Errorf("a record: %.20q", text)
		}
	}
}

// The page has every player and every game, and what a program wrote is no HTML. The table for a
// spreadsheet has no formulas.
func TestPageAndCSV(t *testing.T) {
	o := short
	o.Games, o.MoveTime, o.Page, o.Opening, o.Seed = 2, time.Minute, os.DevNull, 12, 2 // no game that ends with its first disc
	r, _, _ := hold(t, o, "easy", "novice", program("exits"))
	if text := r.list[1].Wrote; text != "File \"<bot.py>\", line 3\nno idea" {
		t.Errorf("the program wrote %q", text)
	}
	r.list[0].Opening, r.list[0].Moves, r.list[1].Fault = "12", "1212121", "answered </script><b>4</b>"
	r.Players[0].FirstFault, r.Players[1].FirstFault = "=1+1", "-1+1"
	var csv strings.Builder
	must(t, r.WriteCSV(&csv))
	if lines := strings.Split(csv.String(), "\n"); len(lines) != 5 || !strings.Contains(lines[1], ",'=1+1,") || !strings.Contains(lines[2], ",'-1+1,") || strings.Count(lines[1], ",") != strings.Count(lines[0], ",") {
		t.Error(csv.String())
	}
	name := filepath.Join(t.TempDir(), "page.html")
	must(t, save(name, func(out io.Writer) error {
		_, err := io.WriteString(out, "<script>onload = () => document.querySelectorAll('details').forEach((d) => d.open = true)</script>")
		return errors.Join(r.WritePage(out), err)
	}))
	chromium := try.Tool(t, "chromium")
	cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+name)
	out, err := cmd.Output()
	must(t, err)
	_, text, _ := strings.Cut(string(out), "</noscript>")
	text, _, _ = strings.Cut(text, "<script")
	if first := strings.Split(text, `class="game"`)[1]; strings.Count(first, " line\"") != 4 {
		t.Errorf("not four in a line: %s", first)
	}
	for want, times := range map[string]int{
		`class="game"`: 6, "; random: the first 12, with a dashed ring<": 5, `class="pair"`: 3, `class="self"`: 3, "&lt;/script&gt;&lt;b&gt;4": 1, "<b>4": 0,
		`class="board"`: 6, " random": 5*12 + 2 + 6, ">by a fault<": 4, ">faults: 2<": 2, ">faults of program-exits: 4; the first: program-exits ended with exit status 1: no idea<": 1,
		"<pre>File \"&lt;bot.py&gt;\", line 3\nno idea</pre>": 4, "://": 0,
	} {
		if got := strings.Count(text, want); got != times {
			t.Errorf("%d times, not %d: %s\n%.3000s", got, times, want, text)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestErrors(t *testing.T) {
	o := short
	o.Record, o.Games = "/dev/full", 10_000
	r, _, err := run(t, o, "novice", "easy")
	if runtime.GOOS == "linux" && (err == nil || r.Players[0].Games == 10_000) {
		t.Errorf("%v after %d games", err, r.Players[0].Games)
	}
	if err := r.Write(full{}); err == nil {
		t.Error("no error from a writer that fails")
	}
	o = short
	o.Rules, o.Opening = board.Rules{Columns: 2, Rows: 2, Connect: 2}, 4
	if _, _, err := run(t, o, "novice", "easy"); !errors.Is(err, errOpening) {
		t.Error(err)
	}
}

// The pairs play in turn. Each opening is played twice, with the colours exchanged, and none is
// played again before all have been.
func TestSchedule(t *testing.T) {
	o := short
	o.Rules, o.Opening = board.Rules{Columns: 4, Rows: 3, Connect: 3}, 4
	openings := 4*4*4*4 - 4 // all sequences but those with four discs in a column
	o.Games = 5 * openings
	last, seen, i := map[int]*Game{}, map[string]int{}, 0
	o.Players, _ = ParsePlayers([]string{"novice", "easy", "medium"})
	for g, err := range o.schedule(nil) {
		before := last[i%3]
		last[i%3] = g
		position := g.played.Position()
		key := fmt.Sprint(i%3, g.Red, g.Opening)
		seen[key]++
		switch {
		case err != nil || position.Ply() != 4 || position.Outcome() != board.Playing || before != nil && g.chance == before.chance:
			t.Fatalf("game %d: %+v, %v", i, g, err)
		case g.Number != 1+i/3 || seen[key] != 1+(g.Number-1)/(2*openings):
			t.Fatalf("game %d is the number %d, for the time %d: %+v", i, g.Number, seen[key], g)
		case g.Number%2 == 0 && (g.played != before.played || g.players != [2]*Player{before.players[1], before.players[0]}):
			t.Fatalf("game %d after %+v: %+v", i, before, g)
		}
		i++
	}
	if i != 3*o.Games {
		t.Errorf("%d games", i)
	}
}

// Programs without chance play as many different games as there are openings, and the interval is
// not narrower if they play more.
func TestRepeatedGames(t *testing.T) {
	o := short
	o.Rules, o.Opening, o.MoveTime = board.Rules{Columns: 3, Rows: 3, Connect: 3}, 1, time.Minute
	var widths []float64
	for _, o.Games = range []int{6, 18} {
		r, table, _ := hold(t, o, program("first"), strings.Replace(program("first"), "program", "other", 1))
		for _, s := range []Score{r.Players[0].Score, r.Players[1].Score, r.Pairs[0].Score} {
			if s.Games != o.Games || s.Differ != 6 {
				t.Errorf("%+v", s)
			}
			widths = append(widths, s.Interval[1]-s.Interval[0])
		}
		if strings.Contains(table, "\n6 of the 18 games differ") != (o.Games == 18) {
			t.Error(table)
		}
	}
	if !slices.Equal(widths[:3], widths[3:]) {
		t.Errorf("the intervals' widths: %v", widths)
	}
}

// On other boards with four in a line, the moves are scored that the solver reaches; with other lines
// none is.
func TestOtherBoards(t *testing.T) {
	o := short
	o.Games = 2
	o.Rules = board.Rules{Columns: 8, Rows: 8, Connect: 5}
	r, table, record := hold(t, o, "novice", "easy")
	if strings.Contains(table, "kept") || strings.Contains(record, "kept") || r.Players[0].Kept != nil {
		t.Errorf("%s%s", table, record)
	}
	o.Rules = board.FullMatrix
	if r, table, record = hold(t, o, "novice", "easy"); !strings.Contains(table, "kept") || !strings.Contains(record, "kept") || r.Players[0].Kept == nil {
		t.Errorf("%s%s", table, record)
	}
}

func TestParsePlayers(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("sub", 0o755))
	must(t, os.Mkdir("Max M", 0o755))
	for _, name := range []string{"bot.py", "bot", "sub/bot.py", "sub/sub.py", "Max M/bot.py"} {
		must(t, os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755))
	}
	for _, tt := range []struct {
		players, want string
	}{
		{"novice|2", "novice beginner"},
		{"easy|other=easy", "easy other"},
		{"./bot.py|a=./bot.py --depth=3", "bot a"},
		{"./bot.py --depth=3|Zoë=./bot.py", "bot Zoë"},
		{"./bot.py|bot=easy", "two players are called bot: name one, as in other=easy"},
		{"./bot.py|./bot", "two players are called bot: name one, as in other=./bot"},
		{"./bot.py|sub/bot.py", "bot sub"},
		{"sub/sub.py|easy", "sub easy"},
		{"Max M/bot.py|sub/bot.py", "Max M sub"},
		{"sub/bot.py|sub/bot.py --fast", "two players are called sub: name one, as in other=sub/bot.py --fast"},
		{"sh bot.py fast.sh|sh bot.py slow.sh -v", "fast slow"},
		{"easy", "a tournament needs two players, as in medium ./bot.py"},
		{"", "a tournament needs two players, as in medium ./bot.py"},
		{"novice|1", "two players are called novice: name one, as in other=1"},
		{"easy|grandmaster", "grandmaster: command not found; the levels are " + strings.Join(match.LevelNames(), ", ")},
		{"easy|bot.py", "bot.py is no command; for the file here, type ./bot.py; the levels are " + strings.Join(match.LevelNames(), ", ")},
		{"easy|a=", "there is no command: write one, as in ./bot.py; the levels are " + strings.Join(match.LevelNames(), ", ")},
		{"./no.py|easy|no/bot.py", "./no.py: no such file; no/bot.py: no such file"},
	} {
		var texts []string
		if tt.players != "" {
			texts = strings.Split(tt.players, "|")
		}
		players, err := ParsePlayers(texts)
		var names []string
		for _, p := range players {
			names = append(names, p.Name)
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.players, got, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	score := func(wins, draws, losses int) Score {
		s := Score{Games: wins + draws + losses, Differ: wins + draws + losses, Wins: wins, Draws: draws, Losses: losses}
		s.share()
		return s
	}
	r := &Results{Players: []*Standing{
		{Rank: 1, Name: "a_bot_with_a_very_long_name", Program: true, Score: score(1999, 1, 0), Kept: new(2. / 3), Median: 0.0123, Slowest: 12345, Faults: 1},
		{Rank: 2, Name: "Zoë", Score: score(0, 1, 999), Kept: new(0.), Median: 999.9, Slowest: 0.5},
		{Rank: 3, Name: "late"},
		{Rank: 3, Name: "later"},
	}, Pairs: []*Pair{{Players: [2]string{"a_bot_with_a_very_long_name", "Zoë"}, Score: score(1000, 0, 0)}}}
	var out strings.Builder
	must(t, r.Write(&out))
	const want = `time of a move          median  longest  faults
1 a_bot_with_a_very_l…   12 µs   12.3 s       1

score against, %        1    2  3  4
1 a_bot_with_a_very_l…  -  100  -  -
2 Zoë                   0    -  -  -
3 late                  -    -  -  -
4 later                 -    -  -  -

player                  games   won  drawn  lost   score        95 %    kept
1 a_bot_with_a_very_l…   2000  1999      1     0  99.9 %  99.8-100.0  66.7 %
2 Zoë                    1000     0      1   999   0.1 %     0.0-0.5     0 %
3 late                      0     0      0     0       -           -       -
3 later                     0     0      0     0       -           -       -
`
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", out.String(), want)
	}
}

var must = try.Must
