package analysis

import (
	"context"
	"math/rand/v2"
	"slices"
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

// Every reason and every variation of random games is true, on several boards, and every mistake that
// is punished within four discs has a reason.
func TestReasons(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 12))
	counts := map[game.Kind]int{}
	sooner, without := 0, 0
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
		n := newProver(rules.Columns, rules.Rows, rules.Connect)
		n.nodes = 300_000
		var let []int
		down := from
		if g.Position().Outcome() != board.Draw {
			let, down = n.sooner(g.String(), from)
		}
		for d, err := range New(solver.Options{}).Discs(context.Background(), g, from) {
			must(t, err)
			switch is := slices.Contains(let, d.Ply); {
			case d.Ply < down || d.Sooner == is:
			case d.Sooner:
				t.Errorf("%v: disc %d did not let the loss come much sooner", g, d.Ply+1)
			default:
				without++ // there is no short reason
			}
			if !d.Marked() {
				continue
			}
			if d.Sooner {
				sooner++
			}
			before := g.String()[:d.Ply]
			after := before + g.String()[d.Ply:d.Ply+1]
			prove(t, n, after, d.Why, -int(d.After), d.Column)
			prove(t, n, before, d.Better, int(d.Before), none)
			counts[d.Why.Kind]++
			counts[d.Better.Kind]++
			if end := words.EndsAt(rules.Cells(), int(d.After), d.Ply) - d.Ply; d.After < 0 && end <= 4 && (d.Why.Kind == game.Distance || d.Why.Kind == "") {
				t.Errorf("no reason although it ends after %d discs: %+v\n%v", end, d.Why, after)
			}
		}
	}
	t.Log(counts, sooner, without)
	if sooner <= 10*without {
		t.Errorf("%d discs let a certain loss come much sooner, and %d more without a reason", sooner, without)
	}
	for _, kind := range []game.Kind{game.Wins, game.Under, game.Blocks, game.Threats} {
		if counts[kind] == 0 {
			t.Errorf("no reason %q was verified", kind)
		}
	}
}

// prove proves a reason and its variation by a plain search, as far as that reaches.
func prove(t *testing.T, n *prover, moves string, w game.Why, score, below int) {
	t.Helper()
	n.nodes = 30_000
	if _, err := n.prove(moves, w, score, below); w.Line != "" && err != nil {
		t.Errorf("after %s, %+v is false: %v", moves, w, err)
	}
}

// The disc that let the winner of a short game win soon has a mark although it is not known, unless a
// known disc has one, and its better columns are those that hold out longer.
func TestBlame(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	n := newProver(8, 8, 4)
	marked, proved, none := 0, 0, 0
	for range *games {
		g, _ := board.NewGame(board.FullMatrix, board.Red)
		for g.Position().Outcome() == board.Playing {
			_ = g.Play(r.IntN(8))
		}
		if g.Position().Outcome() == board.Draw {
			continue
		}
		var got Disc
		for d, err := range New(solver.Options{Nodes: 200_000}).Discs(context.Background(), g, 0) {
			must(t, err)
			if d.Marked() && d.Player != g.Position().Outcome().Winner() && got.Why.Line == "" {
				got = d
			}
		}
		if got.Known {
			continue
		}
		n.nodes = 1_000_000
		ply, loss, holds, err := n.blame(g.String())
		switch {
		case err != nil:
		case holds == nil:
			none++
			if got.Sooner {
				t.Errorf("%v: disc %d is blamed", g, got.Ply+1)
			}
		default:
			proved++
			if got.Ply != ply || int(got.After) != -loss || !slices.Equal(got.Holding(got.before), holds) || !slices.Contains(holds, got.Better.Column()) {
				t.Errorf("%v: disc %d, which loses with score %d, is to blame, and not columns %v: %+v", g, ply+1, -loss, holds, got)
			}
		}
		if got.Sooner {
			marked++
			prove(t, n, g.String()[:got.Ply]+g.String()[got.Ply:got.Ply+1], got.Why, -int(got.After), got.Column)
		}
	}
	t.Log(marked, proved, none)
	if proved < *games/10 {
		t.Errorf("only %d of %d games were proved", proved, *games)
	}
}
