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
	"github.com/c4hat/c4hat/internal/golden"
)

// player drives a state through time for a test, and checks at every step that
// the picture changes exactly when Next says it may.
type player struct {
	t       *testing.T
	state   State
	now     time.Time
	effects []Effect
	kept    Record // the last one
	random  bool   // the computer plays anything, and at once
}

var start = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

func newPlayer(t *testing.T, c Config) *player {
	t.Helper()
	s, err := New(c, start)
	if err != nil {
		t.Fatal(err)
	}
	p := &player{t: t, state: s, now: start}
	p.step(Tick{}) // as the loop does
	return p
}

func (p *player) step(ev Event) {
	var effects []Effect
	p.state, effects = p.state.Step(p.now, ev)
	for _, e := range effects {
		// The demo's computers play anything.
		if think, ok := e.(Think); ok && (p.random || p.state.phase == Attract) {
			p.step(ThinkFailed{think.ID})
			continue
		}
		if save, ok := e.(Save); ok {
			p.kept = save.Record
		}
		p.effects = append(p.effects, e)
	}
}

// resume goes on in another run of the program with what was kept last.
func (p *player) resume() {
	p.t.Helper()
	c := p.state.config
	c.Run += "again"
	s, err := Resume(c, p.kept, p.now)
	if err != nil {
		p.t.Fatal(err)
	}
	p.state, p.effects = s, nil
	p.step(Tick{})
}

// after lets time pass as the loop does: asleep until Next.
func (p *player) after(d time.Duration) {
	p.t.Helper()
	end := p.now.Add(d)
	for {
		next, ok := p.state.Next(p.now)
		if ok && !next.After(p.now) {
			p.t.Fatalf("%v: Next is %v from now", p.state.phase, next.Sub(p.now))
		}
		still := end
		if ok && !next.After(end) {
			still = next.Add(-1)
		}
		if still.After(p.now) && p.state.View(still) != p.state.View(p.now) {
			p.t.Fatalf("%v: the view changes before Next", p.state.phase)
		}
		if !ok || next.After(end) {
			p.now = end
			p.step(Tick{})
			return
		}
		p.now = next
		p.step(Tick{})
	}
}

// settle waits until the game waits for somebody.
func (p *player) settle() {
	p.t.Helper()
	for p.state.phase == Fall {
		p.after(10 * time.Millisecond)
	}
}

// drops plays moves written as columns from 1.
func (p *player) drops(moves string) {
	p.t.Helper()
	for _, c := range moves {
		if p.state.phase != Aim {
			p.t.Fatalf("column %c: the phase is %v, not aim", c, p.state.phase)
		}
		if p.state.tooSoon(p.now) {
			p.after(dropAgain)
		}
		p.step(Column{int(c - '1')})
		p.settle()
	}
}

func (p *player) frame() string { return letters(p.state.View(p.now).Frame) }

func letters(f Frame) string {
	var s strings.Builder
	for i, c := range f {
		s.WriteByte(Letter(c))
		if i%8 == 7 {
			s.WriteByte('\n')
		}
	}
	return s.String()
}

var keyNames = map[string]Key{"up": Up, "down": Down, "left": Left, "right": Right, "middle": Middle}

// do runs one line of a script.
func (p *player) do(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	key, isKey := keyNames[rest]
	col, _ := strconv.Atoi(rest)
	switch {
	case (word == "press" || word == "hold" || word == "release") && isKey:
		action := map[string]Action{"press": Pressed, "hold": Held, "release": Released}[word]
		p.step(Press{key, action})
	case word == "column":
		p.step(Column{col - 1})
	case word == "point":
		p.step(Point{col - 1})
	case word == "undo":
		p.step(Undo)
	case word == "hint":
		p.step(Hint)
	case word == "pause":
		p.step(Pause)
	case word == "quit":
		p.step(Quit{})
	case word == "start", word == "force":
		c := scriptConfig(p.t, rest)
		p.step(Start{Setup: c.Setup, Force: word == "force", Seed: c.Seed})
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
	case word == "advise":
		a := Advised{ID: p.state.lastID}
		for i, f := range strings.Fields(rest) {
			score, err := strconv.Atoi(f)
			if err != nil {
				return err
			}
			a.Advice.Score[i] = score
		}
		p.step(a)
	case word == "chooses":
		p.step(Chosen{ID: p.state.lastID, Col: col - 1})
	case word == "stale":
		p.step(Chosen{ID: p.state.lastID - 1, Col: col - 1})
	case word == "nothought":
		p.step(ThinkFailed{ID: p.state.lastID})
	case word == "nohint":
		p.step(AdviceFailed{ID: p.state.lastID})
	default:
		return fmt.Errorf("what is %q?", line)
	}
	return nil
}

// TestGolden runs the scripts in testdata: lines that are done, and between them
// what is seen then. "frame" is followed by the picture, "says" by everything
// else a panel is told.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.script")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".script"), func(t *testing.T) {
			was, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, file, runScript(t, string(was)))
		})
	}
}

// runScript gives the script back with what was seen.
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

// says is everything but the frame, in a line.
func (p *player) says() string {
	v := p.state.View(p.now)
	position := v.Game.Position()
	r := position.Rules()
	s := fmt.Sprintf("%v, ply %d, %v to move, %d-%d", v.Phase, position.Ply(), r.Name(position.Turn()),
		v.Match.Points(board.Red), v.Match.Points(board.Yellow))
	if v.Phase == Aim || v.Phase == Thinking {
		s += fmt.Sprintf(", cursor on %d", v.Cursor+1)
	}
	for _, more := range []string{v.Item, v.Notice.String()} {
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

// effectText is an effect in a few words.
func effectText(e Effect) string {
	moves := func(r Record) string {
		return strings.Join(append(r.Match.Games(), r.Game.String()), "/")
	}
	switch e := e.(type) {
	case Save:
		return fmt.Sprintf("save %s %q", e.Record.ID, moves(e.Record))
	case Finish:
		how := "over"
		if e.Abandoned {
			how = "abandoned"
		}
		return fmt.Sprintf("%s %s %q", how, e.Record.ID, moves(e.Record))
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
		case "computer":
			c.Computer = map[string]board.Disc{"red": board.Red, "yellow": board.Yellow}[value]
		case "level":
			c.Level, err = strconv.Atoi(value)
		case "forever":
			c.Forever = true
		default:
			err = fmt.Errorf("what is %q?", word)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}
