package computer

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

// randomPosition returns the position of an unfinished game after that many random discs.
func randomPosition(r *rand.Rand, rules board.Rules, plies int) board.Position {
	for {
		p, err := board.NewPosition(rules, board.Red)
		if err != nil {
			panic(err)
		}
		for p.Ply() < plies && p.Outcome() == board.Playing {
			if next, err := p.Drop(r.IntN(rules.Columns)); err == nil {
				p = next
			}
		}
		if p.Outcome() == board.Playing {
			return p
		}
	}
}

// On any board every level plays a legal column, and the same one for the same seed.
func TestEveryLevelEveryBoard(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, rules := range []board.Rules{board.Standard, board.FullMatrix, {Columns: 5, Rows: 4, Connect: 4}, {Columns: 8, Rows: 2, Connect: 5}, {Columns: 4, Rows: 8, Connect: 3}} {
		for level := match.Novice; int(level) <= match.LevelCount; level++ {
			if level >= match.Hard && testing.Short() {
				continue
			}
			for range 3 {
				p := randomPosition(r, rules, min(12, rules.Cells()/2))
				var one, two Computer
				col, err := one.Choose(t.Context(), level, p, 77)
				if err != nil || !p.Legal(col) {
					t.Fatalf("%v on %v: column %d, %v\n%v", level, rules, col, err, p)
				}
				if again, err := two.Choose(t.Context(), level, p, 77); err != nil || again != col {
					t.Fatalf("%v on %v: column %d and then %d, %v\n%v", level, rules, col, again, err, p)
				}
			}
		}
	}
}

// From easy on, no level misses a win in one, or a block that prevents a loss in one.
func TestWinsAndBlocksInOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for level := match.Easy; level <= match.Perfect; level++ {
		var player Computer
		n := 100
		if level == match.Medium {
			n = 1000 // medium sometimes searches only two plies
		}
		for n > 0 {
			p := randomPosition(r, board.Standard, 12+r.IntN(20))
			want := playableThreats(p, p.Turn())
			if theirs := playableThreats(p, p.Turn().Other()); len(want) == 0 && len(theirs) == 1 {
				// If the other side wins on top of the block, blocking does not help.
				if after, _ := p.Drop(theirs[0]); len(playableThreats(after, after.Turn())) == 0 {
					want = theirs
				}
			}
			if len(want) == 0 {
				continue
			}
			n--
			if col, err := player.Choose(t.Context(), level, p, r.Uint64()); err != nil || !slices.Contains(want, col) {
				t.Fatalf("%v plays column %d, %v, want one of %v:\n%v", level, col, err, want, p)
			}
		}
	}
}

func playableThreats(p board.Position, d board.Disc) (columns []int) {
	threats := p.Threats(d)
	for col := range p.LegalMoves() {
		if threats.Has(col, p.Height(col)) {
			columns = append(columns, col)
		}
	}
	return columns
}

// Perfect plays only best moves, and plays each of them with some seed.
func TestPerfectIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	s := solver.New(solver.Options{})
	for range 30 {
		var player Computer
		p := randomPosition(r, board.Standard, 14+r.IntN(20))
		_, best, err := s.Best(t.Context(), p)
		must(t, err)
		played := map[int]bool{}
		for seed := range uint64(100) {
			col, err := player.Choose(t.Context(), match.Perfect, p, seed)
			if err != nil || !slices.Contains(best, col) {
				t.Fatalf("column %d, %v, want one of %v:\n%v", col, err, best, p)
			}
			played[col] = true
		}
		if len(played) != len(best) {
			t.Fatalf("plays %v of %v:\n%v", played, best, p)
		}
	}
}

func TestChooseErrors(t *testing.T) {
	var player Computer
	over, err := board.Parse(board.Standard, "1122334")
	must(t, err)
	if _, err := player.Choose(t.Context(), match.Easy, over, 1); !errors.Is(err, ErrOver) {
		t.Error(err)
	}
	start, err := board.NewPosition(board.Standard, board.Red)
	must(t, err)
	if _, err := player.Choose(t.Context(), match.Level(match.LevelCount+1), start, 1); !errors.Is(err, ErrLevel) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	early, err := board.Parse(board.Standard, "123456")
	must(t, err)
	for _, level := range []match.Level{match.Hard, match.Perfect} {
		if _, err := player.Choose(ctx, level, early, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", level, err)
		}
	}
	if _, err := player.Advise(ctx, early); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Advise returns the solver's scores if its budget suffices, and an estimate otherwise.
func TestAdvise(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	s := solver.New(solver.Options{})
	var player Computer
	for range 30 {
		p := randomPosition(r, board.Standard, 16+r.IntN(20))
		a, err := s.Analyse(t.Context(), p)
		must(t, err)
		got, err := player.Advise(t.Context(), p)
		if err != nil || !got.Exact || got.Score != a.Columns || got.Why.Column() != got.Best(p) {
			t.Fatalf("%+v, %v, want %v:\n%v", got, err, a.Columns, p)
		}
	}
	start, err := board.NewPosition(board.Standard, board.Red)
	must(t, err)
	got, err := player.Advise(t.Context(), start)
	if want := [board.MaxSide]int{-2, -1, 0, 1, 0, -1, -2}; err != nil || !got.Exact || got.Score != want {
		t.Errorf("the empty board: %+v, %v, want %v", got, err, want)
	}
	estimates, outcomes := 0, 0
	few := solver.Options{Nodes: 4000}
	hasty, same := Computer{adviser: solver.New(few)}, solver.New(few)
	for range 60 {
		p := randomPosition(r, board.Standard, 14)
		got, err := hasty.Advise(t.Context(), p)
		must(t, err)
		if got.Exact {
			continue
		}
		estimates++
		guess, _, _ := estimate(t.Context(), p, estimateNodes)
		same.Reset()
		_, _ = same.Analyse(t.Context(), p)
		o, _ := same.Outcomes(t.Context(), p)
		for col, known := range o.Known {
			if want := guess[col]; known && want == 0 && o.Columns[col] != 0 {
				outcomes++
				guess[col] = o.Columns[col]
			}
		}
		if got.Score != guess {
			t.Errorf("%v, want %v:\n%v", got.Score, guess, p)
		}
	}
	if estimates == 0 || outcomes == 0 {
		t.Errorf("%d hints are estimates, with %d columns whose outcome was found", estimates, outcomes)
	}
}

// All answers share the tables, whether they come or are cancelled, until Rest.
func TestTables(t *testing.T) {
	g, err := board.ParseGame(board.Standard, board.Red, "4444432222311665")
	must(t, err)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	c, before := Computer{Table: 1 << 20}, Computer{}
	for i, ctx := range []context.Context{t.Context(), cancelled, t.Context()} {
		for _, q := range []game.Question{{Kind: game.Think, Level: match.Perfect}, {Kind: game.Advise}, {Kind: game.Review}} {
			q.Game = g
			if _, err := c.Answer(ctx, q, func(game.Event) {}); !errors.Is(err, ctx.Err()) {
				t.Error(q.Kind, err)
			}
		}
		if i > 0 && c != before || c.solver == nil || c.adviser == nil || c.analyst == nil {
			t.Errorf("%+v after %+v", c, before)
		}
		before = c
	}
	if c.Rest(); c != (Computer{Table: 1 << 20}) {
		t.Errorf("%+v keeps its tables", c)
	}
}

// The same seed gives the same game on every machine: these games were recorded on another machine.
func TestSeedRepeatsGame(t *testing.T) {
	games := map[match.Level]string{
		match.Novice:   "6424161641332121164273",
		match.Beginner: "6424161641332143272",
		match.Easy:     "64241616413321221535",
		match.Medium:   "325564755223434451",
		match.Hard:     "542416155144212216416262",
	}
	for level := match.Novice; level < match.Perfect; level++ {
		want := games[level]
		g, err := board.NewGame(board.Standard, board.Red)
		var player Computer
		for ply := 0; err == nil && g.Position().Outcome() == board.Playing && ply < 24; ply++ {
			var col int
			if col, err = player.Choose(t.Context(), level, g.Position(), 2026); err == nil {
				err = g.Play(col)
			}
		}
		if got := g.String(); err != nil || got != want {
			t.Errorf("%v plays %s, %v, want %s", level, got, err, want)
		}
	}
}

var must = try.Must
