package analysis

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/game"
)

// grid is a board for a proof that uses nothing of what finds reasons.
type grid [board.MaxSide][board.MaxSide]board.Disc

func (g *grid) row(r board.Rules, col int) int {
	for row := range r.Rows {
		if g[col][row] == board.Empty {
			return row
		}
	}
	return -1
}

// wins reports whether a disc in a cell completes a line.
func (g grid) wins(r board.Rules, col, row int, d board.Disc) bool {
	g[col][row] = d
	for _, way := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		run := 1
		for _, dir := range [2]int{1, -1} {
			for c, y := col+dir*way[0], row+dir*way[1]; c >= 0 && c < r.Columns && y >= 0 && y < r.Rows && g[c][y] == d; c, y = c+dir*way[0], y+dir*way[1] {
				run++
			}
		}
		if run >= r.Connect {
			return true
		}
	}
	return false
}

// now returns the columns in which a player wins with a disc.
func (g *grid) now(r board.Rules, d board.Disc) (columns []int) {
	for col := range r.Columns {
		if row := g.row(r, col); row >= 0 && g.wins(r, col, row, d) {
			columns = append(columns, col)
		}
	}
	return columns
}

// verify proves a reason and its variation from the position p, whose score is known.
func verify(t *testing.T, s *solver.Solver, p board.Position, w game.Why, mistake int) {
	t.Helper()
	r, me := p.Rules(), p.Turn()
	var g grid
	for col := range r.Columns {
		for row := range r.Rows {
			g[col][row] = p.At(col, row)
		}
	}
	start, at := g, p
	score := func(p board.Position) int {
		if p.Outcome().Winner() != board.Empty {
			return -(r.Cells() - p.Ply() + 2) / 2
		}
		got, err := s.Solve(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		return got.Score
	}
	forced, first := true, g
	for i, c := range w.Line {
		col := int(c - '1')
		next, err := at.Drop(col)
		if err != nil || score(at) != -score(next) {
			t.Fatalf("%+v: disc %d of the line is not best, %v:\n%v", w, i+1, err, p)
		}
		g[col][g.row(r, col)] = at.Turn()
		if i == 0 {
			first = g
		}
		if at = next; i+1 == w.After {
			break
		}
		if i%2 == 0 && len(g.now(r, me)) != 1 {
			forced = false
		}
	}
	untrue := func() { t.Fatalf("%+v is not proved:\n%v", w, p) }
	can := func(at *grid, d board.Disc) bool { // every cell wins for d at once, in that grid
		for _, c := range w.Cells.All(0) {
			if at.row(r, c[0]) != c[1] || !at.wins(r, c[0], c[1], d) {
				return false
			}
		}
		return w.Cells != 0
	}
	switch w.Kind {
	case game.Wins:
		if !can(&start, me) {
			untrue()
		}
	case game.Under:
		if all := w.Cells.All(0); !can(&start, me) || len(all) != 1 || all[0][0] != mistake || len(start.now(r, me)) != 1 {
			untrue()
		}
	case game.Blocks:
		if !can(&start, me.Other()) || w.Cells.All(0)[0][0] != w.Column() || len(start.now(r, me)) > 0 {
			untrue()
		}
	case game.Threats, game.Later:
		if len(g.now(r, me.Other())) > 0 || w.Kind == game.Threats && !forced || len(w.Cells.All(0)) < 2 {
			untrue()
		}
		for col := range r.Columns { // whatever the other side answers, it loses at once
			if row := g.row(r, col); row >= 0 {
				answered := g
				answered[col][row] = me.Other()
				if len(answered.now(r, me)) == 0 {
					untrue()
				}
			}
		}
	case game.Zugzwang:
		for _, c := range w.Cells.All(0) {
			if !first.wins(r, c[0], c[1], me) || first.row(r, c[0]) >= c[1] {
				untrue()
			}
		}
	case game.Only:
		for col := range p.LegalMoves() {
			if next, _ := p.Drop(col); col != w.Column() && -score(next) >= score(p) {
				untrue()
			}
		}
	}
}

// Every reason and every variation of random games is true, on several boards, and every mistake that
// is punished within four discs has a reason.
func TestReasons(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 12))
	counts := map[game.Kind]int{}
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
		s := solver.New(solver.Options{})
		for d, err := range New(solver.Options{}).Discs(context.Background(), g, from) {
			if err != nil {
				t.Fatal(err)
			}
			if !d.Marked() {
				continue
			}
			after, _ := d.before.Drop(d.Column)
			verify(t, s, after, d.Why, d.Column)
			verify(t, s, d.before, d.Better, none)
			counts[d.Why.Kind]++
			counts[d.Better.Kind]++
			ends := solverEnd(t, s, after)
			if d.After < 0 && ends <= 4 && (d.Why.Kind == game.Distance || d.Why.Kind == "") {
				t.Errorf("no reason although it ends after %d discs: %+v\n%v", ends, d.Why, after)
			}
		}
	}
	t.Log(counts)
	for _, kind := range []game.Kind{game.Wins, game.Under, game.Blocks, game.Threats} {
		if counts[kind] == 0 {
			t.Errorf("no reason %q was verified", kind)
		}
	}
}

func solverEnd(t *testing.T, s *solver.Solver, p board.Position) int {
	a, err := s.Analyse(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return len(a.Line)
}
