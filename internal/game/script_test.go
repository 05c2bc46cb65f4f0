package game

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/match"
)

var keyNames = map[string]Key{"up": Up, "down": Down, "left": Left, "right": Right, "middle": Middle}

var commands = map[string]Command{
	"undo": Undo, "hint": Hint, "pause": Pause, "back": Back, "less": Less, "more": More, "look": OpenLook,
}

// senders are those of "as NAME: LINE".
var senders = map[string]Source{"red": {Holder, 1}, "yellow": {Holder, 2}, "nobody": {Holder, 3}, "terminal": {ID: 1}, "client": {Kind: Client}}

var players = map[string]board.Disc{"red": board.Red, "yellow": board.Yellow}

// do runs one line of a script.
func (p *player) do(line string) error {
	if as, rest, ok := strings.Cut(strings.TrimPrefix(line, "as "), ": "); ok {
		p.from = senders[as]
		defer func() { p.from = Source{} }()
		line = rest
	}
	word, rest, _ := strings.Cut(line, " ")
	key, isKey := keyNames[rest]
	col, _ := strconv.Atoi(rest)
	command, isCommand := commands[line]
	switch {
	case (word == "press" || word == "hold" || word == "release") && isKey:
		action := map[string]Action{"press": Pressed, "hold": Held, "release": Released}[word]
		p.step(Press{key, action})
	case word == "column":
		p.step(Column{col - 1})
	case word == "point":
		p.step(Point{col - 1})
	case isCommand:
		p.step(command)
	case word == "select":
		p.step(Select{col - 1})
	case word == "choose":
		p.step(Choose{col - 1})
	case word == "voice": // "voice gone" is its end
		p.step(Voice{Gone: rest != ""})
	case word == "start", word == "force":
		c := scriptConfig(p.t, rest)
		s := Start{Setup: c.Setup, Force: word == "force", Seed: c.Seed}
		if p.from.Kind == Holder { // who also takes a seat
			s.Take.Player = board.Disc(p.from.ID)
		}
		p.step(s)
	case word == "configure":
		c := scriptConfig(p.t, rest)
		p.step(Configure{Setup: c.Setup, Idle: c.Idle, MenuLevel: c.MenuLevel})
	case word == "admit":
		p.step(Admit{col})
	case line == "withdraw":
		p.step(Withdraw{p.state.admission.ID})
	case word == "disc": // a column, and the disc's number
		var d Disc
		_, _ = fmt.Sscan(rest, &d.Col, &d.Number)
		p.step(Disc{d.Col - 1, d.Number})
	case word == "take":
		p.step(Take{Player: players[rest]})
	case line == "leave":
		p.step(Leave{})
	case line == "present":
		p.step(Present{})
	case line == "absent":
		p.step(Absent{})
	case line == "end":
		p.step(End{})
	case line == "resume":
		p.resume()
	case word == "drops":
		p.drops(rest)
	case word == "after":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		p.after(d)
	case word == "advise", word == "estimate":
		a := Answered{ID: p.state.lastID}
		a.Advice.Exact = word == "advise"
		for i, f := range strings.Fields(rest) {
			if why, ok := strings.CutPrefix(f, "why="); ok {
				a.Advice.Why = parseWhy(why)
				continue
			}
			score, err := strconv.Atoi(f)
			if err != nil {
				return err
			}
			a.Advice.Score[i] = score
		}
		p.step(a)
	case word == "judge": // a ply from 1, the scores before and after it, and the columns' scores; why=LINE:CELLS
		var n [10]int
		v := Verdict{Known: true}
		for i, f := range strings.Fields(rest) {
			name, why, ok := strings.Cut(f, "=")
			if v.Decided = v.Decided || f == "decided"; f == "decided" {
				continue
			}
			if name == "remark" {
				v.Remark = Remark(why)
				continue
			}
			if ok {
				*map[string]*Why{"why": &v.Why, "better": &v.Better}[name] = parseWhy(why)
				continue
			}
			n[i], _ = strconv.Atoi(f)
		}
		v.Before, v.After = int8(n[1]), int8(n[2])
		for i, worth := range n[3:] {
			v.Worth[i] = int8(worth)
		}
		p.step(Answered{ID: p.state.lastID, More: true, Ply: n[0] - 1, Verdict: v})
	case word == "composed": // a position and the columns up to the win
		moves, line, _ := strings.Cut(rest, " ")
		c := Answered{ID: p.state.lastID}
		var err error
		if c.Puzzle.Game, err = board.ParseGame(board.Standard, board.Red, moves); err != nil {
			return err
		}
		for i, col := range line {
			c.Puzzle.Line[i] = uint8(col - '1')
		}
		c.Puzzle.Discs = (len(line) + 1) / 2
		p.step(c)
	case word == "chooses":
		p.step(Answered{ID: p.state.lastID, Col: col - 1})
	case line == "saved":
		p.step(Saved{ID: p.state.saves})
	case line == "not saved":
		p.step(Saved{ID: p.state.saves, Failed: true})
	case line == "saved before":
		p.step(Saved{ID: p.state.saves - 1})
	case word == "stale":
		p.step(Answered{ID: p.state.lastID - 1, Col: col - 1})
	case line == "reviewed", line == "nothought", line == "nohint":
		p.step(Answered{ID: p.state.lastID, Failed: true})
	default:
		return fmt.Errorf("what is %q?", line)
	}
	return nil
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

// says returns everything but the frame, in one line.
func (p *player) says() string {
	v := p.state.View(p.now)
	position := v.Game.Position()
	r := position.Rules()
	s := fmt.Sprintf("%v, ply %d, %v to move, %d-%d", v.Phase, position.Ply(), r.Name(position.Turn()),
		v.Match.Points(board.Red), v.Match.Points(board.Yellow))
	if to := v.Match.Target(); to != 2 && to != 0 {
		s += fmt.Sprintf(" of %d", to)
	}
	if v.Phase == Aim || v.Phase == Thinking {
		s += fmt.Sprintf(", cursor on %d", v.Cursor+1)
	}
	if v.Phase == Reading {
		s += fmt.Sprintf(", column %d, row %d", v.Cursor+1, v.Row)
	}
	if v.Phase == Looking {
		s += fmt.Sprintf(", of %d", v.Look.Discs)
	}
	s += seatsText(v)
	if v.Solving.On {
		s += fmt.Sprintf(", %d to win, %d solved", v.Solving.Discs, v.Solving.InARow)
	}
	if v.Unsaved {
		s += ", unsaved"
	}
	for _, more := range []string{pageText(v.Choices), noticeText(v.Notice)} {
		if more != "" {
			s += ", " + more
		}
	}
	for _, e := range p.effects {
		s += ", " + effectText(e)
	}
	p.effects = nil
	if next, ok := p.state.Next(p.now); ok {
		return fmt.Sprintf("%s, next in %v", s, next.Sub(p.now))
	}
	return s + ", asleep"
}

// seatsText names the seats that are not open.
func seatsText(v View) (s string) {
	for i, seat := range v.Seats {
		if seat.State != Open {
			s += fmt.Sprintf(", %s %s", []string{"red", "yellow"}[i], seat.State)
		}
	}
	return s
}

// noticeText names a notice, and its column if it has one.
func noticeText(n Notice) string {
	if n.Column > 0 {
		return fmt.Sprintf("%s %d", n.Kind, n.Column)
	}
	return string(n.Kind)
}

// pageText names the page that is shown and the chosen entry.
func pageText(c Choices) string {
	if c.Page == "" {
		return ""
	}
	return c.Page + ": " + c.Name()
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
	for _, word := range strings.Fields(words) {
		name, value, _ := strings.Cut(word, "=")
		var err error
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
		case "attract":
			c.Attract = true
		case "waits":
			c.Waits = true
		case "menu":
			c.Menu = true
		case "computer":
			c.Computer = players[value]
		case "last":
			c.Last = record(t, value)
		case "level":
			c.Level, err = match.ParseLevel(value)
		case "forever":
			c.Forever = true
		case "keeps":
			c.Keeps = true
		case "menulevel":
			c.MenuLevel, err = match.ParseLevel(value)
		case "lastlevel":
			c.LastLevel, err = match.ParseLevel(value)
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
