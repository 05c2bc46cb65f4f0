package solver

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/c4hat/c4hat/board/solver/book"
)

func embedded(t testing.TB) *book.Book {
	t.Helper()
	b, err := book.Embedded()
	must(t, err)
	return b
}

// quiet reports whether the side to move cannot win at once and has at least two moves
// after which the other side cannot win at once.
func quiet(s state) bool {
	if std.canWin(s) {
		return false
	}
	safe := 0
	for open := std.playable(s.mover | s.other); open != 0; open &= open - 1 {
		next := std.play(s, open&-open)
		if !std.canWin(next) {
			safe++
		}
	}
	return safe > 1
}

// least returns a lower bound of the score from the book, and often the score itself.
func TestLeast(t *testing.T) {
	b := embedded(t)
	r := rand.New(rand.NewPCG(20, 0))
	s, plain := New(Options{}), New(Options{NoBook: true})
	known, exact, n := 0, 0, scaled(60)
	for range n {
		p := randomPosition(r, 11+r.IntN(4))
		at, err := s.begin(t.Context(), p)
		must(t, err)
		score := plain.mustSolve(t, p)
		least := s.least(at, p.Ply())
		if least > score {
			t.Fatalf("least %d, score %d:\n%v", least, score, p)
		}
		if least > lowest {
			known++
		}
		if least == score {
			exact++
		}
		if got := s.mustSolve(t, p); got != score {
			t.Fatalf("with the book %d, want %d:\n%v", got, score, p)
		}
	}
	t.Logf("of %d positions up to ply %d, %d bounds are known, %d are the score", n, b.Last()+1, known, exact)
	if known < n/4 || exact < n/8 {
		t.Error("too few to be meaningful")
	}
}

// The search agrees with randomly chosen entries of the book.
func TestBookEntries(t *testing.T) {
	b := embedded(t)
	r := rand.New(rand.NewPCG(14, 0))
	s := New(Options{NoBook: true, Nodes: uint64(scaled(4_000_000))})
	if *full {
		s.maxNodes = 0
	}
	_, _ = s.begin(t.Context(), mustParse(t, "-"))
	wanted := map[int]int{6: 3, 7: 3, 8: 10, 9: 10, 10: 20, 11: 20, 12: 20, 13: 20}
	checked := 0
	for ply := range book.MaxPly + 1 {
		want := min(scaled(wanted[ply]), b.Len(ply))
		if *full && ply > 3 {
			want = min(500, b.Len(ply))
		}
		chosen := map[int]bool{}
		for len(chosen) < want {
			chosen[r.IntN(b.Len(ply))] = true
		}
		i := -1
		for rank, bounds := range b.All(ply) {
			if i++; !chosen[i] {
				continue
			}
			at := std.stateAt(book.Unrank(ply, rank))
			if hasLine(at.mover) || hasLine(at.other) || !quiet(at) {
				t.Fatalf("ply %d, rank %d is not quiet", ply, rank)
			}
			s.nodes, s.stopped = 0, false
			got, ok := s.solve(at, ply, none)
			if !ok {
				continue
			}
			checked++
			if got < bounds.Low || got > bounds.High {
				t.Fatalf("ply %d, rank %d: %v, score %d", ply, rank, bounds, got)
			}
		}
	}
	t.Logf("%d entries checked", checked)
}

// The book has all quiet positions of a complete ply and no others. The numbers of
// positions by ply are OEIS A212693.
func TestBookCompletePlies(t *testing.T) {
	b := embedded(t)
	distinct := []int{1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186, 1662623, 4568683}
	now := []state{std.stateAt(0, 0)}
	for ply, want := range distinct {
		if ply > 7 && testing.Short() || ply > 8 && !*full {
			break
		}
		missing, pairs := 0, map[uint32]bool{}
		next := map[[2]uint64]bool{}
		for _, at := range now {
			won := hasLine(at.other)
			known := b.Bounds(at.mover, at.other)
			quiet := !won && quiet(at)
			if (known.Low == known.High) != quiet {
				missing++
			}
			if quiet {
				_, rank := book.Rank(at.mover, at.other)
				pairs[rank] = true
			}
			if won {
				continue
			}
			for open := std.playable(at.mover | at.other); open != 0; open &= open - 1 {
				next[[2]uint64{at.other, at.mover | open&-open}] = true
			}
		}
		if len(now) != want {
			t.Errorf("ply %d: the test generates %d positions, want %d", ply, len(now), want)
		}
		if b.Complete(ply) && (missing > 0 || b.Len(ply) != len(pairs)) {
			t.Errorf("ply %d: %d entries for %d quiet positions (mirror images count once), %d missing or superfluous", ply, b.Len(ply), len(pairs), missing)
		}
		now = now[:0]
		for p := range next {
			now = append(now, std.stateAt(p[0], p[1]))
		}
	}
	if !b.Complete(0) {
		t.Error("no ply is complete")
	}
}

// The book's bounds of a position are consistent with those of the positions after each
// move.
func TestBookConsistency(t *testing.T) {
	b := embedded(t)
	agreed := 0
	for ply := range b.Last() + 1 {
		step := 1 + b.Len(ply)/scaled(20_000)
		i := 0
		for rank, known := range b.All(ply) {
			if i++; i%step != 0 {
				continue
			}
			at := std.stateAt(book.Unrank(ply, rank))
			best := book.Bounds{Low: lowest, High: lowest}
			for open := std.playable(at.mover | at.other); open != 0; open &= open - 1 {
				reply := follow(b, std.play(at, open&-open), ply+1)
				best.Low, best.High = max(best.Low, -reply.High), max(best.High, -reply.Low)
			}
			if best.Low > known.High || best.High < known.Low {
				t.Fatalf("ply %d, rank %d: %v, but its moves give %v", ply, rank, known, best)
			}
			if best.Low == best.High && best == known {
				agreed++
			}
		}
	}
	t.Logf("%d positions with the exact score of their moves", agreed)
	if agreed < scaled(1000) {
		t.Errorf("only %d positions, too few to be meaningful", agreed)
	}
}

// follow returns the book's bounds of a position, after any forced moves.
func follow(b *book.Book, at state, ply int) book.Bounds {
	exactly := func(score int) book.Bounds { return book.Bounds{Low: score, High: score} }
	if std.canWin(at) {
		return exactly(std.winAt(ply))
	}
	if quiet(at) {
		return b.Bounds(at.mover, at.other)
	}
	for open := std.playable(at.mover | at.other); open != 0; open &= open - 1 {
		next := std.play(at, open&-open)
		if !std.canWin(next) { // the only one
			known := follow(b, next, ply+1)
			return book.Bounds{Low: -known.High, High: -known.Low}
		}
	}
	return exactly(-std.winAt(ply + 1))
}

// Analyse and Best return the same with the book and without it.
func TestBookAgainstSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 0))
	with, without := New(Options{}), New(Options{NoBook: true, Nodes: 3_000_000})
	compared := 0
	for range scaled(20) {
		p := randomPosition(r, 8+r.IntN(6))
		want, err := without.Analyse(t.Context(), p)
		if errors.Is(err, ErrNodes) {
			continue
		}
		got, err := with.Analyse(t.Context(), p)
		must(t, err)
		compared++
		if got.Score != want.Score || got.Columns != want.Columns || !slices.Equal(got.Best, want.Best) || !slices.Equal(got.Line, want.Line) {
			t.Fatalf("%+v, want %+v:\n%v", got, want, p)
		}
		result, best, err := with.Best(t.Context(), p)
		if err != nil || result.Score != want.Score || !slices.Equal(best, want.Best) {
			t.Fatalf("%v, %v, want %v:\n%v", best, err, want.Best, p)
		}
	}
	t.Logf("%d positions compared", compared)
}
