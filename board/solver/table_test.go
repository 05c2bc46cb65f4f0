package solver

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// An entry that is found is the last one stored for its key, however often the table has
// grown since then.
func TestTableFind(t *testing.T) {
	type pair struct{ low, high int }
	for _, size := range []int{0, 1 << 16, 1 << 20, 4 << 20} {
		r := rand.New(rand.NewPCG(6, uint64(size)))
		table, stored := newTable(size), map[uint64]pair{}
		start, found := table.log, 0
		for i := range 400_000 {
			key := r.Uint64N(1 << 55)
			if i%2 == 0 {
				key = uint64(r.IntN(1 << 18)) // close together and repeated
			}
			b := pair{r.IntN(highest-lowest+1) + lowest, r.IntN(highest-lowest+1) + lowest}
			table.store(hash(key), b.low, b.high, uint64(r.IntN(1<<20)))
			stored[key] = b

			key = uint64(r.IntN(1 << 18))
			low, high := bounds(table.find(hash(key)))
			want, ok := stored[key]
			switch got := (pair{low, high}); {
			case got == pair{lowest, highest}: // displaced or never stored
			case !ok || got != want:
				t.Fatalf("size %d, entry %d: key %x has %v, want %v", size, i, key, got, want)
			default:
				found++
			}
		}
		if found < 1000 {
			t.Errorf("size %d: only %d keys found", size, found)
		}
		if grown := table.log > start; grown != (size > 1<<18) {
			t.Errorf("size %d: grown is %v, from 2^%d to 2^%d buckets", size, grown, start, table.log)
		}
		table.reset()
		for key := range stored {
			if low, high := bounds(table.find(hash(key))); low != lowest || high != highest {
				t.Fatalf("size %d: key %x is found after a reset", size, key)
			}
		}
	}
}

// Growing the table loses no entry.
func TestTableGrow(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	table := newTable(4 << 20)
	keys := make([]uint64, 20_000)
	for i := range keys {
		keys[i] = r.Uint64N(1 << 55)
		table.store(hash(keys[i]), i%20, 20, 3)
	}
	known := func() (n []int) {
		for i, key := range keys {
			if low, high := bounds(table.find(hash(key))); low == i%20 && high == 20 {
				n = append(n, i)
			} else if low != lowest || high != highest {
				t.Fatalf("key %x: %d to %d, want %d to 20", key, low, high, i%20)
			}
		}
		return n
	}
	before := known()
	for range 3 {
		table.grow()
		if after := known(); !slices.Equal(after, before) {
			t.Fatalf("%d keys of %d left with 2^%d buckets", len(after), len(before), table.log)
		}
	}
}

// The zero entries of an empty table bound no score.
func TestTableEmpty(t *testing.T) {
	table := newTable(0)
	for _, key := range []uint64{0, 1, 1 << 54} {
		if low, high := bounds(table.find(hash(key))); low != lowest || high != highest {
			t.Errorf("key %x: %d to %d", key, low, high)
		}
	}
}

// Different positions have different keys, which fit 55 bits.
func TestKeysUnique(t *testing.T) {
	seen := map[uint64][2]uint64{}
	r := rand.New(rand.NewPCG(8, 0))
	for range scaled(200_000) {
		p := randomPosition(r, r.IntN(cells))
		at, err := stateOf(p)
		if err != nil {
			t.Fatal(err)
		}
		discs, key := [2]uint64{at.mover, at.other}, at.key(cells)
		if before, ok := seen[key]; ok && before != discs {
			t.Fatalf("%x and %x share the key %x", before, discs, key)
		}
		seen[key] = discs
		if key>>55 != 0 {
			t.Fatalf("key %x is too long", key)
		}
	}
}
