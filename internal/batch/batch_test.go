package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/tournament"
)

// Progress starts after a second on the position whose answer is next.
func TestProgress(t *testing.T) {
	synctest.Test(t, testProgress)
}

func testProgress(t *testing.T) {
	shown := ""
	show := func(format string, args ...any) { shown = fmt.Sprintf(format, args...) }
	q := job{Position: Position{Text: "44"}}
	var first atomic.Pointer[job]
	first.Store(&q)
	c := worker{show: show, first: &first, job: &q, started: time.Now().Add(-time.Second / 2)}
	c.progress(solver.Progress{Column: -1, Low: -3, High: 5, Nodes: 12_400_000})
	if shown != "" {
		t.Errorf("too early: %q", shown)
	}
	c.started = c.started.Add(-3500 * time.Millisecond)
	c.progress(solver.Progress{Column: -1, Low: -3, High: 5, Nodes: 12_400_000})
	if want := "44: score -3 to 5, 12 million positions, 4 s"; shown != want {
		t.Errorf("%q, want %q", shown, want)
	}
	shown = ""
	first.Store(new(job))
	c.progress(solver.Progress{Column: -1})
	if shown != "" {
		t.Errorf("for a position that is not next: %q", shown)
	}
	first.Store(&q)
	c.progress(solver.Progress{Column: 2, Low: -2, High: -1, Nodes: 99_600_000})
	if want := "44: column 3 -2 to -1, 100 million positions, 4 s"; shown != want {
		t.Errorf("%q, want %q", shown, want)
	}
}

// A game of a record that was played anew does not count, and one of another tournament does. A line is
// read to its end, whatever a program wrote.
func TestRecord(t *testing.T) {
	var in strings.Builder
	for i, g := range []tournament.Game{
		{Seed: 1, Number: 1, Moves: "1"}, {Seed: 1, Number: 2, Moves: "2"}, {Seed: 2, Number: 1, Moves: "3"},
		{Seed: 1, Number: 1, Moves: "4", Wrote: strings.Repeat("\x01", 4<<10)},
	} {
		g.Red, g.Yellow, g.Result = "a", "b", "red"
		_ = json.NewEncoder(&in).Encode(g)
		if i == 0 {
			in.WriteString("7\n")
		}
	}
	var got []string
	for g, err := range Games(t.Context(), strings.NewReader(in.String()), board.Standard) {
		if err != nil || g.Err != nil {
			t.Error(err, g.Err)
		}
		got = append(got, g.Game.String())
	}
	if want := []string{"7", "2", "3", "4"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// FuzzSolve checks that every line is answered with its score or refused, in order. The
// positions are late ones, so that the test can play them out.
func FuzzSolve(f *testing.F) {
	const late = "12121221212134343443434356565665656"
	f.Fuzz(func(t *testing.T, tails string) {
		input := strings.Split(tails, "\n")
		for i := range input {
			input[i] = late + input[i]
		}
		var out, errs bytes.Buffer
		o := Options{Threads: 2, Solver: solver.Options{Table: 1 << 20}}
		_ = Solve(t.Context(), Lines(strings.NewReader(strings.Join(input, "\n"))), &out, &errs, o)
		for line := range strings.Lines(errs.String()) {
			if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("not for a terminal: %q", line)
			}
		}
		answers, refusals := strings.SplitAfter(out.String(), "\n"), strings.SplitAfter(errs.String(), "\n")
		for i, line := range input {
			p, err := board.Parse(board.Standard, strings.TrimSpace(line))
			if len(line) > 1000 {
				return // long lines have their own test
			}
			if err == nil && p.Outcome().Winner() == board.Empty {
				want := fmt.Sprintf("%s %d ", strings.TrimSpace(line), playedOut(p))
				if !strings.HasPrefix(answers[0], want) {
					t.Fatalf("%q: %q, want %q", line, answers[0], want)
				}
				answers = answers[1:]
			} else {
				if want := fmt.Sprintf("line %d: ", i+1); !strings.HasPrefix(refusals[0], want) {
					t.Fatalf("%q: %q, want %q", line, refusals[0], want)
				}
				refusals = refusals[1:]
			}
		}
		if answers[0] != "" || refusals[0] != "" {
			t.Fatalf("more output: %q, %q", answers, refusals)
		}
	})
}

// playedOut returns a position's score by playing every game to its end.
func playedOut(p board.Position) int {
	if p.Ply() == p.Rules().Cells() {
		return 0
	}
	best := -p.Rules().Cells()
	for col := range p.LegalMoves() {
		next, _ := p.Drop(col) // it is free
		score := (p.Rules().Cells() - p.Ply() + 1) / 2
		if next.Outcome().Winner() == board.Empty {
			score = -playedOut(next)
		}
		best = max(best, score)
	}
	return best
}
