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

// do runs one line of a script.
func (p *player) do(line string) error {
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
		p.step(Start{Setup: c.Setup, Force: word == "force", Seed: c.Seed})
	case word == "admit":
		p.step(Admit{col})
	case line == "withdraw":
		p.step(Withdraw{p.state.admission.ID})
	case word == "remote" && keyNames[rest] != 0: // a key of a client
		p.stepFrom(Press{Key: keyNames[rest]}, Source{Kind: Client})
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
	case word == "reviewed":
		p.step(Answered{ID: p.state.lastID, Failed: true})
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
	case word == "nothought":
		p.step(Answered{ID: p.state.lastID, Failed: true})
	case word == "nohint":
		p.step(Answered{ID: p.state.lastID, Failed: true})
	default:
		return fmt.Errorf("what is %q?", line)
	}
	return nil
}

// TestGolden runs the scripts in testdata. A script has commands and, between them, what a panel
// shows: the picture after "frame", the rest of the view after "says".
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
		fmt.Fprintln(&out, line)
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
		case "game":
			p = newPlayer(t, scriptConfig(t, rest))
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

// says returns everything but the frame, in one line.
func (p *player) says() string {
	v := p.state.View(p.now)
	position := v.Game.Position()
	r := position.Rules()
	s := fmt.Sprintf("%v, ply %d, %v to move, %d-%d", v.Phase, position.Ply(), r.Name(position.Turn()),
		v.Match.Points(board.Red), v.Match.Points(board.Yellow))
	if v.Phase == Aim || v.Phase == Thinking {
		s += fmt.Sprintf(", cursor on %d", v.Cursor+1)
	}
	if v.Phase == Reading {
		s += fmt.Sprintf(", column %d, row %d", v.Cursor+1, v.Row)
	}
	if v.Phase == Looking {
		s += fmt.Sprintf(", of %d", v.Look.Discs)
	}
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

// noticeText names a notice, and its column if it has one.
func noticeText(n Notice) string {
	if n.NamesColumn() {
		return fmt.Sprintf("%s %d", n.Kind, n.Column+1)
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
		if e.Abandoned {
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
			c.Computer = map[string]board.Disc{"red": board.Red, "yellow": board.Yellow}[value]
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

// parseWhy parses a reason's line and the columns and rows of its cells: LINE:CELLS.
func parseWhy(text string) (w Why) {
	line, cells, _ := strings.Cut(text, ":")
	for w.Line = line; cells != ""; cells = cells[2:] {
		w.Cells |= 1 << (board.MaxSide*int(cells[0]-'1') + int(cells[1]-'1'))
	}
	return w
}

var must = try.Must
