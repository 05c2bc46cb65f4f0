package api

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

// shown decodes a document as the client does.
func shown(doc string) (v game.View, err error) {
	var s State
	err = json.Unmarshal([]byte(doc), &s)
	return s.View, err
}

// roundTrip checks that clients get a view exactly as it is shown, but for what they are not sent.
func roundTrip(t testing.TB, v game.View) (doc string) {
	t.Helper()
	doc = string(encoded(t, NewState(v)))
	back, err := shown(doc)
	if v.Opening, v.Fresh = 0, false; err != nil || back != v || back.Board() != v.Board() {
		t.Fatalf("%s: %v\n  got %+v\n want %+v", doc, err, back, v)
	}
	return doc
}

// Clients get every view of random games.
func TestStateRoundTrip(t *testing.T) {
	if testing.Short() {
		t.Skip("sends 54,000 views")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[string]int{}
	for round := range 60 {
		now := time.Unix(0, 0)
		setup := setups[round%len(setups)]
		state, err := game.New(game.Config{
			Setup: setup, Idle: 5 * time.Minute, Seed: rng.Uint64(), Attract: round%2 == 0, Forever: true, Run: "r",
		}, now)
		try.Must(t, err)
		var asked []game.Effect
		for range 900 {
			now = now.Add(time.Duration(rng.IntN(300)) * time.Millisecond)
			if next, ok := state.Next(now); ok && next.After(now) && rng.IntN(2) == 0 {
				now = next // when the view changes
			}
			ev := randomEvent(rng, state.Phase(), &asked, setup)
			from := []game.Source{{}, {}, {}, {}, {}, {Kind: game.Client}, {Kind: game.Holder, ID: 1}, {Kind: game.Holder, ID: 2}}[rng.IntN(8)]
			switch ev.(type) {
			case game.Take, game.Present, game.Absent:
				from = game.Source{Kind: game.Holder, ID: 1}
			}
			asked = append(asked, state.StepFrom(now, ev, from)...)
			v := state.View(now)
			doc := roundTrip(t, v)
			seen[string(v.Phase)]++
			seen["notice "+string(v.Notice.Kind)]++
			for _, part := range parts {
				if strings.Contains(doc, part) {
					seen[part]++
				}
			}
		}
	}
	for _, want := range append(parts, "attract", "menu", "aim", "thinking", "fall", "cheer", "score", "victory", "draw", "clear", "pause",
		"hint", "dark", "admit", "notice full", "notice no-column", "notice no-undo", "notice no-hint", "notice thinking", "notice taken", "notice taken-disc") {
		if seen[want] == 0 {
			t.Errorf("%s never came: little was tested", want)
		}
	}
}

var setups = []game.Setup{
	{Rules: board.Standard, Points: 2, First: board.FirstLoser},
	{Rules: board.FullMatrix, Points: 1, First: board.FirstRandom, Computer: board.Yellow, Level: match.Easy},
	{Rules: board.Rules{Columns: 3, Rows: 2, Connect: 3}, Points: 3, First: board.FirstAlternate},
	{Rules: board.Rules{Columns: 2, Rows: 8, Connect: 3}, Points: 1, Opening: "121", Computer: board.Red, Level: match.Novice},
}

// parts of a document.
var parts = []string{
	`"match":null`, `"counted":true`, `"outcome":"draw"`, `"winner"`, `"state":"away"`, `"name"`, `"failed"`, `"blue"`, `"computer"`, `"next"`,
}

// randomEvent answers questions, and mostly drops discs.
func randomEvent(rng *rand.Rand, phase game.Phase, asked *[]game.Effect, setup game.Setup) game.Event {
	for len(*asked) > 0 && rng.IntN(3) > 0 {
		q, _ := (*asked)[0].(game.Question)
		*asked = (*asked)[1:]
		if q.Kind == game.Advise || q.Kind == game.Think {
			answer := game.Answered{ID: q.ID, Failed: rng.IntN(8) == 0, Col: rng.IntN(8)}
			if q.Kind == game.Advise && !answer.Failed {
				answer.Advice = game.Advice{Exact: rng.IntN(2) == 0, Score: [8]int{0: rng.IntN(41) - 20, 1: -1}}
			}
			return answer
		}
	}
	if phase == game.Menu && rng.IntN(3) > 0 {
		return game.Press{Key: game.Middle}
	}
	key, middle := game.Press{Key: game.Key(1 + rng.IntN(5))}, game.Press{Key: game.Middle}
	some := []game.Event{
		game.Start{Setup: setup, Force: true, Seed: rng.Uint64()}, game.End{}, game.Admit{Digit: rng.IntN(11)},
		game.Undo, game.Undo, game.Hint, game.Hint, game.Pause, game.Point{Col: rng.IntN(8)}, key, key, key, middle, middle, middle,
		game.Press{Key: key.Key, Action: game.Action(rng.IntN(3))},
		game.Take{Player: board.Red + board.Disc(rng.IntN(2)), Holder: []string{"", "./bot.py"}[rng.IntN(2)]},
		game.Leave{Why: "ended"}, game.Present{}, game.Present{}, game.Present{}, game.Absent{}, game.Absent{}, game.Tick{},
	}
	if n := rng.IntN(60); n < len(some) {
		return some[n]
	}
	return game.Column{Col: rng.IntN(9)}
}

// Those who do not know the rules are told what follows from the moves, in each round anew, also if its moves are
// those of the round before.
func TestRules(t *testing.T) {
	now := time.Unix(1000, 0)
	s, err := game.New(game.Config{Setup: game.Setup{Rules: board.FullMatrix, Points: 2, First: board.FirstRed}, Run: "run-1"}, now)
	try.Must(t, err)
	var told []string
	for _, c := range "1212121      1212121      " { // a space is time, for the phases until the next round
		if c != ' ' {
			s.Step(now, game.Column{Col: int(c - '1')})
		}
		var d struct {
			Match                         struct{ Rounds []string }
			Points                        map[string]int
			Starts, Turn, Outcome, Winner string
			Counted                       bool
		}
		try.Must(t, json.Unmarshal([]byte(roundTrip(t, s.View(now))), &d))
		say := fmt.Sprintf("%q %v starts:%s turn:%s outcome:%s winner:%s %v", d.Match.Rounds, d.Points, d.Starts, d.Turn, d.Outcome, d.Winner, d.Counted)
		if n := len(d.Match.Rounds[len(d.Match.Rounds)-1]); (n < 2 || n == 7) && (len(told) == 0 || told[len(told)-1] != say) {
			told = append(told, say)
		}
		now = now.Add(1600 * time.Millisecond)
		s.Step(now, game.Tick{})
	}
	const want = `["1"] map[blue:0 red:0] starts:red turn:blue outcome: winner: false
["1212121"] map[blue:0 red:0] starts:red turn: outcome:red winner: false
["1212121"] map[blue:0 red:1] starts:red turn: outcome:red winner: true
["1212121" ""] map[blue:0 red:1] starts:red turn:red outcome: winner: false
["1212121" "1"] map[blue:0 red:1] starts:red turn:blue outcome: winner: false
["1212121" "1212121"] map[blue:0 red:1] starts:red turn: outcome:red winner: false
["1212121" "1212121"] map[blue:0 red:2] starts:red turn: outcome:red winner:red true`
	if got := strings.Join(told, "\n"); got != want {
		t.Errorf("%s\nwant %s", got, want)
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
		roundTrip(t, v)
		seen[fmt.Sprint(v.Look.Variation, v.Look.Step)] = true
	}
	if !seen["why0"] || !seen["why1"] || !seen["better1"] {
		t.Errorf("only %v came", seen)
	}
}

const good = `{"phase":"aim","under_way":true,"leds":["........","........","........","........","........","........","........","........"],` +
	`"number":0,"text":{"title":"red to move","mine":"your turn","event":"yellow: column 3, row 1","back":"taken back: yellow, column 3, row 1",` +
	`"match":"4 in a row on 7x6, first to 2 points","keys":"left and right move, a press drops the disc, up pauses",` +
	`"help":["← → move  ↓ drop  1-7 column","↑ pause  u undo  ? hint  q quit"]},"match":{"id":"run-1","board":"7x6","connect":4,"points":2,"first":"loser","rounds":["4453"]},` +
	`"turn":"red","cursor":4,"points":{"red":0,"yellow":0},"starts":"red","seats":{"red":{},"yellow":{}},"frame":["000000 `

// An impossible document is an error, so that it never reaches a panel.
func TestDocument(t *testing.T) {
	g, _ := board.ParseGame(board.Standard, board.Red, "4453")
	m, _ := board.NewMatch(board.Standard, 2, board.FirstLoser, 0)
	doc := roundTrip(t, game.View{Phase: game.Aim, UnderWay: true, Record: game.Record{ID: "run-1", Match: m, Game: g}, Cursor: 3})
	if !strings.HasPrefix(doc, good) {
		t.Errorf("%s\nwant %s", doc, good)
	}
	for _, tt := range []struct{ old, with string }{
		{`"cursor":4`, `"cursor":8`},
		{`"cursor":4`, `"cursor":0`},
		{`"match":{`, `"match":null,"x":{`},
		{`"leds":["..`, `"leds":["x.`},
		{`"leds":["..`, `"leds":[".`},
		{`"rounds":["4453"]`, `"rounds":["9"]`},
	} {
		if _, err := shown(strings.Replace(doc, tt.old, tt.with, 1)); err == nil || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%s instead of %s: %v", tt.with, tt.old, err)
		}
	}
}

// Other programs rely on the names of a state's fields: doc/socket.md has them all, and those of a puzzle.
func TestFieldNames(t *testing.T) {
	doc, err := os.ReadFile("../../../doc/socket.md")
	try.Must(t, err)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[State]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" && !f.Anonymous && !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("the document does not name %q", name)
		}
	}
	s := State{View: game.View{Solving: game.Solving{On: true, Discs: 2, InARow: 3}}}
	if text := string(encoded(t, s)); !strings.Contains(text, `"puzzle":{"on":true,"discs":2,"in_a_row":3}`) {
		t.Error(text)
	}
}

// Nothing that another machine sends reaches a terminal as a control sequence, whichever text it is in.
func TestRudeTexts(t *testing.T) {
	const rude = "\x1b[2J  \n\u202e\u0085"
	m, g, _ := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"4"})
	v := game.View{Record: game.Record{Match: m, Game: g}}
	fill(reflect.ValueOf(&v).Elem(), rude)
	v.ID = "x" // a match with another ID is refused
	sent, s := NewState(v), State{}
	fill(reflect.ValueOf(&sent.Text).Elem(), rude)
	err := json.Unmarshal(encoded(t, sent), &s)
	all := fmt.Sprintf("%+v %+v", s.View, s.Text)
	if n := strings.Count(all, "?[2J  ???"); n < 41 || err != nil || strings.ContainsAny(all, "\x1b\n\u202e\u0085") {
		t.Errorf("%d texts in %q, %v", n, all, err)
	}
}

// fill sets the texts in a value.
func fill(v reflect.Value, text string) {
	switch {
	case v.Kind() == reflect.String && v.CanSet():
		v.SetString(text)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	}
}
