package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/board/solver/book"
	"github.com/c4hat/c4hat/internal/dev/try"
)

var must = try.Must

func randomPosition(r *rand.Rand, plies int) board.Position {
	for {
		p := positions(0)[0]
		for p.Ply() < plies && p.Outcome() == board.Playing {
			if next, err := p.Drop(r.IntN(7)); err == nil {
				p = next
			}
		}
		if p.Outcome() == board.Playing {
			return p
		}
	}
}

// Wherever the file of results is cut, all complete results are read again, and nothing
// else.
func TestResultsCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results")
	r, skipped, err := openResults(name)
	if err != nil || skipped > 0 {
		t.Fatal(skipped, err)
	}
	for i := range 20 {
		k := key(i/2)<<32 | key(1000+i)
		if i%2 == 0 {
			err = r.setScore(k, i-10, uint8(i))
		} else {
			err = r.setAnswer(k, answer{score: int8(i - 10), best: uint8(i), slow: i%3 == 0})
		}
		must(t, err)
	}
	must(t, r.flush())
	whole, err := os.ReadFile(name)
	must(t, err)
	for cut := range len(whole) + 1 {
		must(t, os.WriteFile(name, whole[:cut], 0o644))
		again, _, err := openResults(name)
		must(t, err)
		must(t, errors.Join(again.setScore(77, 7, 1), again.flush(), again.file.Close()))
		again, _, err = openResults(name)
		must(t, err)
		if again.scores[77] != 7 {
			t.Fatalf("cut at %d: later results are lost", cut)
		}
		delete(again.scores, 77)
		for k, score := range again.scores {
			if r.scores[k] != score || r.answers[k] != again.answers[k] || r.work[k] != again.work[k] {
				t.Fatalf("cut at %d: %d, %v, want %d, %v", cut, score, again.answers[k], r.scores[k], r.answers[k])
			}
		}
		if cut == len(whole) && len(again.scores) != 20 {
			t.Errorf("%d of 20 are left", len(again.scores))
		}
		again.file.Close()
	}

	damaged := append([]byte(nil), whole...)
	damaged[len(whole)/2]++
	must(t, os.WriteFile(name, damaged, 0o644))
	again, skipped, err := openResults(name)
	if err != nil || skipped == 0 || len(again.scores)+skipped < 20 {
		t.Errorf("%d are left, %d skipped, %v", len(again.scores), skipped, err)
	}
}

// The bounds that makebook derives hold, and a position has the score of the position to
// which its forced moves lead.
func TestLearn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results")
	r, _, err := openResults(name)
	must(t, err)
	random := rand.New(rand.NewPCG(1, 0))
	w, plain := newWorker(r, 1<<20), solver.New(solver.Options{})
	forced, learnt := 0, 0
	for range 30 {
		p := randomPosition(random, 10+random.IntN(3))
		truth, best, err := plain.Best(t.Context(), p)
		must(t, err)
		at, sign, score, found := quiet(p)
		if found {
			r, err := plain.Solve(t.Context(), at)
			must(t, err)
			score = r.Score
		}
		if sign*score != truth.Score {
			t.Fatalf("%d, want %d:\n%v", sign*score, truth.Score, p)
		}
		if n := countSafe(t, at); found != (n > 1) {
			t.Fatalf("quiet is %v, with %d moves that do not lose at once:\n%v", found, n, at)
		}
		if !found || at != p {
			forced++
			continue
		}

		must(t, w.find(t.Context(), p, true))
		if next := r.best(p); len(next) != len(best) {
			t.Fatalf("%d best moves, want %d:\n%v", len(next), len(best), p)
		}
		c := make(contents, book.MaxPly+1)
		for ply := range c {
			c[ply].Bounds = map[uint32]book.Bounds{}
		}
		r.addMoves(c, p)
		_, next := after(p)
		for _, n := range next {
			at, _, _, found := quiet(n)
			if !found || at.Ply() > lastPly {
				continue
			}
			known, ok := c[at.Ply()].Bounds[keyOf(at).rank()]
			if !ok {
				t.Fatalf("nothing learnt about\n%v", at)
			}
			truth, err := plain.Solve(t.Context(), at)
			if err != nil || truth.Score < known.Low || truth.Score > known.High {
				t.Fatalf("bounds %v, score %d, %v:\n%v", known, truth.Score, err, at)
			}
			learnt++
		}
		if b := c.implied(p); truth.Score < b.Low || truth.Score > b.High {
			t.Fatalf("bounds %v follow, score %d:\n%v", b, truth.Score, p)
		}
	}
	if forced < 4 || learnt < 60 {
		t.Errorf("%d forced, %d learnt: too few for the test", forced, learnt)
	}
}

// countSafe returns the number of moves after which the other side cannot win at once, or
// 0 if the side to move can win at once.
func countSafe(t *testing.T, p board.Position) (n int) {
	t.Helper()
	for column := range p.LegalMoves() {
		next, err := p.Drop(column)
		must(t, err)
		if next.Outcome() != board.Playing {
			return 0
		}
		safe := true
		for reply := range next.LegalMoves() {
			end, err := next.Drop(reply)
			must(t, err)
			safe = safe && end.Outcome().Winner() == board.Empty
		}
		if safe {
			n++
		}
	}
	return n
}

// A position and its mirror image have the same key, and their best moves are mirror
// images.
func TestMirrorImages(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results")
	r, _, err := openResults(name)
	must(t, err)
	w := newWorker(r, 1<<20)
	random := rand.New(rand.NewPCG(2, 0))
	asked := 0
	for range 200 {
		p := positions(0)[0]
		q := p
		for p.Ply() < 15 && p.Outcome() == board.Playing {
			column := random.IntN(7)
			next, err1 := p.Drop(column)
			image, err2 := q.Drop(6 - column)
			if err1 == nil && err2 == nil {
				p, q = next, image
			}
		}
		if _, ok := safeMoves(p); !ok {
			continue
		}
		asked++
		must(t, w.find(t.Context(), p, true))
		one, two := r.best(p), r.best(q)
		if keyOf(p) != keyOf(q) || len(one) == 0 || len(one) != len(two) {
			t.Fatalf("%v, and its image %v:\n%v", one, two, p)
		}
		for i := range one {
			if keyOf(one[i]) != keyOf(two[len(two)-1-i]) {
				t.Fatalf("%v, and its image %v:\n%v", one[i], two[len(two)-1-i], p)
			}
		}
	}
	if asked < 50 {
		t.Errorf("only %d positions: too few for the test", asked)
	}
}
