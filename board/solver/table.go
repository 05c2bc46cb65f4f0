package solver

import (
	"math/bits"
	"sync/atomic"
)

// table is a transposition table: it remembers bounds of scores, two entries per bucket.
// It is exact: the bucket and the entry together hold the whole key, so different
// positions are never confused.
//
//	key    56 bits: the mover's discs plus all discs. Each way to fill a column has
//	       its own sum, at most 2·(2⁶-1), so nothing carries into the next column.
//	hash   the key times an odd number, modulo 2⁵⁶, which permutes the keys. Its
//	       upper bits select the bucket, the rest is in the entry.
//	entry  the rest of the hash, work, upper bound, lower bound
//
// The part in use grows as needed, since a table beyond the processor's cache costs
// more time than the search itself. It starts with 256 KiB and doubles, up to the
// maximum, after twice as many new entries as it has room for. Memory is allocated for
// the next few doublings only: a solver that finds everything in the book would otherwise
// pay for clearing 64 MiB, which takes as long as a hundred thousand nodes.
type table struct {
	entries   []uint64 // of the buckets in use, and room to grow
	log       uint     // log2 of the number of buckets in use
	maxLog    uint     // log2 of the maximum number of buckets
	untilGrow int      // new entries until it grows
	shared    bool     // used by several threads: does not grow, entries are atomic
}

const (
	perBucket = 2
	bucketLen = 8 * perBucket

	keyBits   = 56
	boundBits = 6
	boundMask = 1<<boundBits - 1
	workShift = 2 * boundBits
	workMask  = 1<<6 - 1
	restShift = workShift + 6
	restMask  = 1<<64 - 1<<restShift

	minLog     = keyBits + restShift - 64 // with fewer buckets the rest does not fit
	initialLog = 14
	allocLog   = 3 // log2 of the factor by which the allocation grows
)

// No score is outside these limits, which are the bounds in an entry of zeros.
const (
	highest = 22
	lowest  = -22
)

// newTable returns an empty table that grows up to the given size in bytes, rounded down
// to a power of two, but at least 16 KiB.
func newTable(bytes int) *table {
	maxLog := uint(minLog)
	for bytes>>(maxLog+1) >= bucketLen {
		maxLog++
	}
	first := min(initialLog, maxLog)
	t := &table{entries: make([]uint64, perBucket<<first), maxLog: maxLog}
	t.use(first)
	return t
}

func (t *table) use(log uint) {
	t.log = log
	t.untilGrow = 2 * perBucket << log
}

// reset empties the table.
func (t *table) reset() {
	clear(t.entries[:perBucket<<t.log])
	t.shared = false
	t.use(min(initialLog, t.maxLog))
}

// hash returns the hash of a key in the upper 56 bits. It does not depend on the table's
// size.
func hash(key uint64) uint64 {
	return key << (64 - keyBits) * golden
}

const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ divided by the golden ratio: spreads neighbours

func (t *table) bucket(hash uint64) *[perBucket]uint64 {
	return (*[perBucket]uint64)(t.entries[hash>>(-t.log&63)*perBucket:])
}

func (t *table) rest(hash uint64) uint64 { return hash << (t.log & 63) & restMask }

// find returns the entry of a position, or zero.
func (t *table) find(hash uint64) (entry uint64) {
	b, rest := t.bucket(hash), t.rest(hash)
	for i := range b {
		if e := load(t, &b[i]); e&restMask == rest {
			return e
		}
	}
	return 0
}

// bounds returns the bounds of the score in an entry.
func bounds(entry uint64) (low, high int) {
	return lowest + int(entry&boundMask), highest - int(entry>>boundBits&boundMask)
}

// load reads an entry that other threads may be writing. On 64-bit machines an atomic
// read costs no more than a plain one.
func load(t *table, e *uint64) uint64 {
	if bits.UintSize == 64 || t.shared {
		return atomic.LoadUint64(e)
	}
	return *e
}

// store remembers the bounds of a position's score and the number of nodes they took. Of
// two positions in a bucket, the one that took more work comes first and is kept longer.
func (t *table) store(hash uint64, low, high int, nodes uint64) {
	b, rest := t.bucket(hash), t.rest(hash)
	work := uint64(bits.Len64(nodes))
	e := rest | work<<workShift | uint64(highest-high)<<boundBits | uint64(low-lowest)
	if t.shared {
		storeShared(b, rest, work, e)
		return
	}
	switch {
	case b[0]&restMask == rest:
		b[0] = e
		return
	case b[1]&restMask == rest:
		b[1] = e
		return
	case b[0]>>workShift&workMask <= work:
		b[0], b[1] = e, b[0]
	default:
		b[1] = e
	}
	if t.untilGrow--; t.untilGrow == 0 && t.log < t.maxLog {
		t.grow()
	}
}

// storeShared stores an entry while other threads may store theirs. Each entry is complete
// and correct, whatever happens to the other entry in its bucket.
func storeShared(b *[perBucket]uint64, rest, work, e uint64) {
	first := atomic.LoadUint64(&b[0])
	switch {
	case first&restMask == rest:
		atomic.StoreUint64(&b[0], e)
	case first>>workShift&workMask <= work && atomic.LoadUint64(&b[1])&restMask != rest:
		atomic.StoreUint64(&b[1], first)
		atomic.StoreUint64(&b[0], e)
	default:
		atomic.StoreUint64(&b[1], e)
	}
}

// share grows the table to its maximum size, for use by several threads.
func (t *table) share() {
	for !t.shared && t.log < t.maxLog {
		t.grow()
	}
	t.shared = true
}

// grow doubles the number of buckets in use. Each bucket becomes two, selected by the
// uppermost bit of the rest. The last bucket is split first, so that none is overwritten
// before it is read.
func (t *table) grow() {
	from := t.entries
	if perBucket<<t.log == len(from) {
		t.entries = make([]uint64, perBucket<<min(t.log+allocLog, t.maxLog))
	}
	for i := 1<<t.log - 1; i >= 0; i-- {
		old := from[perBucket*i : perBucket*(i+1)]
		first, second := old[0], old[1]
		halves := t.entries[2*perBucket*i : 2*perBucket*(i+1)]
		clear(halves)
		move(halves, second)
		move(halves, first)
	}
	t.use(t.log + 1)
}

// move inserts an entry at the front of its half.
func move(halves []uint64, e uint64) {
	if e == 0 {
		return
	}
	half := halves[e>>63*perBucket:]
	half[0], half[1] = e&^restMask|e&restMask<<1, half[0]
}
