package book

import (
	"bytes"
	"testing"
)

// A cut book has the same entries up to its last ply, and none after it.
func TestCut(t *testing.T) {
	for _, last := range []int{0, 8, 11, MaxPly} {
		if last > 8 && testing.Short() {
			continue // each takes seconds
		}
		cut, err := Cut(last)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Open(cut)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Embedded()
		if err != nil {
			t.Fatal(err)
		}
		for ply := range b.plies {
			want := whole.plies[ply]
			if ply > last {
				want.n = 0
			}
			if got := b.plies[ply]; got.n != want.n || ply <= last && (!bytes.Equal(got.blocks, want.blocks) || got.complete != want.complete) {
				t.Errorf("cut after %d: ply %d has %d entries, want %d", last, ply, got.n, want.n)
			}
		}
		if last == MaxPly && !bytes.Equal(cut, embedded) {
			t.Error("a book that is not cut differs")
		}
	}
}
