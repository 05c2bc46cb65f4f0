package game

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/match"
)

// senders are those of "as NAME: LINE".
var senders = map[string]Source{"red": {Holder, 1}, "yellow": {Holder, 2}, "nobody": {Holder, 3}, "terminal": {ID: 1}, "client": {Kind: Client}}

var players = map[string]board.Disc{"red": board.Red, "yellow": board.Yellow}

var (
	keyNames = map[string]Key{"up": Up, "down": Down, "left": Left, "right": Right, "middle": Middle}
	actions  = map[string]Action{"press": Pressed, "hold": Held, "release": Released}
	events   = map[string]Event{
		"undo": Undo, "hint": Hint, "pause": Pause, "back": Back, "less": Less, "more": More, "look": OpenLook,
		"take red": Take{Player: board.Red}, "take yellow": Take{Player: board.Yellow}, "leave": Leave{},
		"present": Present{}, "absent": Absent{}, "voice": Voice{}, "voice gone": Voice{Gone: true}, "end": End{},
	}
	numbered = map[string]func(n int) Event{ // columns and entries count from 1; an entry can be named instead
		"column": func(n int) Event { return Column{n - 1} },
		"point":  func(n int) Event { return Point{n - 1} },
		"select": func(n int) Event { return Select{n - 1} },
		"choose": func(n int) Event { return Choose{n - 1} },
		"admit":  func(n int) Event { return Admit{n} },
	}
)

// do runs one line of a script.
func (p *player) do(line string) error {
	if as, rest, ok := strings.Cut(strings.TrimPrefix(line, "as "), ": "); ok {
		p.from = senders[as]
		defer func() { p.from = Source{} }()
		line = rest
	}
	word, rest, _ := strings.Cut(line, " ")
	n, _ := strconv.Atoi(rest)
	switch word {
	case "resume":
		p.resume()
		return nil
	case "drops":
		p.drops(rest)
		return nil
	case "after":
		d, err := time.ParseDuration(rest)
		p.after(d)
		return err
	}
	ev := events[line]
	if key, ok := keyNames[rest]; ok {
		ev = Press{key, actions[word]}
	} else if numbered[word] != nil {
		if n == 0 && rest != "0" {
			n = 1 + slices.IndexFunc(p.state.View(p.now).Choices.All(), func(name string) bool { return strings.HasPrefix(name, rest) })
			if n == 0 {
				return fmt.Errorf("no entry is called %q", rest)
			}
		}
		ev = numbered[word](n)
	} else if ev == nil {
		ev = p.event(line)
	}
	if ev == nil {
		return fmt.Errorf("what is %q?", line)
	}
	p.step(ev)
	return nil
}

// event returns an event that depends on the game, or has more than one part; nil if there is no such event.
func (p *player) event(line string) Event {
	word, rest, _ := strings.Cut(line, " ")
	n, named := values(rest)
	last := Answered{ID: p.state.lastID}
	switch word {
	case "start", "force":
		c := scriptConfig(p.t, rest)
		s := Start{Setup: c.Setup, Force: word == "force", Seed: c.Seed}
		if p.from.Kind == Holder { // who also takes a seat
			s.Take.Player = board.Disc(p.from.ID)
		}
		return s
	case "configure":
		c := scriptConfig(p.t, rest)
		return Configure{Setup: c.Setup, Idle: c.Idle, MenuLevel: c.MenuLevel}
	case "withdraw":
		return Withdraw{p.state.admission.ID}
	case "disc": // a column, and the disc's number
		return Disc{n[0] - 1, n[1]}
	case "saved":
		return Saved{ID: p.state.saves}
	case "unsaved":
		return Saved{ID: p.state.saves, Failed: true}
	case "late": // an answer to the save before the last one
		return Saved{ID: p.state.saves - 1}
	case "advise", "estimate": // the columns' scores
		last.Advice = Advice{Score: [board.MaxSide]int(n[:]), Exact: word == "advise", Why: parseWhy(named["why"])}
	case "judge": // a ply from 1, the scores before and after it, and the columns' scores
		v := Verdict{Known: true, Before: int8(n[1]), After: int8(n[2]), Remark: Remark(named["remark"])}
		for i, worth := range n[3:10] {
			v.Worth[i] = int8(worth)
		}
		_, v.Decided = named["decided"]
		v.Why, v.Better = parseWhy(named["why"]), parseWhy(named["better"])
		last.More, last.Ply, last.Verdict = true, n[0]-1, v
	case "composed": // a position and the columns up to the win
		moves, line, _ := strings.Cut(rest, " ")
		last.Puzzle.Game, _ = board.ParseGame(board.Standard, board.Red, moves)
		for i, col := range line {
			last.Puzzle.Line[i] = uint8(col - '1')
		}
		last.Puzzle.Discs = (len(line) + 1) / 2
	case "chooses":
		last.Col = n[0] - 1
	case "stale":
		last.ID, last.Col = last.ID-1, n[0]-1
	case "reviewed", "nothought", "nohint":
		last.Failed = true
	default:
		return nil
	}
	return last
}

// values returns the numbers of a line, and what is named there: "6 1 -1 remark=under decided".
func values(text string) (numbers [10]int, named map[string]string) {
	named = map[string]string{}
	for i, field := range strings.Fields(text) {
		name, value, _ := strings.Cut(field, "=")
		var err error
		if numbers[min(i, 9)], err = strconv.Atoi(field); err != nil {
			named[name] = value
		}
	}
	return numbers, named
}

// TestGolden runs the scripts in testdata. A script has commands and, between them, what a panel
// shows: the picture after "frame", the rest of the view after "says". After "> COMMAND => " it is told in brief, and
// "watch" tells of every change until the game waits, up to an empty line.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.script")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".script"), func(t *testing.T) {
			was, err := os.ReadFile(file)
			must(t, err)
			golden.Check(t, file, runScript(t, string(was)))
		})
	}
}

// runScript runs a script, and returns it with the views that its commands lead to.
func runScript(t *testing.T, script string) string {
	t.Helper()
	var out strings.Builder
	var p *player
	lines := bufio.NewScanner(strings.NewReader(script))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		word, rest, _ := strings.Cut(line, " ")
		if word == ">" {
			command, _, _ := strings.Cut(rest, "=> ")
			command = strings.TrimSpace(command)
			if err := p.do(command); err != nil {
				t.Fatalf("line %d: %v", n, err)
			}
			fmt.Fprintf(&out, "> %-22s => %s\n", command, p.brief())
			p.effects = nil
			continue
		}
		fmt.Fprintln(&out, line)
		switch word {
		case "", "#":
		case "game":
			p = newPlayer(t, scriptConfig(t, rest))
		case "replay": // how many discs of the opening, and the rounds
			r := record(t, rest[2:])
			r.Opening = int(rest[0] - '0')
			p = &player{t: t, state: LookBack(r, start), now: start}
			p.step(Tick{})
			p.effects = nil
		case "watch":
			for lines.Scan() && lines.Text() != "" {
				n++
			}
			out.WriteString(p.watch() + "\n")
		case "frame":
			for range 8 {
				if !lines.Scan() {
					break
				}
				n++
			}
			out.WriteString(p.frame())
		case "says":
			if lines.Scan() {
				n++
			}
			fmt.Fprintln(&out, p.says())
		default:
			if err := p.do(line); err != nil {
				t.Fatalf("line %d: %v", n, err)
			}
		}
	}
	return out.String()
}

// watch tells, until the game waits for a key, for how long each thing is shown.
func (p *player) watch() string {
	var out strings.Builder
	p.effects = nil
	began, shown := p.now, p.brief()
	for {
		next, ok := p.state.Next(p.now)
		if ok {
			p.after(next.Sub(p.now))
		}
		if is := p.brief(); !ok || is != shown {
			fmt.Fprintf(&out, "  %6v %s\n", p.now.Sub(began).Round(time.Millisecond), shown)
			began, shown, p.effects = p.now, is, nil
		}
		if !ok {
			return out.String()
		}
	}
}

// brief says what is shown, and what the game has done.
func (p *player) brief() string {
	v := p.state.View(p.now)
	position := v.Game.Position()
	s := string(v.Phase)
	if v.Phase.InMatch() && v.Phase != Looking {
		s += fmt.Sprintf(", ply %d", position.Ply())
	}
	switch v.Phase {
	case Aim, Thinking, Fall:
		s += fmt.Sprintf(", cursor on %d", v.Cursor+1)
	case Reading:
		s += fmt.Sprintf(", column %d, row %d", v.Cursor+1, v.Row)
	case Looking:
		s += fmt.Sprintf(", %d:%s of %d discs", v.Look.Round, v.Game, v.Look.Discs)
		if v.Look.Variation != "" {
			s += fmt.Sprintf(", %s %d", v.Look.Variation, v.Look.Step)
		}
		if v.Look.Lost > 0 {
			s += fmt.Sprintf(", disc %d lost", v.Look.Lost)
		}
		if v.Look.Hurries() {
			s += ", hurries"
		}
	}
	for i, seat := range v.Seats {
		if seat.State != Open {
			s += fmt.Sprintf(", %s %s", []string{"red", "yellow"}[i], seat.State)
		}
	}
	if v.Choices.Page != "" {
		s += fmt.Sprintf(", %s: %s", v.Choices.Page, v.Choices.Name())
	}
	if v.Notice.Kind != NoticeNone {
		s += ", " + string(v.Notice.Kind)
	}
	if v.Notice.Column > 0 {
		s += fmt.Sprintf(" %d", v.Notice.Column)
	}
	for _, e := range p.effects {
		s += ", " + effectText(e)
	}
	return s
}

// says returns everything but the frame, in one line.
func (p *player) says() string {
	v := p.state.View(p.now)
	r := v.Match.Rules()
	s := fmt.Sprintf("%s, %s to move, %d-%d", p.brief(), r.Name(v.Game.Position().Turn()), v.Match.Points(board.Red), v.Match.Points(board.Yellow))
	if to := v.Match.Target(); to != 2 && to != 0 {
		s += fmt.Sprintf(" of %d", to)
	}
	if v.Solving.On {
		s += fmt.Sprintf(", %d to win, %d solved", v.Solving.Discs, v.Solving.InARow)
	}
	if v.Unsaved {
		s += ", unsaved"
	}
	p.effects = nil
	if next, ok := p.state.Next(p.now); ok {
		return fmt.Sprintf("%s, next in %v", s, next.Sub(p.now))
	}
	return s + ", asleep"
}

// effectText describes an effect in a few words.
func effectText(e Effect) string {
	moves := func(r Record) string {
		return strings.Join(r.Rounds(), "/")
	}
	switch e := e.(type) {
	case Save:
		how := "save"
		if e.Record.Left {
			how = "leave"
		}
		return fmt.Sprintf("%s %s %q", how, e.Record.ID, moves(e.Record))
	case Finish:
		how := "over"
		if e.Record.Count().Match.Winner() == board.Empty {
			how = "abandoned"
		}
		return fmt.Sprintf("%s %s %q", how, e.Record.ID, moves(e.Record))
	case Question:
		return "ask to " + string(e.Kind)
	case Refused:
		return "refused: " + e.Err.Error()
	}
	return fmt.Sprintf("%T", e)
}

func scriptConfig(t *testing.T, words string) Config {
	t.Helper()
	c := Config{Setup: Setup{Rules: board.Standard, Points: 2}, Seed: 1, Run: "run"}
	flags := map[string]*bool{"attract": &c.Attract, "waits": &c.Waits, "menu": &c.Menu, "forever": &c.Forever, "keeps": &c.Keeps}
	levels := map[string]*match.Level{"level": &c.Level, "menulevel": &c.MenuLevel, "lastlevel": &c.LastLevel}
	for _, word := range strings.Fields(words) {
		name, value, _ := strings.Cut(word, "=")
		if flag := flags[name]; flag != nil {
			*flag = true
			continue
		}
		var err error
		if level := levels[name]; level != nil {
			*level, err = match.ParseLevel(value)
			must(t, err)
			continue
		}
		switch name {
		case "board":
			c.Rules.Columns, c.Rules.Rows, err = board.ParseSize(value)
		case "connect":
			c.Rules.Connect, err = strconv.Atoi(value)
		case "points":
			c.Points, err = strconv.Atoi(value)
		case "first":
			c.First, err = board.ParseFirst(value)
		case "opening":
			c.Opening = value
		case "idle":
			c.Idle, err = time.ParseDuration(value)
		case "computer":
			c.Computer = players[value]
		case "last":
			c.Last = record(t, value)
		case "parked":
			m, _ := board.NewMatch(c.Rules, c.Points, c.First, 0)
			c.Parked = Record{ID: "kept", Match: m}
			c.Parked.Game, err = board.ParseGame(c.Rules, board.Red, value)
		default:
			err = fmt.Errorf("what is %q?", word)
		}
		must(t, err)
	}
	return c
}

// record returns a match with rounds, separated by slashes, on the standard board or, at the end of the text, another:
// "@5x5x5" has lines of five.
func record(t *testing.T, text string) Record {
	t.Helper()
	r := board.Standard
	text, other, _ := strings.Cut(text, "@")
	_, _ = fmt.Sscanf(other, "%dx%dx%d", &r.Columns, &r.Rows, &r.Connect)
	m, g, err := board.ParseMatch(r, 2, board.FirstAlternate, 0, strings.Split(text, "/"))
	must(t, err)
	return Record{ID: "x", Match: m, Game: g}
}

// parseWhy parses a reason's line and the columns and rows of its cells: LINE:CELLS.
func parseWhy(text string) (w Why) {
	line, cells, _ := strings.Cut(text, ":")
	for w.Line = line; cells != ""; cells = cells[2:] {
		w.Cells |= 1 << (board.MaxSide*int(cells[0]-'1') + int(cells[1]-'1'))
	}
	return w
}

var must = try.Must
