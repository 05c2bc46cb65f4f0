package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

// roundTrip encodes a view as the server does, and decodes it as the client does.
func roundTrip(t testing.TB, v game.View) (doc []byte, back game.View) {
	t.Helper()
	doc, err := json.Marshal(NewState(v))
	if err != nil {
		t.Fatalf("%+v: %v", v, err)
	}
	var s State
	if err := json.Unmarshal(doc, &s); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	if back, err = s.Shown(); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return doc, back
}

// Clients get every view of random games exactly as it was shown, and the document's fields for
// clients that do not know the rules agree with the moves.
func TestStateRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[string]int{}
	views := 0
	for range 60 {
		now := time.Unix(0, 0)
		state, err := game.New(game.Config{
			Setup: randomSetup(rng), Idle: 5 * time.Minute, Seed: rng.Uint64(),
			Attract: rng.IntN(2) == 0, Forever: true, Run: "r",
		}, now)
		if err != nil {
			t.Fatal(err)
		}
		look := func() {
			v := state.View(now)
			doc, back := roundTrip(t, v)
			v.Opening, v.Fresh = 0, false // not sent
			if back != v {
				t.Fatalf("%s\n  got %+v\n want %+v", doc, back, v)
			}
			views++
			tally(seen, v, doc)
			checkDocument(t, v, doc)
		}
		var asked []game.Effect
		for range 900 {
			switch rng.IntN(4) {
			case 0: // a moment later
				now = now.Add(time.Duration(rng.IntN(300)) * time.Millisecond)
			case 1:
				now = now.Add(time.Duration(rng.IntN(1000)) * time.Millisecond)
			default: // when the view changes next
				if next, ok := state.Next(now); ok && next.After(now) {
					now = next
				}
			}
			ev := randomEvent(rng, state, &asked)
			from := []game.Source{{}, {}, {}, {}, {}, {Kind: game.Client}, {Kind: game.Holder, ID: 1}, {Kind: game.Holder, ID: 2}}[rng.IntN(8)]
			switch ev.(type) {
			case game.Take, game.Present, game.Absent:
				from = game.Source{Kind: game.Holder, ID: 1}
			}
			effects := state.StepFrom(now, ev, from)
			asked = append(asked, effects...)
			look()
		}
	}
	for _, want := range []string{
		"attract", "menu", "aim", "thinking", "fall", "cheer", "score", "victory", "draw", "clear", "pause", "hint", "dark", "admit",
		"no match", "counted", "fall, decided", "fall, drawn", "8x8", "7x6", "computer", "hint with a full column",
		"full", "no-column", "no-undo", "no-hint", "thinking notice", "taken", "taken-disc", "taken seat", "away", "rounds before", "red", "yellow", "alternate", "loser", "random",
	} {
		if seen[want] == 0 {
			t.Errorf("%q never came: little was tested", want)
		}
	}
	t.Log(views, "views:", seen)
}

// randomEvent mostly drops discs.
func randomEvent(rng *rand.Rand, s *game.Game, asked *[]game.Effect) game.Event {
	for len(*asked) > 0 && rng.IntN(3) > 0 {
		e, _ := (*asked)[0].(game.Question)
		*asked = (*asked)[1:]
		switch e.Kind {
		case game.Think:
			if rng.IntN(8) == 0 {
				return game.Answered{ID: e.ID, Failed: true}
			}
			return game.Answered{ID: e.ID, Col: rng.IntN(8)}
		case game.Advise:
			if rng.IntN(5) == 0 {
				return game.Answered{ID: e.ID, Failed: true}
			}
			a := game.Advice{Exact: rng.IntN(2) == 0}
			for col := range e.Game.Position().LegalMoves() {
				a.Score[col] = rng.IntN(41) - 20
			}
			return game.Answered{ID: e.ID, Advice: a}
		}
	}
	if s.Phase() == game.Menu && rng.IntN(3) > 0 {
		return game.Press{Key: game.Middle}
	}
	switch rng.IntN(60) {
	case 0:
		return game.Start{Setup: randomSetup(rng), Force: true, Seed: rng.Uint64()}
	case 1:
		if rng.IntN(2) == 0 {
			return game.Admit{Digit: rng.IntN(11)}
		}
		return game.End{}
	case 2, 3:
		return game.Undo
	case 4, 5:
		return game.Hint
	case 6:
		return game.Pause
	case 7, 8:
		return game.Point{Col: rng.IntN(8)}
	case 9, 10, 11, 12:
		return game.Press{Key: game.Key(1 + rng.IntN(5)), Action: game.Action(rng.IntN(3))}
	case 13, 14, 15:
		return game.Press{Key: game.Middle}
	case 16:
		return game.Take{Player: board.Red + board.Disc(rng.IntN(2)), Holder: []string{"", "./bot.py"}[rng.IntN(2)]}
	case 17, 18, 19, 20, 21, 22, 23, 24:
		return []game.Event{game.Leave{Why: "ended"}, game.Present{}, game.Present{}, game.Absent{}}[rng.IntN(4)]
	case 25:
		return game.Tick{}
	}
	return game.Column{Col: rng.IntN(9)}
}

// tally counts the kinds of views, to check that the random games reach all of them.
func tally(seen map[string]int, v game.View, doc []byte) {
	position := v.Game.Position()
	notes := map[string]bool{
		string(v.Phase): true,
		"no match":      v.ID == "",
		"counted":       strings.Contains(string(doc), `"counted":true`),
		"8x8":           v.ID != "" && v.Match.Rules().FillsMatrix(),
		"7x6":           v.ID != "" && v.Match.Rules() == board.Standard,
		"computer":      v.Computer != board.Empty,
		"taken seat":    v.Seats != [2]game.Seat{},
		"a program":     v.Seats[0].Holder != "",
		"failed":        v.Failed != "",
		"away":          v.Seats[0].State == game.Away,
		"fall, decided": v.Phase == game.Fall && position.Outcome().Winner() != board.Empty,
		"fall, drawn":   v.Phase == game.Fall && position.Outcome() == board.Draw,
		"rounds before": v.Phase == game.Aim && v.Match.Played() > 0,
		"hint with a full column": v.Phase == game.Hinting &&
			len(slices.Collect(position.LegalMoves())) < v.Match.Rules().Columns,
	}
	if k := v.Notice.Kind; k == game.NoticeThinking {
		notes["thinking notice"] = true
	} else if k != game.NoticeNone {
		notes[string(k)] = true
	}
	if v.ID != "" {
		notes[v.Match.First().String()] = true
	}
	for note, is := range notes {
		if is {
			seen[note]++
		}
	}
}

// checkDocument checks the fields that a client uses if it does not know the rules.
func checkDocument(t *testing.T, v game.View, doc []byte) {
	t.Helper()
	var d struct {
		Match *struct {
			Rounds []string
		}
		Points                map[string]int
		Cursor                int
		Turn, Outcome, Winner string
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		t.Fatal(err)
	}
	if d.Cursor != v.Cursor+1 {
		t.Fatalf("%s: the cursor is in column %d", doc, v.Cursor)
	}
	if v.ID == "" {
		if d.Match != nil {
			t.Fatalf("%s: there is no match", doc)
		}
		return
	}
	position, rules := v.Game.Position(), v.Match.Rules()
	// The round on the screen is the document's last round, and is there only once.
	if last := d.Match.Rounds[len(d.Match.Rounds)-1]; last != v.Game.String() {
		t.Fatalf("%s: %v is on the screen", doc, v.Game)
	}
	want := v.Match.Played()
	if !v.Counted {
		want++
	}
	if len(d.Match.Rounds) != want {
		t.Fatalf("%s: %d rounds, want %d", doc, len(d.Match.Rounds), want)
	}
	if points := map[string]int{"red": v.Match.Points(board.Red), rules.Name(board.Yellow): v.Match.Points(board.Yellow)}; !maps.Equal(d.Points, points) {
		t.Fatalf("%s: the points are %v", doc, points)
	}
	said := []string{"", "", ""}
	switch o := position.Outcome(); o {
	case board.Playing:
		said[0] = rules.Name(position.Turn())
	case board.Draw:
		said[1] = "draw"
	default:
		said[1] = rules.Name(o.Winner())
	}
	if w := v.Match.Winner(); w != board.Empty {
		said[2] = rules.Name(w)
	}
	if got := []string{d.Turn, d.Outcome, d.Winner}; !slices.Equal(got, said) {
		t.Fatalf("%s: turn, outcome and winner are %q, want %q", doc, got, said)
	}
}

// table is a game with its own clock, which advances with every event.
type table struct {
	state *game.Game
	now   time.Time
}

func newTable(t *testing.T, points int) *table {
	t.Helper()
	now := time.Unix(1000, 0)
	s, err := game.New(game.Config{Setup: game.Setup{Rules: board.Standard, Points: points, First: board.FirstRed}, Run: "run-1"}, now)
	if err != nil {
		t.Fatal(err)
	}
	return &table{s, now}
}

func (g *table) do(ev game.Event) game.View {
	g.now = g.now.Add(time.Second / 2)
	g.state.Step(g.now, ev)
	return g.state.View(g.now)
}

// A round with the same moves as the previous round is sent as another round.
func TestRepeatedRound(t *testing.T) {
	g := newTable(t, 3)
	for range 2 {
		for _, c := range "1212121" {
			v := g.do(game.Column{Col: int(c - '1')})
			if _, back := roundTrip(t, v); back != v {
				t.Fatalf("after %v: %+v, want %+v", v.Game, back, v)
			}
			checkDocument(t, v, func() []byte { doc, _ := roundTrip(t, v); return doc }())
		}
		for range 3 { // the phases cheer, score and clear
			g.now = g.now.Add(1600 * time.Millisecond)
			v := g.do(game.Tick{})
			if _, back := roundTrip(t, v); back != v {
				t.Fatalf("in %v: %+v, want %+v", v.Phase, back, v)
			}
		}
	}
}

// A variation of a look back reaches a client disc by disc.
func TestVariation(t *testing.T) {
	m, g, _ := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"4151326"})
	now := time.Unix(1000, 0)
	s := game.LookBack(game.Record{ID: "x", Match: m, Game: g}, now)
	verdict := game.Verdict{Known: true, After: -18, Why: game.Why{Kind: game.Threats, Cells: 1<<8 | 1<<40, Line: "326", After: 1}, Better: game.Why{Kind: game.Distance, Line: "36"}}
	events := []game.Event{game.Tick{}, game.Answered{ID: 1, More: true, Ply: 3, Verdict: verdict}, game.Answered{ID: 1, Failed: true}}
	for _, key := range []game.Key{game.Down, game.Down, game.Right, game.Down, game.Right} {
		events = append(events, game.Press{Key: key})
	}
	seen := map[string]bool{}
	for _, ev := range events {
		s.Step(now, ev)
		v := s.View(now)
		v.Look.Only = false // a server is never in that state
		doc, back := roundTrip(t, v)
		if back != v || back.Board() != v.Board() {
			t.Fatalf("%s\n  got %+v\n want %+v", doc, back, v)
		}
		at := fmt.Sprint(v.Look.Variation, v.Look.Step)
		seen[at] = true
	}
	if !seen["why0"] || !seen["why1"] || !seen["better1"] {
		t.Errorf("only %v came", seen)
	}
}

// An impossible state is rejected with an error, so that it never reaches a panel.
func TestImpossibleState(t *testing.T) {
	good, _ := roundTrip(t, newTable(t, 2).do(game.Hint))
	for _, tt := range []struct{ old, with string }{
		{`"cursor":4`, `"cursor":8`},
		{`"cursor":4`, `"cursor":0`},
		{`"match":{`, `"match":null,"x":{`},
		{`"leds":["..`, `"leds":["x.`},
		{`"leds":["..`, `"leds":[".`},
		{`"cursor":4`, `"cursor":4,"items":["1","2","3","4","5","6","7","8","9"]`},
		{`"rounds":[""]`, `"rounds":["9"]`},
	} {
		if !strings.Contains(string(good), tt.old) {
			t.Fatalf("%s is not in %s", tt.old, good)
		}
		doc := strings.Replace(string(good), tt.old, tt.with, 1)
		var s State
		err := json.Unmarshal([]byte(doc), &s)
		if err == nil {
			_, err = s.Shown()
		}
		if err == nil {
			t.Errorf("%s instead of %s is accepted", tt.with, tt.old)
		} else if strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q is not one line", err)
		}
	}
}

// Nothing that another machine sends reaches a terminal as a control sequence.
func TestCleanTexts(t *testing.T) {
	doc, _ := roundTrip(t, newTable(t, 2).do(game.Hint))
	text := strings.Replace(string(doc), `"cursor":4`, `"cursor":4,"page":"\u001b[2J","items":["\u001b[2J"],"failed":"\u001b[2J","holders":{"red":"\u001b[2J"}`, 1)
	var s State
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	v, err := s.Shown()
	if all := fmt.Sprint(v.Choices.Page, v.Choices.Names, v.Failed, v.Seats); err != nil || strings.Contains(all, "\x1b") || !strings.Contains(all, "[2J") {
		t.Errorf("%q, %v", all, err)
	}
}

func ExampleState() {
	g, _ := board.ParseGame(board.Standard, board.Red, "4453")
	m, _ := board.NewMatch(board.Standard, 2, board.FirstLoser, 0)
	s := NewState(game.View{Phase: game.Aim, UnderWay: true, Record: game.Record{ID: "run-1", Match: m, Game: g}, Cursor: 3})
	doc, _ := json.Marshal(s)
	fmt.Println(strings.Split(string(doc), `,"frame"`)[0])
	// Output:
	// {"phase":"aim","under_way":true,"leds":["........","........","........","........","........","........","........","........"],"text":{"title":"","mine":"","help":["",""]},"number":0,"match":{"id":"run-1","board":"7x6","connect":4,"points":2,"first":"loser","rounds":["4453"]},"turn":"red","cursor":4,"points":{"red":0,"yellow":0},"starts":"red","seats":{"red":"open","yellow":"open"}
}

// randomSetup returns a match that can be played.
func randomSetup(rng *rand.Rand) game.Setup {
	sizes := []board.Rules{board.Standard, board.FullMatrix, {Columns: 3, Rows: 3, Connect: 3}, {Columns: 2, Rows: 8, Connect: 3}, {Columns: 3, Rows: 2, Connect: 3}}
	s := game.Setup{
		Rules:  sizes[rng.IntN(len(sizes))],
		Points: 1 + rng.IntN(3),
		First:  board.First(rng.IntN(5)),
	}
	if rng.IntN(3) == 0 {
		s.Computer, s.Level = board.Red+board.Disc(rng.IntN(2)), match.Level(1+rng.IntN(match.LevelCount))
	}
	if rng.IntN(3) == 0 {
		if s.Opening = "1212"[:rng.IntN(4)]; s.Check() != nil {
			s.Opening = ""
		}
	}
	return s
}

// BenchmarkState encodes a view and decodes it again.
func BenchmarkState(b *testing.B) {
	now := time.Unix(1000, 0)
	s, err := game.New(game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}}, now)
	if err != nil {
		b.Fatal(err)
	}
	v := s.View(now)
	b.ReportAllocs()
	for b.Loop() {
		roundTrip(b, v)
	}
}
