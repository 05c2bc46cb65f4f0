package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/dev/try"
)

// The extent of the comparison. Comparing 200 games takes minutes.
var games = flag.Int("games", 12, "random games to compare with independent scores")

func parse(t *testing.T, rules board.Rules, moves string) board.Game {
	t.Helper()
	g, err := board.ParseGame(rules, board.Red, moves)
	must(t, err)
	return g
}

// The text of reports on the games of doc/analysis.md and others, some after an opening.
func TestText(t *testing.T) {
	var text strings.Builder
	a := New(solver.Options{})
	for _, game := range []struct {
		moves string
		from  int
	}{
		{"4453626552", 0}, {"44444", 0}, {"613225516246744431667363355715772247345211", 0}, {"24724155677766", 0}, {"3422626252", 0}, {"", 0},
		{"51525374", 7}, {"613225516246744431667363355715772247345211", 34},
	} {
		r, err := a.Report(context.Background(), parse(t, board.Standard, game.moves), game.from, nil)
		must(t, err)
		fmt.Fprintf(&text, "game: %s\n%s", game.moves, written(t, r))
	}
	golden.Check(t, "testdata/games.txt", text.String())
}

// written is what the command writes.
func written(t *testing.T, r Report) string {
	t.Helper()
	var text strings.Builder
	must(t, r.Table(&text))
	for _, line := range r.Summary() {
		fmt.Fprintln(&text, line)
	}
	return text.String()
}

func TestJSON(t *testing.T) {
	r, err := New(solver.Options{}).Report(context.Background(), parse(t, board.Standard, "1223"), 2, nil)
	must(t, err)
	got, err := json.Marshal(r)
	must(t, err)
	const want = `{"moves":"1223","outcome":"playing","discs":[` +
		`{"ply":3,"player":"red","column":2,"before":-2,"after":-2,"best":[1,2,4,5,6,7],"mark":""},` +
		`{"ply":4,"player":"yellow","column":3,"before":2,"after":-3,"best":[2],"mark":"win to loss","text":"Disc 4 in column 3 gave yellow's win away: red could force a win, though only in 17 discs.","why":{"kind":"distance","line":"442422464167453333535555276666777"},"better":{"kind":"distance","line":"244445376"}}],` +
		`"red":{"discs":1,"kept":1},"yellow":{"discs":1,"kept":0},"text":["the game is not over; red can force a win, though only in 17 discs","Disc 4 changed the outcome, for reasons that only a perfect player sees.","best columns played: red 1 of 1, yellow 0 of 1"]}`
	if string(got) != want {
		t.Errorf("is\n%s\nwant\n%s", got, want)
	}
}

// Discs are yielded one at a time, and none after the context ends.
func TestStream(t *testing.T) {
	g := parse(t, board.Standard, "44444235333335566")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a := New(solver.Options{})
	seen := 0
	for d, err := range a.Discs(ctx, g, 0) {
		if seen++; seen == 4 {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("after the end of the context: %+v, %v", d, err)
			}
			break
		}
		if err != nil || d.Ply != 17-seen {
			t.Fatalf("disc %d: %+v, %v", seen, d, err)
		}
		if seen == 3 {
			cancel()
		}
	}
	if seen != 4 {
		t.Errorf("%d elements, want 3 discs and an error", seen)
	}
	five := parse(t, board.Rules{Columns: 8, Rows: 8, Connect: 5}, "44")
	if _, err := a.Report(context.Background(), five, 0, nil); !errors.Is(err, solver.ErrRules) {
		t.Errorf("five in a line: %v, want ErrRules", err)
	}
}

// On a large board the first discs are unknown, and nothing is said about them.
func TestUnknownDiscs(t *testing.T) {
	g := parse(t, board.FullMatrix, "74348276433266844736447766637876223234322782888811")
	a := New(solver.Options{Nodes: 20_000})
	r, err := a.Report(context.Background(), g, 0, nil)
	must(t, err)
	n := unknown(r.Discs)
	if len(r.Discs) != g.Position().Ply() || n < 10 || n > 40 {
		t.Fatalf("%d discs, %d unknown", len(r.Discs), n)
	}
	exact := solver.New(solver.Options{})
	p := g
	for _, d := range slices.Backward(r.Discs[n:]) {
		_ = p.Undo()
		if got, err := exact.Solve(context.Background(), p.Position()); err != nil || !d.Known || int(d.Before) != got.Score {
			t.Errorf("disc %d: %+v, %v, want the score %d", d.Ply+1, d, err, got.Score)
		}
	}
	text := written(t, r)
	for _, want := range []string{fmt.Sprintf("%6d  %-6s  %6d  unknown\n", n, board.FullMatrix.Name(r.Discs[n-1].Player), r.Discs[n-1].Column+1), fmt.Sprintf("the scores up to disc %d are unknown", n)} {
		if !strings.Contains(text, want) {
			t.Errorf("without %q:\n%s", want, text)
		}
	}
	object, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(object), `"before":null,"after":null,"best":[]`) || strings.Contains(text, "could always win") {
		t.Errorf("%v\n%s\n%s", err, object, text)
	}
	r.Discs = r.Discs[n-1:] // one is unknown
	if text := written(t, r); !strings.Contains(text, fmt.Sprintf("the scores up to disc %d are unknown", n)) {
		t.Errorf("%s", text)
	}
}

func sign(score int8) int8 { return min(max(score, -1), 1) }

var must = try.Must
