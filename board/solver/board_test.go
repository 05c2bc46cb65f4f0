package solver

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/try"
)

// completing, hasLine, playable and drop agree with package board on every board.
func TestLinesAgainstBoard(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, rules := range sizes() {
		g := newGeometry(rules.Columns, rules.Rows)
		for range scaled(2000) {
			p := randomOn(r, rules, r.IntN(g.cells/2))
			for {
				for _, disc := range []board.Disc{board.Red, board.Yellow} {
					discs := uint64(p.Discs(disc))
					taken := discs | uint64(p.Discs(disc.Other()))
					if got, want := completing(discs)&g.all&^taken, uint64(p.Threats(disc))&^taken; got != want {
						t.Fatalf("%v completes %x, want %x:\n%v", disc, got, want, p)
					}
					if got, want := hasLine(discs), p.Outcome().Winner() == disc; got != want {
						t.Fatalf("%v has a line: %v, want %v:\n%v", disc, got, want, p)
					}
				}
				free := g.playable(uint64(p.Discs(board.Red) | p.Discs(board.Yellow)))
				var want uint64
				for column := range rules.Columns {
					if row := p.Height(column); row < rules.Rows {
						want |= 1 << (8*column + row)
					}
				}
				if free != want {
					t.Fatalf("playable %x, want %x:\n%v", free, want, p)
				}
				if p.Outcome() != board.Playing {
					break
				}
				column := r.IntN(rules.Columns) // this disc may win
				next, err := p.Drop(column)
				after, wins, ok := g.drop(g.stateOf(p), column)
				if ok != (err == nil) || ok && (!wins && after != g.stateOf(next) || wins != (next.Outcome().Winner() != board.Empty)) {
					t.Fatalf("column %d of %v gives %x, %v, %v", column, p, after, wins, ok)
				}
				if ok {
					p = next
				}
			}
		}
	}
}

func TestAbove(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 10_000 {
		b := r.Uint64() & r.Uint64()
		var want uint64
		for cell := range 64 {
			column := uint64(0xff) << (cell &^ 7)
			if below := column & (1<<cell - 1); b&below != 0 {
				want |= 1 << cell
			}
		}
		if got := above(b); got != want {
			t.Fatalf("above %x: %x, want %x", b, got, want)
		}
	}
}

func TestMirrored(t *testing.T) {
	for _, rules := range sizes() {
		g := newGeometry(rules.Columns, rules.Rows)
		for column := range rules.Columns {
			for row := range rules.Rows {
				if got := g.mirrored(1 << (8*column + row)); bits.TrailingZeros64(got) != 8*(rules.Columns-1-column)+row {
					t.Errorf("%v: column %d row %d becomes %x", rules, column, row, got)
				}
			}
		}
	}
}

// completing without a new disc, together with through for that disc, finds the same cells
// as completing with it.
func TestThrough(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, rules := range sizes() {
		g := newGeometry(rules.Columns, rules.Rows)
		for range scaled(20_000) {
			b := r.Uint64() & g.all
			if r.IntN(2) == 0 {
				b &= r.Uint64()
			}
			cell := 8*r.IntN(rules.Columns) + r.IntN(rules.Rows)
			b &^= 0xff << cell & (0xff << (cell &^ 7))
			want := completing(b|1<<cell) & g.all
			if got := (completing(b) | g.through(b, cell)) & g.all; got&^b != want&^b {
				t.Fatalf("%v: %x with cell %d completes %x, want %x", rules, b, cell, got, want)
			}
		}
	}
}

// Different positions have different keys, mirror images have the same early on, and later ones
// differ unless they are equal.
func TestKeysUnique(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	for _, rules := range sizes() {
		g := newGeometry(rules.Columns, rules.Rows)
		type hashed struct {
			hash uint64
			more uint16
		}
		seen := map[hashed]state{}
		for range scaled(30_000) {
			p := randomOn(r, rules, g.cells*r.IntN(8)/10)
			s := g.stateOf(p)
			var k hashed
			if k.hash = s.plainKey(); g.plainKeyPly > g.cells {
				k.hash, k.more = g.key(s, g.cells)
			}
			if before, ok := seen[k]; ok && before != s {
				t.Fatalf("%v: %x and %x share the key %x", rules, before, s, k)
			}
			seen[k] = s
			image := g.stateAt(g.mirrored(s.mover), g.mirrored(s.other))
			one, oneMore := g.key(s, 0)
			two, twoMore := g.key(image, 0)
			full := (s.mover | s.other) >> 7 & floor
			if (one != two || oneMore != twoMore) && full == 0 {
				t.Fatalf("%v: %x and its mirror image have different keys", rules, s)
			}
		}
	}
}

var must = try.Must
