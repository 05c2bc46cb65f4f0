package solver

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/c4hat/c4hat/board"
)

var full = flag.Bool("full", false, "solve everything, including positions that take minutes")

// scaled returns n, or a tenth of it with -short.
func scaled(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

func (s *Solver) mustSolve(t testing.TB, p board.Position) int {
	t.Helper()
	r, err := s.Solve(t.Context(), p)
	must(t, err)
	return r.Score
}

// Known results; the empty board was solved in 1988.
func TestOracles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := New(Options{NoBook: true})
	for moves, want := range map[string]int{"45461667": +1, "35333571": -1, "13333111": 0} {
		if got := s.mustSolve(t, mustParse(t, moves)); (got > 0) != (want > 0) || (got < 0) != (want < 0) {
			t.Errorf("%s: %d, want the sign of %d", moves, got, want)
		}
	}
	if !*full {
		return // the rest takes half a minute
	}
	p := mustParse(t, "-")
	a, err := s.Analyse(t.Context(), p)
	must(t, err)
	if want := [board.MaxSide]int{-2, -1, 0, 1, 0, -1, -2}; a.Columns != want {
		t.Errorf("openings: %v, want %v", a.Columns, want)
	}
	if got := s.mustSolve(t, p); got != 1 {
		t.Errorf("empty board: %d, want 1", got)
	}
	if len(a.Line) != 41 {
		t.Errorf("the first player wins with disc %d, want 41", len(a.Line))
	}
}

// The scores of all columns agree with plain alpha-beta in random late positions of every board.
// One solver solves them all, or several threads together.
func TestAgainstAlphaBeta(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0))
	one, team := New(Options{}), New(Options{Threads: 2, Table: 1 << 16})
	boards := append(sizes(), board.Standard, board.FullMatrix, board.Rules{Columns: 1, Rows: 1, Connect: 4}, board.Rules{Columns: 3, Rows: 5, Connect: 4})
	for i := range scaled(4000) {
		rules := boards[i%len(boards)]
		empty := min(rules.Cells(), 4+i/len(boards)%13)
		p := randomOn(r, rules, rules.Cells()-empty)
		s := one
		if i%7 == 0 {
			s = team
			s.team.helpAfter = 0
		}
		a, err := s.Analyse(t.Context(), p)
		must(t, err)
		for column := range rules.Columns {
			next, err := p.Drop(column)
			if err != nil {
				if a.Free[column] {
					t.Fatalf("column %d is free:\n%v", column, p)
				}
				continue
			}
			want := (rules.Cells() + 1 - p.Ply()) / 2
			if next.Outcome().Winner() == board.Empty {
				want = -exactly(next)
			}
			if a.Columns[column] != want {
				t.Fatalf("%v, column %d: %d, want %d:\n%v", rules, column, a.Columns[column], want, p)
			}
		}
	}
}

// In every late position, search returns a correct bound for every beta. Solve uses only
// some of these.
func TestSearchEveryBeta(t *testing.T) {
	s := New(Options{Table: 1})
	asked := 0
	eachLate(10, scaled(100), func(g *geometry, p board.Position, score int) {
		if canWin(p) || p.Outcome() != board.Playing {
			return
		}
		at, err := s.begin(t.Context(), p)
		must(t, err)
		for beta := lowest + 1; beta <= highest; beta++ {
			asked++
			bound := s.search(at, p.Ply(), beta, noCell)
			if bound >= beta && score < bound || bound < beta && score > bound {
				t.Fatalf("search with beta %d returns %d, score %d:\n%v", beta, bound, score, p)
			}
		}
	})
	if asked < scaled(50_000) {
		t.Errorf("only %d searches", asked)
	}
}

// scored is a line of a position file, as in the public benchmarks: moves and a score.
type scored struct {
	moves string
	score int
}

func readPositions(t testing.TB, file string) []scored {
	t.Helper()
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	var all []scored
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var p scored
		if _, err := fmt.Sscan(lines.Text(), &p.moves, &p.score); err != nil {
			t.Fatal(file, err)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		t.Fatal(file, "is empty")
	}
	return all
}

// positionFiles returns our own positions, which are random ones by ply and by the number of discs left
// in perfect play, and, unless tests are short, the public benchmark files, if present.
func positionFiles(t testing.TB) []string {
	t.Helper()
	own, err := filepath.Glob("testdata/*.positions")
	if err != nil || len(own) != 6 {
		t.Fatal(own, err)
	}
	if testing.Short() {
		return own
	}
	public, err := filepath.Glob("../../../shared/positions/*")
	must(t, err)
	return append(own, public...)
}

func TestPositions(t *testing.T) {
	for _, file := range positionFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			positions := readPositions(t, file)
			s := New(Options{NoBook: true})
			step := 1
			if testing.Short() {
				step = 10
			}
			for i := 0; i < len(positions); i += step {
				r, err := s.Solve(t.Context(), mustParse(t, positions[i].moves))
				if err != nil || r.Score != positions[i].score {
					t.Errorf("%s: %d, %v, want %d", positions[i].moves, r.Score, err, positions[i].score)
				}
				if r.Nodes > 1e5 && !*full {
					step = 20 // too hard to solve every position
				}
				if r.Nodes > 1e5 && testing.Short() {
					break
				}
			}
		})
	}
}

// A score depends only on the position, not on earlier searches or their order, the size of
// the table, or cancelled searches.
func TestScoreDependsOnlyOnPosition(t *testing.T) {
	var positions []scored
	for _, file := range positionFiles(t) {
		all := readPositions(t, file)
		positions = append(positions, all[:12]...)
	}
	r := rand.New(rand.NewPCG(11, 0))
	r.Shuffle(len(positions), func(i, j int) { positions[i], positions[j] = positions[j], positions[i] })
	small, dirty := New(Options{Table: 1, NoBook: true}), New(Options{})
	if testing.Short() {
		positions = positions[:scaled(len(positions))]
	}
	cancelled := 0
	for _, p := range positions {
		at := mustParse(t, p.moves)
		ctx, cancel := context.WithCancel(t.Context())
		undo := cancelAfter(t, dirty, cancel, r.IntN(40))
		if _, err := dirty.Analyse(ctx, at); errors.Is(err, context.Canceled) {
			cancelled++
		} else if err != nil {
			t.Fatal(err)
		}
		undo()
		cancel()
		for name, s := range map[string]*Solver{"small": small, "dirty": dirty} {
			if name == "small" && len(p.moves) < 10 && !*full {
				continue
			}
			if got := s.mustSolve(t, at); got != p.score {
				t.Errorf("%s: %s: %d, want %d", name, p.moves, got, p.score)
			}
		}
	}
	if cancelled < scaled(40)/2 {
		t.Errorf("%d searches were cancelled, too few to be meaningful", cancelled)
	}
}

// cancelAfter cancels a search after that many polls and fails if it polls again.
func cancelAfter(t *testing.T, s *Solver, cancel func(), polls int) (undo func()) {
	s.polled = func() {
		switch polls--; {
		case polls == -1:
			cancel()
		case polls < -1:
			t.Error("the search polled again after it was cancelled")
		}
	}
	return func() { s.polled = nil }
}

// A mirror image has the same score, whatever the guess, and so does the position of a game
// that yellow began.
func TestSymmetry(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 0))
	s := New(Options{})
	for range scaled(300) {
		p := randomPosition(r, 20+r.IntN(22))
		at := std.stateOf(p)
		image := state{std.mirrored(at.mover), std.mirrored(at.other), std.mirrored(at.wins), std.mirrored(at.threats)}
		want := s.mustSolve(t, p)
		s.Reset()
		if got, ok := s.solve(image, p.Ply(), lowest+r.IntN(highest-lowest+1)); !ok || got != want {
			t.Fatalf("score %d, mirror image %d:\n%v", want, got, p)
		}
	}
	g, err := board.NewGame(board.Standard, board.Yellow)
	must(t, err)
	for _, column := range []int{3, 4, 3, 5, 0, 5, 5, 6} { // 45461667
		must(t, g.Play(column))
	}
	if got, want := s.mustSolve(t, g.Position()), s.mustSolve(t, mustParse(t, "45461667")); got != want {
		t.Errorf("yellow first: %d, want %d", got, want)
	}
}

// An analysis has the score of every column, and playing its line ends with the score of
// the position.
func TestAnalyse(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 0))
	s, plain := New(Options{}), New(Options{})
	for i := range scaled(400) {
		p := randomPosition(r, 16+i%(std.cells-16+1))
		a, err := s.Analyse(t.Context(), p)
		must(t, err)
		if want := plain.mustSolve(t, p); a.Score != want {
			t.Fatalf("%d, want %d:\n%v", a.Score, want, p)
		}
		var best []int
		for _, column := range std.fromMiddle[:7] {
			next, err := p.Drop(column)
			if free := err == nil; free != a.Free[column] {
				t.Fatalf("column %d is free: %v, want %v:\n%v", column, a.Free[column], free, p)
			}
			if err != nil {
				continue
			}
			want := std.winAt(p.Ply())
			if next.Outcome().Winner() == board.Empty {
				want = -plain.mustSolve(t, next)
			}
			if a.Columns[column] != want {
				t.Fatalf("column %d: %d, want %d:\n%v", column, a.Columns[column], want, p)
			}
			if want == a.Score {
				best = append(best, column)
			}
		}
		r, alone, err := plain.Best(t.Context(), p)
		if err != nil || r.Score != a.Score || !slices.Equal(alone, best) {
			t.Fatalf("Best returns %v, %d, %v, want %v, %d:\n%v", alone, r.Score, err, best, a.Score, p)
		}
		if !slices.Equal(a.Best, best) {
			t.Fatalf("best %v, want %v:\n%v", a.Best, best, p)
		}
		end := p
		for _, column := range a.Line {
			if end, err = end.Drop(column); err != nil {
				t.Fatalf("line %v: %v:\n%v", a.Line, err, p)
			}
		}
		reached := 0
		switch end.Outcome().Winner() {
		case p.Turn():
			reached = std.winAt(end.Ply() - 1)
		case p.Turn().Other():
			reached = -std.winAt(end.Ply() - 1)
		}
		if end.Outcome() == board.Playing || reached != a.Score {
			t.Fatalf("line %v ends in %v, score %d, want %d:\n%v", a.Line, end.Outcome(), reached, a.Score, p)
		}
		if len(a.Line) > 0 && a.Line[0] != a.Best[0] {
			t.Fatalf("line %v does not begin with the first of %v:\n%v", a.Line, a.Best, p)
		}
	}
}

// questions are the methods of a Solver that answer a question about a position.
func (s *Solver) questions(ctx context.Context, p board.Position) map[string]func() error {
	return map[string]func() error{
		"Solve":    func() error { _, err := s.Solve(ctx, p); return err },
		"Analyse":  func() error { _, err := s.Analyse(ctx, p); return err },
		"Best":     func() error { _, _, err := s.Best(ctx, p); return err },
		"Judge":    func() error { _, err := s.Judge(ctx, p); return err },
		"Outcome":  func() error { _, err := s.Outcome(ctx, p); return err },
		"Outcomes": func() error { _, err := s.Outcomes(ctx, p); return err },
		"AtLeast":  func() error { _, err := s.AtLeast(ctx, p, 1); return err },
		"Estimate": func() error { _, err := s.Estimate(ctx, p, 100, 1); return err },
	}
}

func TestErrors(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	five, _ := board.NewPosition(board.Rules{Columns: 8, Rows: 8, Connect: 5}, board.Red)
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		p     board.Position
		nodes uint64
		want  error
	}{
		{"five in a line", t.Context(), five, 0, ErrRules},
		{"the zero position", t.Context(), board.Position{}, 0, ErrRules},
		{"won", t.Context(), mustParse(t, "1122334"), 0, ErrOver},
		{"cancelled", cancelled, mustParse(t, "-"), 0, context.Canceled},
		{"few nodes", t.Context(), mustParse(t, "4"), 5000, ErrNodes},
	} {
		s := New(Options{NoBook: true, Nodes: tt.nodes})
		for name, ask := range s.questions(tt.ctx, tt.p) {
			if err := ask(); !errors.Is(err, tt.want) && (name != "Estimate" || err != nil || tt.nodes == 0) {
				t.Errorf("%s of %s: %v, want %v", name, tt.name, err, tt.want)
			}
		}
	}
}

// The reported bounds always contain the score, and the node count rises.
func TestProgress(t *testing.T) {
	var seen []Progress
	s := New(Options{NoBook: true, Progress: func(p Progress) { seen = append(seen, p) }})
	p := mustParse(t, "4444412")
	a, err := s.Analyse(t.Context(), p)
	must(t, err)
	if len(seen) < 3 {
		t.Fatalf("%d reports, want at least 3", len(seen))
	}
	s.low, s.high = lowest, lowest // of an earlier search
	if _, err := s.begin(t.Context(), p); err != nil || s.high < a.Score {
		t.Errorf("a search begins with the bounds %d to %d, %v", s.low, s.high, err)
	}
	for i, p := range seen {
		if i > 0 && p.Nodes <= seen[i-1].Nodes {
			t.Errorf("%d nodes after %d", p.Nodes, seen[i-1].Nodes)
		}
		score := a.Score
		if p.Column >= 0 {
			score = a.Columns[p.Column]
		}
		if p.Low > score || p.High < score {
			t.Errorf("column %d: %d to %d, score %d", p.Column, p.Low, p.High, score)
		}
	}
}

// After a first call only the lists that a method returns take memory.
func TestNoAllocation(t *testing.T) {
	s, ctx := New(Options{NoBook: true}), t.Context()
	large, _ := board.Parse(board.FullMatrix, "122275766688582151258115176876")
	for _, p := range []board.Position{mustParse(t, readPositions(t, "testdata/opening-medium.positions")[0].moves), large} {
		questions := s.questions(ctx, p)
		delete(questions, "Analyse")
		delete(questions, "Best")
		for name, ask := range questions {
			if n := testing.AllocsPerRun(3, func() {
				s.Reset()
				must(t, ask())
			}); n != 0 {
				t.Errorf("%s: %v allocations on %v", name, n, p.Rules())
			}
		}
	}
}
