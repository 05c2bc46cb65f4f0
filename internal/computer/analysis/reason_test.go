package analysis

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// Nothing is above the top row of a full matrix.
func TestOver(t *testing.T) {
	if got := over(1<<7 | 1<<6); got != 1<<7 {
		t.Errorf("%x", got)
	}
}

// Every reason and every variation of random games and of hints is true, on several boards, and every mistake that
// is punished within four discs has a reason.
func TestReasons(t *testing.T) {
	if testing.Short() {
		t.Skip("proves what is said of 48 games")
	}
	r := rand.New(rand.NewPCG(37, 12))
	counts, hints := map[game.Kind]int{}, solver.New(solver.Options{})
	for i := range 4 * *games {
		rules := []board.Rules{board.Standard, {Columns: 5, Rows: 4, Connect: 4}, {Columns: 6, Rows: 5, Connect: 4}, board.FullMatrix}[i%4]
		g, _ := board.NewGame(rules, board.Red)
		for g.Position().Outcome() == board.Playing {
			_ = g.Play(r.IntN(rules.Columns))
		}
		from := max(0, g.Position().Ply()-24)
		if rules == board.FullMatrix {
			from = max(34, from)
		}
		n := newProver(rules)
		prove := func(moves string, w game.Why, score int) {
			if counts[w.Kind]++; w.Line != "" {
				if err := n.prove(moves, w, score); err != nil {
					t.Errorf("after %s, %+v is false: %v", moves, w, err)
				}
			}
		}
		for d, err := range New(solver.Options{}).Discs(context.Background(), g, from) {
			must(t, err)
			before := g.String()[:d.Ply]
			if d.Ply%8 == 0 { // a hint
				a, err := hints.Analyse(t.Context(), d.before)
				must(t, err)
				prove(before, Why(t.Context(), hints, d.before, a, a.Best[0]), a.Score)
			}
			if !d.Changed() {
				continue
			}
			after := before + g.String()[d.Ply:d.Ply+1]
			prove(after, d.Why, -int(d.After))
			prove(before, d.Better, int(d.Before))
			if d.After < 0 && words.ToWin(d.before, int(d.After)) <= 2 && (d.Why.Kind == game.Distance || d.Why.Kind == "") {
				t.Errorf("no reason although the end is near: %+v\n%v", d.Why, after)
			}
		}
	}
	t.Log(counts)
	for _, kind := range []game.Kind{game.Wins, game.Blocks, game.Threats, game.Only} {
		if counts[kind] == 0 {
			t.Errorf("no reason %q was verified", kind)
		}
	}
}
