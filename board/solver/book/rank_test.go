package book

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomDiscs drops that many random discs and ignores lines.
func randomDiscs(r *rand.Rand, ply int) (mover, other uint64) {
	var taken uint64
	for n := 0; n < ply; {
		column := r.IntN(columns)
		next := (taken + 1<<(8*column)) & (0x3f << (8 * column)) &^ taken
		if next == 0 {
			continue
		}
		mover, other = other, mover|next
		taken |= next
		n++
	}
	return mover, other
}

// Before mirror images are merged, the positions of a ply have different ranks without gaps,
// and Unrank finds the position of each.
func TestRanksDense(t *testing.T) {
	for ply := range 8 {
		all := map[[2]uint64]bool{}
		eachHeights(columns, ply, 0, func(taken uint64) {
			for mover := taken; ; mover = (mover - 1) & taken {
				if bits.OnesCount64(mover) == ply/2 {
					all[[2]uint64{mover, taken &^ mover}] = true
				}
				if mover == 0 {
					break
				}
			}
		})
		if int(Ranks(ply)) != len(all) {
			t.Fatalf("ply %d: %d ranks for %d positions", ply, Ranks(ply), len(all))
		}
		var ranks []uint32
		for p := range all {
			rank := rankOf(p[0], p[0]|p[1], ply)
			ranks = append(ranks, rank)
			if mover, other := Unrank(ply, rank); mover != p[0] || other != p[1] {
				t.Fatalf("ply %d: %x becomes rank %d becomes %x, %x", ply, p, rank, mover, other)
			}
		}
		slices.Sort(ranks)
		for i, rank := range ranks {
			if int(rank) != i {
				t.Fatalf("ply %d: rank %d, want %d", ply, rank, i)
			}
		}
	}
}

// eachHeights calls f for all ways to distribute discs over columns.
func eachHeights(columns, discs int, taken uint64, f func(taken uint64)) {
	if columns == 0 {
		if discs == 0 {
			f(taken)
		}
		return
	}
	for height := 0; height <= min(rows, discs); height++ {
		eachHeights(columns-1, discs-height, taken<<8|(1<<height-1), f)
	}
}

func TestRankAndBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 100_000 {
		mover, other := randomDiscs(r, r.IntN(MaxPly+1))
		ply, rank := Rank(mover, other)
		if again, image := Rank(mirrored(mover), mirrored(other)); again != ply || image != rank {
			t.Fatalf("%x, %x: rank %d, and its image %d", mover, other, rank, image)
		}
		if rank >= Ranks(ply) {
			t.Fatalf("%x, %x: rank %d of %d", mover, other, rank, Ranks(ply))
		}
		m, o := Unrank(ply, rank)
		if (m != mover || o != other) && (m != mirrored(mover) || o != mirrored(other)) {
			t.Fatalf("%x, %x: rank %d is %x, %x", mover, other, rank, m, o)
		}
	}
}

func TestRankOfTooMany(t *testing.T) {
	mover, other := randomDiscs(rand.New(rand.NewPCG(2, 0)), MaxPly+1)
	if ply, rank := Rank(mover, other); ply != MaxPly+1 || rank != 0 {
		t.Errorf("%d, %d", ply, rank)
	}
}

// All ranks fit into 32 bits.
func TestRanksFit(t *testing.T) {
	want := map[int]uint32{0: 1, 1: 7, 2: 28 * 2}
	for ply, n := range want {
		if Ranks(ply) != n {
			t.Errorf("ply %d: %d ranks, want %d", ply, Ranks(ply), n)
		}
	}
	for ply := range MaxPly + 1 {
		heights, colourings := uint64(ways.below[columns-1][ply][rows+1]), uint64(ways.choose[ply][ply/2])
		if heights*colourings>>32 != 0 {
			t.Errorf("ply %d: %d ranks exceed 32 bits", ply, heights*colourings)
		}
	}
}
