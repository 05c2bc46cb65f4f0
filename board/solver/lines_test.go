package solver

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/board"
)

// completing, hasLine and playable agree with package board.
func TestLinesAgainstBoard(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		p := randomPosition(r, r.IntN(cells+1))
		for {
			for _, disc := range []board.Disc{board.Red, board.Yellow} {
				discs := uint64(p.Discs(disc))
				taken := discs | uint64(p.Discs(disc.Other()))
				if got, want := completing(discs)&all&^taken, uint64(p.Threats(disc))&^taken; got != want {
					t.Fatalf("%v completes %x, want %x:\n%v", disc, got, want, p)
				}
				if got, want := hasLine(discs), p.Outcome().Winner() == disc; got != want {
					t.Fatalf("%v has a line: %v, want %v:\n%v", disc, got, want, p)
				}
			}
			free := playable(uint64(p.Discs(board.Red) | p.Discs(board.Yellow)))
			var want uint64
			for column := range columns {
				if row := p.Height(column); row < rows {
					want |= 1 << (8*column + row)
				}
			}
			if free != want {
				t.Fatalf("playable %x, want %x:\n%v", free, want, p)
			}
			next, err := p.Drop(r.IntN(columns)) // this disc may win
			if err != nil {
				break
			}
			p = next
		}
	}
}

func TestAbove(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 10_000 {
		b := r.Uint64() & r.Uint64() & all
		var want uint64
		for cell := range 56 {
			column := uint64(0x3f) << (cell &^ 7)
			if below := column & (1<<cell - 1); all>>cell&1 != 0 && b&below != 0 {
				want |= 1 << cell
			}
		}
		if got := above(b); got != want {
			t.Fatalf("above %x: %x, want %x", b, got, want)
		}
	}
}

func TestMirrored(t *testing.T) {
	for column := range columns {
		for row := range rows {
			if got := mirrored(1 << (8*column + row)); bits.TrailingZeros64(got) != 8*(columns-1-column)+row {
				t.Errorf("column %d row %d becomes %x", column, row, got)
			}
		}
	}
}

// completing without a new disc, together with through for that disc, finds the same cells
// as completing with it.
func TestThrough(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 100_000 {
		b := r.Uint64() & all
		if r.IntN(2) == 0 {
			b &= r.Uint64()
		}
		cell := 8*r.IntN(columns) + r.IntN(rows)
		b &^= 0xff << cell & (0xff << (cell &^ 7))
		want := completing(b|1<<cell) & all
		if got := (completing(b) | completion.through(b, cell)) & all; got&^b != want&^b {
			t.Fatalf("%x with cell %d completes %x, want %x", b, cell, got, want)
		}
	}
}
