package words

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/game"
)

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		connect     int
		moves, want string
	}{
		{4, "", ""},
		{4, "1122334", "columns 1 to 4, row 1"},
		{4, "7676767", "column 7, rows 1 to 4"},
		{4, "12233434474", "columns 1 to 4, rows 1 to 4"},
		{4, "76655454414", "columns 4 to 7, rows 4 to 1"},
		{4, "11223355664", "columns 1 to 6, row 1"}, // two overlapping lines, named as one
		{4, "346731344757513", "column 3, rows 1 to 4 and columns 3 to 6, rows 4 to 1"},
		{3, "44752162667333", "columns 1 to 3, rows 1 to 3 and columns 3 to 5, rows 3 to 1"},
	} {
		r := board.Standard
		r.Connect = tt.connect
		p, err := board.Parse(r, tt.moves)
		if err != nil {
			t.Error(tt.moves, err)
			continue
		}
		if got := Lines(p); got != tt.want {
			t.Errorf("%s: %q, want %q\n%v", tt.moves, got, tt.want, p)
		}
	}
}

// What is said of matches that wait, run and have ended.
func TestRecords(t *testing.T) {
	var out strings.Builder
	const draw = "121212212121343434434343565656656565777777"
	for _, tt := range []struct {
		first  board.First
		rounds []string
	}{
		{board.FirstRed, []string{""}},
		{board.FirstRed, []string{"4453"}},
		{board.FirstRed, []string{"1212121"}},
		{board.FirstAlternate, []string{"1212121", ""}},
		{board.FirstAlternate, []string{"1212121", "4"}},
		{board.FirstLoser, []string{"1212121", "1212121"}},
		{board.FirstLoser, []string{draw, ""}},
	} {
		r := game.Record{ID: "a"}
		var err error
		if r.Match, r.Game, err = board.ParseMatch(board.Standard, 2, tt.first, 0, tt.rounds); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "== %s\n", strings.Join(tt.rounds, " "))
		for _, r := range slices.Compact([]game.Record{r, r.Count()}) {
			fmt.Fprintf(&out, "%s\n  %s\n  %s\n", Record(r), Ended(r), WouldReplace(r, "X"))
		}
	}
	m, g, _ := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"1212121"})
	won, bot := game.Record{Match: m, Game: g}.Count(), game.Seat{Holder: "./bot.py"}
	for _, computer := range []board.Disc{board.Empty, board.Red, board.Yellow} {
		for _, seats := range [][2]game.Seat{{}, {bot}, {{}, bot}} {
			won.Computer = computer
			fmt.Fprintf(&out, "computer %v, seats %v: %s\n", computer, seats, Person(won, seats))
		}
	}
	golden.Check(t, "testdata/records.golden", out.String())
}

// A listener who wants few words hears why a column is best, unless the reason is that a perfect player sees
// far.
func TestBriefHint(t *testing.T) {
	p, _ := board.ParseGame(board.Standard, board.Red, "31")
	for why, want := range map[game.Why]string{
		{Kind: game.Blocks, Cells: 1 << 24, Line: "4"}: "Column 4 wins: it blocks yellow.",
		{Kind: game.Distance, Line: "4"}:               "Column 4 wins.",
	} {
		said := ""
		n := Narrator{Brief: true, Say: func(text string, _ bool) { said = text }}
		n.Last.Game = p
		n.Last.Advice = game.Advice{Exact: true, Score: [8]int{3: 2}, Why: why}
		if n.Hint(); said != want {
			t.Errorf("%q, want %q", said, want)
		}
	}
}

// What the other sentences say of a full column, of dark LEDs, and of a best column that only delays.
func TestRareSentences(t *testing.T) {
	full, err := board.Parse(board.Standard, "121212212121")
	if err != nil {
		t.Fatal(err)
	}
	only := func(score int) string {
		v := &game.View{Advice: game.Advice{Exact: true, Why: game.Why{Kind: game.Only}}}
		v.Game, _ = board.ParseGame(board.Standard, board.Red, "")
		for col := range v.Advice.Score {
			v.Advice.Score[col] = score
		}
		return Because(v)
	}
	dark := &game.View{Phase: game.Dark}
	dark.Match, _ = board.NewMatch(board.Standard, 2, board.FirstRed, 0)
	dark.Game = dark.Match.NewGame()
	equal := &game.View{Advice: game.Advice{Exact: true}}
	equal.Game, _ = board.ParseGame(board.Standard, board.Red, "")
	for want, got := range map[string]string{
		"column 4 keeps the draw; columns 1, 2, 3, 5, 6 and 7 draw too":   Hint(equal, false),
		"Column 1 is full: red, red, red, yellow, yellow, yellow on top.": Column(full, 0),
		"every other column loses":                                        only(0),
		"":                                                                only(-3),
		"nobody plays: the LEDs are dark":                                 Status(dark),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Cells are named as a person would.
func TestCells(t *testing.T) {
	for _, tt := range []struct {
		cells game.Cells
		rows  bool
		want  string
	}{
		{1<<16 | 1<<40, false, "columns 3 and 6"}, {1 << 17, true, "column 3, row 2"},
		{1<<1 | 1<<2, false, "column 1, rows 2 and 3"}, {1<<1 | 1<<9, true, "column 1, row 2, and column 2, row 2"},
	} {
		if got := cells(tt.cells, tt.rows); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// At the end of a round, a look back names the disc that lost the game.
func TestLost(t *testing.T) {
	v := game.View{Phase: game.Looking, Look: game.Look{Round: 1, Rounds: 1, Discs: 7, Exact: true, Lost: 3}}
	v.Match, _ = board.NewMatch(board.Standard, 1, board.FirstRed, 0)
	v.Game, _ = board.ParseGame(board.Standard, board.Red, "1212121")
	if got := Of(&v).Event; got != "red: column 1, row 4. Red lost the game with disc 3" {
		t.Errorf("at the end: %q", got)
	}
	_ = v.Game.Undo()
	if got := Of(&v).Event; got != "yellow: column 2, row 3" {
		t.Errorf("before the end: %q", got)
	}
}

// While a long variation hurries, neither a voice nor the page's text follows each disc; where it stops and
// where it ends is said.
func TestHurries(t *testing.T) {
	line := "34343565656656565777"
	v := game.View{Phase: game.Looking}
	v.Match, _ = board.NewMatch(board.Standard, 2, board.FirstRed, 0)
	v.Game, _ = board.ParseGame(board.Standard, board.Red, "4343")
	v.Look = game.Look{Round: 1, Rounds: 1, Discs: 4, Plays: true, Variation: game.Refutation}
	v.Look.Last = game.Verdict{Known: true, Before: 1, After: -1, Why: game.Why{Kind: game.Distance, Line: line}}
	var said, events []string
	n := Narrator{Brief: true, Say: func(text string, _ bool) { said = append(said, text) }}
	tell := func() {
		if n.Tell(v); len(events) == 0 || events[len(events)-1] != Of(&v).Event {
			events = append(events, Of(&v).Event)
		}
	}
	for v.Look.Step = range 21 {
		tell()
	}
	v.Look.Step = 7
	tell()
	v.Look.Plays = false
	tell()
	if got := strings.Join(said, "; "); got != "Looking back.; what follows disc 4: column 3, then 19 more discs; yellow 7; red 6" {
		t.Errorf("said %s", got)
	}
	if len(events) != 4 {
		t.Errorf("the page's text was %q", events)
	}
}

// A draw has no line, and nobody wins it, not even the person who plays against the computer.
func TestDrawAgainstComputer(t *testing.T) {
	m, g, err := board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{"121212212121343434434343565656656565777777"})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	n := Narrator{Plays: true, Say: func(text string, _ bool) { said = append(said, text) }}
	n.Last = game.View{Phase: game.Fall, UnderWay: true, Record: game.Record{ID: "a", Match: m, Game: g, Computer: board.Yellow, Level: 1}}
	n.Tell(game.View{Phase: game.Drawn, UnderWay: true, Record: n.Last.Count()})
	if got := strings.Join(said, "; "); got != "draw (red 0, yellow 0)" {
		t.Errorf("said %s", got)
	}
}

// Every phase has its sentences.
func TestScreens(t *testing.T) {
	text, err := os.ReadFile("../game/phase.go")
	if err != nil {
		t.Fatal(err)
	}
	phases := regexp.MustCompile(`Phase += "(.*?)"`).FindAllStringSubmatch(string(text), -1)
	for _, name := range phases {
		if _, ok := screens[game.Phase(name[1])]; !ok {
			t.Errorf("%s has no line in screens", name[1])
		}
	}
	if len(phases) != len(screens) {
		t.Errorf("%d phases, and %d in screens", len(phases), len(screens))
	}
}

// Foreign text stays on one line, and no escape reaches a terminal.
func TestForeign(t *testing.T) {
	full := strings.Repeat("x", longestQuote)
	for text, want := range map[string]string{"a\n\x1b[m": `"a\n\x1b[m"`, full: `"` + full + `"`, full + "\x1b": `"` + full + `" and so on`} {
		if got := Quote(text); got != want {
			t.Errorf("%q is quoted as %s, want %s", text, got, want)
		}
	}
	if got := Clean("a\x1b[2Jé\n\tb\u202e"); got != "a?[2Jé b?" {
		t.Errorf("%q", got)
	}
}
