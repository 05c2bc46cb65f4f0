package solver

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// keyed returns the hash and the more bits of a number, as [geometry.key] does.
func keyed(n uint64, wide bool) (hash uint64, more uint16) {
	if wide {
		more = uint16(n % 5) // with the same lower bits
	}
	return n<<(64-keyBits)*golden + uint64(more)*golden<<(64-keyBits), more
}

// An entry that is found is the last one stored for its key, however often the table has
// grown since then.
func TestTableFind(t *testing.T) {
	type pair struct{ low, high int }
	for _, tt := range []struct {
		size         int
		wide, shared bool
	}{{size: 0}, {size: 1 << 16}, {size: 1 << 20}, {size: 4 << 20}, {size: 0, wide: true}, {size: 4 << 20, wide: true}, {size: 1 << 20, shared: true}, {size: 1 << 20, wide: true, shared: true}} {
		r := rand.New(rand.NewPCG(6, uint64(tt.size)))
		table, stored := newTable(tt.size), map[uint64]pair{}
		table.widen(tt.wide)
		if tt.shared {
			table.share()
		}
		find := func(n uint64) (low, high int) {
			hash, more := keyed(n, tt.wide)
			return bounds(table.findMore(hash, more))
		}
		start, found := table.log, 0
		for i := range 200_000 {
			n := r.Uint64N(1 << 55)
			if i%2 == 0 {
				n = uint64(r.IntN(1 << 18)) // close together and repeated
			}
			b := pair{r.IntN(highest-lowest+1) + lowest, r.IntN(highest-lowest+1) + lowest}
			hash, more := keyed(n, tt.wide)
			table.store(hash, more, b.low, b.high, uint64(r.IntN(1<<20)))
			stored[n] = b

			n = uint64(r.IntN(1 << 18))
			low, high := find(n)
			want, ok := stored[n]
			switch got := (pair{low, high}); {
			case got == pair{lowest, highest}: // displaced or never stored
			case !ok || got != want:
				t.Fatalf("%+v, entry %d: key %x has %v, want %v", tt, i, n, got, want)
			default:
				found++
			}
		}
		if found < 500 {
			t.Errorf("%+v: only %d keys found", tt, found)
		}
		if grown := table.log > start; !tt.shared && grown != (tt.size > 1<<18) {
			t.Errorf("%+v: grown is %v, from 2^%d to 2^%d buckets", tt, grown, start, table.log)
		}
		table.reset()
		for n := range stored {
			if low, high := find(n); low != lowest || high != highest {
				t.Fatalf("%+v: key %x is found after a reset", tt, n)
			}
		}
	}
}

// More bits tell keys apart that have the same hash.
func TestTableMore(t *testing.T) {
	table := newTable(0)
	table.widen(true)
	table.store(256, 1, 3, 5, 1)
	if low, high := bounds(table.findMore(256, 1)); low != 3 || high != 5 {
		t.Errorf("%d to %d, want 3 to 5", low, high)
	}
	if low, high := bounds(table.findMore(256, 2)); low != lowest || high != highest {
		t.Errorf("another key has %d to %d", low, high)
	}
	table.store(512, 2, 4, 6, 100) // it took more work, so it moves the first to the bucket's second place
	if low, high := bounds(table.findMore(256, 1)); low != 3 || high != 5 {
		t.Errorf("moved: %d to %d, want 3 to 5", low, high)
	}
}

// Growing the table loses no entry.
func TestTableGrow(t *testing.T) {
	for _, wide := range []bool{false, true} {
		r := rand.New(rand.NewPCG(7, 0))
		table := newTable(4 << 20)
		table.widen(wide)
		keys := make([]uint64, 20_000)
		for i := range keys {
			keys[i] = r.Uint64N(1 << 55)
			hash, more := keyed(keys[i], wide)
			table.store(hash, more, i%20, 20, 3)
		}
		known := func() (n []int) {
			for i, key := range keys {
				if low, high := bounds(table.findMore(keyed(key, wide))); low == i%20 && high == 20 {
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
}
