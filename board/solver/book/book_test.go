package book

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/c4hat/c4hat/internal/dev/try"
)

var must = try.Must

// randomPlies returns random entries: dense plies, sparse plies and some empty ones.
func randomPlies(r *rand.Rand) []Ply {
	plies := make([]Ply, r.IntN(MaxPly+2))
	for ply := range plies {
		p := Ply{Bounds: map[uint32]Bounds{}, Complete: r.IntN(2) == 0}
		density := []float64{0, 0.0001, 0.01, 0.5, 1}[r.IntN(5)]
		spread := 1 + r.IntN(22)
		for range min(5000, int(density*float64(Ranks(ply)))) {
			rank := r.Uint32N(Ranks(ply))
			if density >= 0.5 {
				rank %= 8000
			}
			b := Bounds{r.IntN(2*spread+1) - spread, 0}
			switch b.High = b.Low; r.IntN(10) {
			case 0:
				b.Low = Unknown.Low
			case 1:
				b.High = Unknown.High
			}
			p.Bounds[rank] = b
		}
		plies[ply] = p
	}
	return plies
}

func encode(t testing.TB, plies []Ply) []byte {
	t.Helper()
	data, err := Encode(plies)
	must(t, err)
	return data
}

// A decoded book has exactly the entries that were encoded.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for range 60 {
		plies := randomPlies(r)
		b, err := Open(encode(t, plies))
		must(t, err)
		last := -1
		for ply := range MaxPly + 1 {
			var want Ply
			if ply < len(plies) {
				want = plies[ply]
			}
			if len(want.Bounds) > 0 {
				last = ply
			}
			if b.Len(ply) != len(want.Bounds) || b.Complete(ply) != want.Complete {
				t.Fatalf("ply %d: %d entries, complete %v, want %d, %v", ply, b.Len(ply), b.Complete(ply), len(want.Bounds), want.Complete)
			}
			if got := maps.Collect(b.All(ply)); len(want.Bounds) > 0 && !maps.Equal(got, want.Bounds) {
				t.Fatalf("ply %d: All returns other entries", ply)
			}
			before := -1
			for rank := range b.All(ply) {
				if int(rank) <= before {
					t.Fatalf("ply %d: rank %d after %d", ply, rank, before)
				}
				before = int(rank)
			}
			for range 500 {
				mover, other := randomDiscs(r, ply)
				_, rank := Rank(mover, other)
				want, there := want.Bounds[rank]
				if !there {
					want = Unknown
				}
				if got := b.Bounds(mover, other); got != want {
					t.Fatalf("ply %d, rank %d: %v, want %v", ply, rank, got, want)
				}
			}
			for rank, want := range want.Bounds {
				mover, other := Unrank(ply, rank)
				if _, canonical := Rank(mover, other); canonical != rank {
					continue // rank of a mirror image
				}
				if got := b.Bounds(mover, other); got != want {
					t.Fatalf("ply %d, rank %d: %v, want %v", ply, rank, got, want)
				}
			}
		}
		if b.Last() != last {
			t.Errorf("last ply %d, want %d", b.Last(), last)
		}
	}
}

func TestNoBook(t *testing.T) {
	var b *Book
	if b.Bounds(0, 0) != Unknown || b.Last() != -1 {
		t.Error("a nil book has entries")
	}
}

func TestOpenErrors(t *testing.T) {
	for _, wrong := range []Bounds{{0, 23}, {-23, 0}, {1, 0}} {
		if _, err := Encode([]Ply{{Bounds: map[uint32]Bounds{0: wrong}}}); err == nil {
			t.Errorf("Encode accepts %v", wrong)
		}
	}
	if _, err := Encode(make([]Ply, MaxPly+2)); err == nil {
		t.Error("Encode accepts too many plies")
	}
	whole := string(encode(t, randomPlies(rand.New(rand.NewPCG(4, 0)))))
	for _, data := range []string{"", magic, "c4book2" + whole[7:], whole[:len(magic)+20]} {
		if _, err := Open([]byte(data)); !errors.Is(err, ErrFormat) {
			t.Errorf("%.20q: %v", data, err)
		}
	}
}

// Open detects every flipped bit.
func TestOpenFlippedBit(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	for _, whole := range [][]byte{encode(t, randomPlies(r)), embedded} {
		for i := range 300 {
			at := r.IntN(len(whole))
			if i < 100 {
				at = i
			}
			damaged := slices.Clone(whole)
			damaged[at] ^= 1 << r.IntN(8)
			want := ErrDamaged
			if at < len(magic) {
				want = ErrFormat
			}
			if _, err := Open(damaged); !errors.Is(err, want) {
				t.Fatalf("byte %d of %d: %v", at, len(whole), err)
			}
		}
		if _, err := Open(whole[:len(whole)-1]); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut: %v", err)
		}
	}
}

// Numbers of any size, written with any k, are read back.
func TestCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	for range 500 {
		k := uint8(r.IntN(maxK + 1))
		numbers := make([]uint32, r.IntN(100))
		var w codeWriter
		for i := range numbers {
			numbers[i] = r.Uint32() >> r.IntN(32)
			w.write(numbers[i], k)
		}
		data, at := append(w.data, "12345678"...), uint(0)
		for i, want := range numbers {
			var got uint32
			if got, at = readCode(data, at, k); got != want {
				t.Fatalf("number %d with %d bits: %d, want %d", i, k, got, want)
			}
		}
		if at != w.bits {
			t.Fatalf("%d bits, want %d", at, w.bits)
		}
	}
}

// Damaged data gives wrong bounds at worst. parse does not verify the checksum.
func FuzzBook(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 0))
	for range 4 {
		f.Add(string(encode(f, randomPlies(r))[start:]), uint64(0), uint64(0))
	}
	f.Fuzz(func(t *testing.T, data string, seed, more uint64) {
		if len(data) < (MaxPly+1)*headerLen+padding {
			return
		}
		b, err := parse([]byte(data))
		if err != nil {
			return
		}
		r := rand.New(rand.NewPCG(seed, more)) // independent of the data
		for ply := range MaxPly + 1 {
			n := 0
			for range b.All(ply) {
				if n++; n > b.Len(ply) {
					t.Fatalf("ply %d: more than %d entries", ply, b.Len(ply))
				}
			}
			b.Bounds(randomDiscs(r, ply))
		}
	})
}

func TestEmbedded(t *testing.T) {
	if len(embedded) > 4<<20 {
		t.Errorf("%d bytes", len(embedded))
	}
	b, err := Embedded()
	must(t, err)
	for ply := range MaxPly + 1 {
		t.Logf("ply %2d: %7d entries, complete: %v", ply, b.Len(ply), b.Complete(ply))
	}
	mover, other := randomDiscs(rand.New(rand.NewPCG(8, 0)), 8)
	if n := testing.AllocsPerRun(100, func() { b.Bounds(mover, other) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkBounds(b *testing.B) {
	book, err := Embedded()
	must(b, err)
	r := rand.New(rand.NewPCG(9, 0))
	var positions [1024][2]uint64
	for i := range positions {
		positions[i][0], positions[i][1] = randomDiscs(r, 8)
	}
	for i := 0; b.Loop(); i++ {
		p := &positions[i%len(positions)]
		book.Bounds(p[0], p[1])
	}
}

// A cut book has the same entries up to its last ply, and none after it.
func TestCut(t *testing.T) {
	for _, last := range []int{0, 8, 11, MaxPly} {
		if last > 8 && testing.Short() {
			continue // each takes seconds
		}
		cut, err := Cut(last)
		must(t, err)
		b, err := Open(cut)
		must(t, err)
		whole, err := Embedded()
		must(t, err)
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
