package match

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

const goodMatch = `{"id":"a","board":"7x6","connect":4,"points":2,"first":"loser","rounds":["1212121","44"]}`

func parse(doc string) (Record, error) {
	var d Document
	if err := json.Unmarshal([]byte(doc), &d); err != nil {
		return Record{}, err
	}
	return d.Record()
}

// roundTrip writes a record as JSON and reads it again.
func roundTrip(r Record) (text string, again Record, err error) {
	doc, err := json.Marshal(r.Document())
	if err != nil {
		return "", again, err
	}
	again, err = parse(string(doc))
	return string(doc), again, err
}

func TestBadDocuments(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{`"44"`, `""`, ""},
		{`,"44"`, ``, ""},
		{`"7x6"`, `"7x6","opening":7`, ""},
		{`"loser"`, `"random","seed":"18446744073709551615"`, ""},
		{`"7x6"`, `"7x6","computer":"yellow","level":"hard"`, ""},

		{`}`, `}{}`, "after top-level value"},
		{`{"id"`, `["id"`, "invalid character"},
		{goodMatch, `null`, "board:"},
		{goodMatch, `[]`, "cannot unmarshal array"},
		{goodMatch, ``, "unexpected end"},
		{goodMatch, strings.Repeat("\x00", 100), "invalid character"},
		{`]}`, `]`, "unexpected end"},
		{`"a"`, `""`, "id:"},
		{`"a"`, `"A"`, "id:"},
		{`"a"`, `"../a"`, "id:"},
		{`"a"`, `"a b"`, "id:"},
		{`"a"`, `"` + strings.Repeat("a", 65) + `"`, "id:"},
		{`"7x6"`, `"9x6"`, "board:"},
		{`"7x6"`, `"7"`, "board:"},
		{`"connect":4`, `"connect":1`, "a line of 1"},
		{goodMatch, `{"id":"a","board":"7x6","connect":8,"points":2,"first":"loser","rounds":[""]}`, "nobody can get 8 in a line"},
		{`"connect":4`, `"connect":"4"`, "cannot unmarshal string"},
		{`"points":2`, `"points":0`, "at least one point"},
		{`"points":2`, `"points":4`, "points: out of range"},
		{`"points":2`, `"points":1`, "the match is over"},
		{`"loser"`, `"winner"`, "first: "},
		{`"loser"`, `"random","seed":"-1"`, "seed: must be"},
		{`"loser"`, `"random","seed":"18446744073709551616"`, "seed: must be"},
		{`"7x6"`, `"7x6","programs":{"red":"./bot"}`, ""},
		{`"7x6"`, `"7x6","computer":"nobody"`, "computer: "},
		{`"7x6"`, `"7x6","computer":"red","level":77`, "must be novice, beginner,"},
		{`"7x6"`, `"7x6","computer":"red","level":6`, ""},
		{`"7x6"`, `"7x6","computer":"red","level":"great"`, "must be novice, beginner,"},
		{`"7x6"`, `"7x6","level":"easy"`, "there is no computer"},
		{`"7x6"`, `"7x6","opening":8`, "opening:"},
		{`"7x6"`, `"7x6","opening":-1`, "opening:"},
		{`"1212121"`, `"121212"`, "the game is not over"},
		{`"1212121"`, `"12121212"`, "game 1: board: move 8"},
		{`"44"`, `"48"`, "no such column"},
		{`"44"`, `"4x"`, "column's number"},
		{`"44"`, `"4444444"`, "column is full"},
		{`"44"`, `"\u0664"`, "column's number"},
	} {
		if !strings.Contains(goodMatch, tt.old) {
			t.Fatalf("%s missing in the document", tt.old)
		}
		doc := strings.Replace(goodMatch, tt.old, tt.new, 1)
		_, err := parse(doc)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", doc, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q is not one line", doc, err)
		}
	}
}

// A round that has as many discs as the match's opening is a round like any other. Until the next one has a
// disc, the round before it is the last.
func TestEndedAfterOpening(t *testing.T) {
	r := Record{ID: "a", Opening: 2}
	r.Match, r.Game, _ = board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{"1212121", "1"})
	if g, ok := r.Ended(); ok || g.String() != "1" {
		t.Errorf("%q has ended: %t", g, ok)
	}
	r.Match, r.Game, _ = board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{"1212121", ""})
	if g, ok := r.Ended(); !ok || g.String() != "1212121" || !r.Begun() {
		t.Errorf("before the next round, %q has ended: %t", g, ok)
	}
}

// A counted record has the same rounds as one that is not counted, also in JSON. A record parsed
// from JSON is not counted.
func TestCountedRecord(t *testing.T) {
	r := Record{ID: "a"}
	r.Match, r.Game, _ = board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{"1212121", "1212121"})
	counted := r.Count()
	if !counted.Counted || counted.Match.Winner() != board.Red || counted.Count() != counted {
		t.Errorf("%+v is counted as %+v", r, counted)
	}
	if got, want := strings.Join(counted.Rounds(), "/"), strings.Join(r.Rounds(), "/"); got != want {
		t.Errorf("the rounds are %q, want %q", got, want)
	}
	text, again, err := roundTrip(counted)
	if err != nil || again != r {
		t.Errorf("%s is parsed as %+v, %v", text, again, err)
	}
	r.Game, _ = board.ParseGame(board.Standard, board.Red, "1")
	if r.Count() != r {
		t.Error("an unfinished round is counted")
	}
}

// What a file says of a program cannot command the terminal that shows it.
func TestProgramsName(t *testing.T) {
	m, err := parse(strings.Replace(goodMatch, `"7x6"`, `"7x6","programs":{"yellow":"\u001b[2J\nbot"}`, 1))
	if want := [2]string{"", "?[2J?bot"}; err != nil || m.Programs != want {
		t.Errorf("%q, %v, want %q", m.Programs, err, want)
	}
}

// A match that its players left for the menu is still one that they left when it is read again, but not
// once it is over: older versions could not read such a line of the history.
func TestLeft(t *testing.T) {
	r := Record{ID: "a", Left: true}
	r.Match, r.Game, _ = board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{"44"})
	text, again, err := roundTrip(r)
	if err != nil || again != r {
		t.Errorf("%s is parsed as %+v, %v", text, again, err)
	}
	if Finish(r, time.Now()).Left {
		t.Error("a match that is over was left")
	}
}
