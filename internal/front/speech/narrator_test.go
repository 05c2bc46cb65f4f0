package speech

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// table is a game on the service's HAT, whose every view a narrator hears.
type table struct {
	t     *testing.T
	out   *strings.Builder
	now   time.Time
	state *game.Game
	n     *Narrator
	reply string          // the computer's next columns
	keys  map[string]bool // that were told
}

func sit(t *testing.T, brief bool, c game.Config, out *strings.Builder) *table {
	t.Helper()
	c.Attract, c.Forever = true, true
	now := time.Unix(0, 0)
	s, err := game.New(c, now)
	if err != nil {
		t.Fatal(err)
	}
	x := &table{t, out, now, s, NewNarrator(brief), "", map[string]bool{"": true}}
	x.do(game.Voice{})
	return x
}

// do passes an event to the game, answers its questions, and hears the view.
func (x *table) do(ev game.Event) {
	effects := x.state.Step(x.now, ev)
	for _, e := range effects {
		q, _ := e.(game.Question)
		switch q.Kind {
		case game.Think:
			col := int(x.now.UnixMilli()) % 7 // in the demo
			if x.state.Phase() == game.Thinking {
				col, x.reply = int(x.reply[0]-'1'), x.reply[1:]
			}
			x.do(game.Answered{ID: q.ID, Col: col})
		case game.Advise:
			x.do(game.Answered{ID: q.ID, Advice: game.Advice{Exact: true, Score: [8]int{-2, -1, 0, 5, 5, -1, -2}}})
		case game.Review:
			for ply := q.Game.Position().Ply() - 1; ply >= 0; ply-- {
				v := game.Verdict{Known: true}
				if ply == 4 {
					v.Before, v.After, v.Worth = 18, -18, [8]int8{-18, -18, -18, 18, -18, -18, -18}
				}
				x.do(game.Answered{ID: q.ID, More: true, Ply: ply, Verdict: v})
			}
			x.do(game.Answered{ID: q.ID, Failed: true})
		case game.Compose:
			g, err := board.ParseGame(board.Standard, board.Red, "112233")
			if err != nil {
				x.t.Fatal(err)
			}
			p := game.Puzzle{Game: g, Discs: 1}
			p.Line[0] = 3
			x.do(game.Answered{ID: q.ID, Puzzle: p})
		}
	}
	x.hear(x.state.View(x.now))
}

func (x *table) hear(v game.View) {
	must, shown := x.n.Tell(v)
	for _, text := range must {
		fmt.Fprintf(x.out, "%6.2f  ! %s\n", float64(x.now.UnixMilli())/1000, text)
	}
	if shown != "" {
		fmt.Fprintf(x.out, "%6.2f    %s\n", float64(x.now.UnixMilli())/1000, shown)
	}
	if keys := words.Keys(&v); !x.keys[keys] {
		x.keys[keys] = true
		fmt.Fprintf(x.out, "%6.2f      %s\n", float64(x.now.UnixMilli())/1000, keys)
	}
}

// wait lets time pass.
func (x *table) wait(d time.Duration) {
	for end := x.now.Add(d); ; {
		next, ok := x.state.Next(x.now)
		if !ok || next.After(end) {
			x.now = end
			return
		}
		x.now = next
		x.do(game.Tick{})
	}
}

// play presses keys, each half a second after the one before.
func (x *table) play(keys string) {
	codes := map[string]game.Key{"up": game.Up, "down": game.Down, "left": game.Left, "right": game.Right, "press": game.Middle}
	for _, word := range strings.Fields(keys) {
		if d, err := time.ParseDuration(word); err == nil {
			x.wait(d)
			continue
		}
		fmt.Fprintf(x.out, "%6.2f> %s\n", float64(x.now.UnixMilli())/1000, word)
		x.do(game.Press{Key: codes[word]})
		x.do(game.Press{Key: codes[word], Action: game.Released})
		x.wait(500 * time.Millisecond)
	}
}

// An evening by ear: the menu, a match against the computer with a hint, an undo, a full column and
// the board read, its end, the look back and a puzzle. ! marks what nobody may miss.
func TestEvening(t *testing.T) {
	for _, brief := range []bool{true, false} {
		var out strings.Builder
		x := sit(t, brief, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Idle: 10 * time.Minute}, &out)
		x.reply = "17171717"
		x.play("1s press right press right left press")
		x.play("left press 2s up right right press 21s up right press 1s press 2s")
		x.play("up left press left up up right press")
		x.play("right press 1s left 1s press 1s right 1s right press 10s")
		x.play("up right right press 1s left left press press up up up up")
		x.play("right press press 1s left press 1s right press 4s press 4s up up press 70s")
		x.play("11m press")
		golden.Check(t, "testdata/evening-"+map[bool]string{true: "short", false: "full"}[brief]+".golden", out.String())
	}
}

// Two people, a key that is refused twice, a listener who comes late, a draw, a match that is ended, and a computer that takes both discs back.
func TestHeard(t *testing.T) {
	var out strings.Builder
	small := game.Setup{Rules: board.Rules{Columns: 2, Rows: 2, Connect: 2}, Points: 2}
	x := sit(t, true, game.Config{Setup: small}, &out)
	x.play("press press 1s press 1s press 1s left press 1s press 4s")
	_, late := NewNarrator(true).Tell(x.state.View(x.now))
	fmt.Fprintf(&out, "late      %s\n", late)
	away := func() {
		lost := x.state.View(x.now)
		for _, is := range []bool{true, true, false} {
			lost.Lost = is
			x.hear(lost)
		}
	}
	away()
	x.play("up right right press 1s press 1s up up press") // a hint, closed by a key
	away()
	x.play("press 1s up up press right press 1s up up press") // the match is resumed and left again, and another one begins without a disc
	x.do(game.Admit{Digit: 5})
	x.play("2s up")
	golden.Check(t, "testdata/heard.golden", out.String())
}

// At a later turn of a puzzle the column of the cursor does not sound as if it won.
func TestPuzzleTurn(t *testing.T) {
	n := NewNarrator(true)
	v := game.View{Phase: game.Aim, UnderWay: true, Solving: game.Solving{On: true, Discs: 1}}
	v.Game, _ = board.ParseGame(board.Standard, board.Red, "1122")
	n.Tell(v)
	v.Game, _ = board.ParseGame(board.Standard, board.Red, "112233")
	v.Cursor = 3
	if _, shown := n.Tell(v); shown != "red moves and wins with 1 disc; above column 4" {
		t.Error(shown)
	}
}

// What doc/listening.md says that a listener hears was heard that evening.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../doc/listening.md")
	if err != nil {
		t.Fatal(err)
	}
	evening, err := os.ReadFile("testdata/evening-short.golden")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| you hear |")
	table, _, _ = strings.Cut(table, "\n\n")
	heard := regexp.MustCompile(`\*([^*]+)\*`).FindAllStringSubmatch(table, -1)
	rest := string(evening)
	for _, m := range heard {
		at := strings.Index(rest, m[1])
		if at < 0 {
			t.Fatalf("doc/listening.md: %q was not heard after what comes before it", m[1])
		}
		rest = rest[at:]
	}
	if len(heard) < 20 {
		t.Error("only", heard)
	}
}
