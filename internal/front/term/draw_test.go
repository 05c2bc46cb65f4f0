package term

import (
	"cmp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/vt"
)

// colourless is a simulated terminal without colours.
type colourless struct{ tcell.Screen }

func (colourless) Colors() int { return 0 }

// text returns what a screen shows, without trailing blanks.
func text(screen tcell.Screen) string {
	width, height := screen.Size()
	var out strings.Builder
	for y := range height {
		line := ""
		for x := range width {
			cell, _, _ := screen.Get(x, y)
			line += cmp.Or(cell, " ")
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

// versus is a match against the computer, for views in which a program plays the other side.
var versus = game.Config{Setup: game.Setup{Computer: board.Yellow, Level: match.Novice}}

func failed(v *game.View) {
	v.Failed = "ended with exit status 1: NameError: name 'colum' is not defined"
}

var leave = []game.Event{game.Back, game.Choose{Entry: 3}}

func TestScreens(t *testing.T) {
	scores := game.Advice{Exact: true, Score: [8]int{-16, -2, 0, 1, 18, 0, -1}}
	tests := []struct {
		name          string
		width, height int
		charset       string
		mono          bool
		config        game.Config
		events        []game.Event
		mark          func(*game.View)
	}{
		{name: "aim", events: drops("4453")},
		{name: "aim letters", mono: true, events: drops("4453")},
		{name: "aim ascii", charset: "US-ASCII", events: drops("4453")},
		{name: "full matrix letters", mono: true, config: game.Config{Setup: game.Setup{Rules: board.FullMatrix}}, events: drops("4453")},
		{name: "large", width: 80, height: 24, events: drops("4453")},
		{name: "large ascii", charset: "US-ASCII", width: 80, height: 24, events: drops("4453")},
		{name: "large letters", mono: true, width: 80, height: 24, events: drops("4453")},
		{name: "large full matrix", width: 80, height: 24, config: game.Config{Setup: game.Setup{Rules: board.FullMatrix}}, events: drops("4453")},
		{name: "small board", width: 80, height: 24, config: game.Config{Setup: game.Setup{Rules: board.Rules{Columns: 5, Rows: 4, Connect: 4}}}, events: drops("4453")},
		{name: "larger", width: 120, height: 40, events: drops("4453")},
		{name: "too small", width: 39, height: 12, events: drops("4453")},
		{name: "too low", width: 40, height: 11},
		{name: "tiny", width: 9, height: 1},
		{name: "long game 8x8", config: game.Config{Setup: game.Setup{Rules: board.FullMatrix}},
			events: drops("371851745455371763123314385371828137455856876422824618474222666")},
		{name: "full column", events: append(drops("444444"), game.Press{Key: game.Right}, game.Press{Key: game.Middle})},
		{name: "nothing to undo", events: []game.Event{game.Undo}},
		{name: "cheer letters", mono: true, events: drops("1212121")},
		{name: "pause", mono: true, events: []game.Event{game.Pause}},
		{name: "hint", events: append(drops("4"), game.Hint, game.Answered{ID: 1, Advice: scores})},
		{name: "hint against the computer", config: game.Config{Setup: game.Setup{Computer: board.Yellow, Level: match.Perfect, Opening: "4453"}},
			events: []game.Event{game.Hint, game.Answered{ID: 1, Advice: scores}}},
		{name: "hint 80x21", width: 80, height: 21, events: append(drops("44"), game.Hint, game.Answered{ID: 1, Advice: scores})},
		{name: "hint 8x8", config: game.Config{Setup: game.Setup{Rules: board.FullMatrix}},
			events: append(drops("44"), game.Hint, game.Answered{ID: 1, Advice: game.Advice{Score: [8]int{-16, -2, 0, 1, 18, 0, -1, -3}}})},
		{name: "hint on a full column", events: append(drops("444444"), game.Hint, game.Answered{ID: 1})},
		{name: "the computer has moved", config: game.Config{Setup: game.Setup{Computer: board.Yellow, Level: match.Perfect}},
			events: append(drops("4"), game.Answered{ID: 1, Col: 2}, game.Press{Key: game.Left})},
		{name: "attract", mono: true, config: game.Config{Attract: true}},
		{name: "menu", mono: true, config: game.Config{Attract: true},
			events: []game.Event{game.Press{Key: game.Left}, game.Press{Key: game.Right}, game.Press{Key: game.Right}}},
		{name: "menu, who starts", config: game.Config{Attract: true, Setup: game.Setup{First: board.FirstAlternate}},
			events: []game.Event{game.Press{Key: game.Left}, game.Press{Key: game.Left}}},
		{name: "menu, a match waits", mono: true, config: game.Config{Forever: true}, events: append(drops("4453"), leave...)},
		{name: "a match begins, another waits", mono: true, config: game.Config{Forever: true}, events: append(append(drops("4453"), leave...), game.Choose{Entry: 1})},
		{name: "dark", mono: true, config: game.Config{Idle: 3 * time.Second}, events: append(drops("4453"), game.Tick{}, game.Tick{}, game.Tick{})},
		{name: "you win the round", mono: true, config: versus, events: []game.Event{game.Column{Col: 0}, game.Answered{ID: 1, Col: 1}, game.Column{Col: 0}, game.Answered{ID: 2, Col: 1},
			game.Column{Col: 0}, game.Answered{ID: 3, Col: 1}, game.Column{Col: 0}}},
		{name: "the match is won", mono: true, config: game.Config{Waits: true, Forever: true, Setup: game.Setup{Points: 1}}, events: append(drops("1212121"), game.Tick{})},
		{name: "the match has just been won", width: 80, height: 24, config: game.Config{Waits: true, Forever: true, Setup: game.Setup{Points: 1}}, events: drops("1212121")},
		{name: "look back", config: lookBack, events: append(toLook, game.Press{Key: game.Left})},
		{name: "look back, judged", mono: true, config: lookBack, events: append(toLook, judgements...)},
		{name: "look back at a mark", width: 80, height: 24, config: lookBack, events: append(append(toLook, judgements...), game.Press{Key: game.Right})},
		{name: "look back, what follows", width: 80, height: 24, config: lookBack, events: append(append(toLook, judgements...), game.Answered{ID: 1, Failed: true}, game.Press{Key: game.Right}, game.Press{Key: game.Down}, game.Press{Key: game.Right})},
		{name: "look back, what was better", mono: true, config: lookBack, events: append(append(toLook, judgements...), game.Answered{ID: 1, Failed: true}, game.Press{Key: game.Right}, game.Press{Key: game.Down}, game.Press{Key: game.Down}, game.Press{Key: game.Right})},
		{name: "look back, all shown", mono: true, config: lookBack, events: append(append(toLook, judgements...), game.Answered{ID: 1, Failed: true}, game.Press{Key: game.Right}, game.Press{Key: game.Down}, game.Press{Key: game.Down}, game.Press{Key: game.Up})},
		{name: "puzzle", mono: true, config: lookBack, events: append(toPuzzle, game.Press{Key: game.Left})},
		{name: "perfect elsewhere", config: game.Config{Setup: game.Setup{Rules: board.FullMatrix, Computer: board.Yellow, Level: match.Perfect}},
			events: append(drops("4"), game.Answered{ID: 1, Col: 3})},
		{name: "thinking", config: game.Config{Setup: game.Setup{Computer: board.Yellow, Level: match.Perfect}}, events: drops("4")},
		{name: "a program plays a level", width: 80, height: 24, config: versus, events: drops("4"), mark: func(v *game.View) {
			v.Seats[0].Holder = "python3 bot.py"
		}},
		{name: "a program has failed", width: 80, height: 24, config: versus, mark: failed},
		{name: "a program has failed, small", mono: true, config: versus, mark: failed},
	}
	var out strings.Builder
	for _, tt := range tests {
		if tt.width == 0 {
			tt.width, tt.height = leastWidth, leastHeight
		}
		p, screen := simulate(t, tt.width, tt.height, tt.charset)
		if tt.mono {
			p.screen = colourless{screen}
		}
		s, now := state(t, tt.config, tt.events...)
		v := s.View(now)
		if tt.mark != nil {
			tt.mark(&v)
		}
		must(t, p.Show(v))
		out.WriteString("== " + tt.name + "\n" + text(screen))
	}
	golden.Check(t, "testdata/screens.golden", out.String())
}

// The picture has more than ASCII however the locale spells UTF-8.
func TestUTF8Spellings(t *testing.T) {
	for charset, want := range map[string]string{"UTF-8": "●", "utf8": "●", "utf-8": "●", "UTF8": "●", "US-ASCII": "R", "ascii": "R"} {
		p, screen := simulate(t, 40, 12, charset)
		s, now := state(t, game.Config{})
		must(t, p.Show(s.View(now)))
		if got, _, _ := screen.Get(7, 2); got != want { // the cursor in the middle column
			t.Errorf("%s: %q, want %q", charset, got, want)
		}
	}
}

// tallied is a terminal that counts the bytes it is sent.
type tallied struct {
	vt.MockTerm
	bytes atomic.Int64
}

func (t *tallied) Write(b []byte) (int, error) {
	t.bytes.Add(int64(len(b)))
	return t.MockTerm.Write(b)
}

// When the cursor moves or a disc falls, only the cells of the discs that change are drawn again, and after Close
// nothing is, not even by a view that is shown meanwhile.
func TestSendsChanges(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	sent := &tallied{MockTerm: vt.NewMockTerm(vt.MockOptSize{X: 80, Y: 24})}
	screen, err := tcell.NewTerminfoScreenFromTty(sent, append(plain, tcell.OptColors(256))...)
	must(t, err)
	must(t, screen.Init())
	p := New(screen)
	s, now := state(t, game.Config{}, drops("4453")...)
	show := func() int64 {
		sent.bytes.Store(0)
		_ = p.Show(s.View(now))
		return sent.bytes.Load()
	}
	first := show()
	if got := show(); got > 50 {
		t.Errorf("the same picture is %d bytes", got)
	}
	s.Step(now, game.Press{Key: game.Right})
	if got := show(); got > first/4 {
		t.Errorf("a moved cursor is %d bytes, the first picture is %d", got, first)
	}
	s.Step(now, game.Press{Key: game.Down})
	show()
	for range 5 {
		now, _ = s.Next(now)
		s.Step(now, game.Tick{})
		if got := show(); got > first/4 {
			t.Errorf("a falling disc is %d bytes, the first picture is %d", got, first)
		}
	}
	var shows sync.WaitGroup
	shows.Go(func() {
		for range 100 {
			_ = p.Show(s.View(now))
			p.redraw()
		}
	})
	p.Close()
	shows.Wait()
	s.Step(now, game.Press{Key: game.Right})
	if got := show(); got > 0 {
		t.Errorf("%d bytes for a released terminal", got)
	}
}

// A match of one round that red won because yellow did not block, and the events that look back at
// it or start a puzzle.
var (
	lookBack = game.Config{Attract: true, Forever: true, Last: func() game.Record {
		m, g, err := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"1122334"})
		if err != nil {
			panic(err)
		}
		return game.Record{ID: "x", Match: m, Game: g}
	}()}
	toLook     = []game.Event{game.Press{Key: game.Left}, game.OpenLook}
	judgements = []game.Event{
		game.Answered{ID: 1, More: true, Ply: 6, Verdict: game.Verdict{Known: true, Before: 18, After: 18, Worth: [8]int8{1, -22, -22, 18}}},
		game.Answered{ID: 1, More: true, Ply: 5, Verdict: game.Verdict{Known: true, Before: 0, After: -18, Worth: [8]int8{-22, -22, -22, 0}, Remark: game.MissedBlock, Cells: 1 << 24,
			Why: game.Why{Kind: game.Wins, Cells: 1 << 24, Line: "4"}, Better: game.Why{Kind: game.Blocks, Cells: 1 << 24, Line: "4"}}},
		game.Press{Key: game.Left}, game.Press{Key: game.Left},
	}
	toPuzzle = []game.Event{
		game.Press{Key: game.Left}, game.Press{Key: game.Left}, game.Press{Key: game.Left}, game.Press{Key: game.Middle}, game.Press{Key: game.Middle},
		game.Answered{ID: 1, Puzzle: game.Puzzle{Game: beforeLast(lookBack.Last.Game), Discs: 1, Line: [9]uint8{3}}},
	}
)

func beforeLast(g board.Game) board.Game {
	_ = g.Undo() // it has discs
	return g
}

var must = try.Must
