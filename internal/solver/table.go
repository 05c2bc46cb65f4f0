package solver

import (
	"math/bits"
	"sync/atomic"
)

// table remembers bounds of scores, two entries a bucket. It never lies: an entry
// holds all of the key that its place does not tell, so what is found is of the
// very position that is looked for.
//
//	key    56 bits: the mover's discs plus all discs. In each column that is a
//	       number of its own for every content, up to 2·(2⁶-1), so no carry.
//	hash   the key times an odd number, modulo 2⁵⁶: another order of the same keys.
//	       Its upper bits are the bucket, the rest is in the entry.
//	entry  the rest of the hash, work, upper bound, lower bound
//
// It uses no more memory than it has work for: a table beyond the processor's
// cache costs more time than the search itself. It starts with 256 KiB and
// doubles, up to its size, when it has had twice as many new entries as it has
// places. Nor does it have much more: a solver that finds all in the book would
// otherwise pay for emptying 64 MiB, which takes as long as a hundred thousand nodes.
type table struct {
	entries []uint64 // has room for a few more buckets than are in use
	log     uint     // log2 of the number of buckets in use
	most    uint     // log2 of the number of buckets
	left    int      // new entries before it grows
	shared  bool     // by threads: it neither grows nor counts, and entries are atomic
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

	leastLog   = keyBits + restShift - 64 // with fewer buckets the rest has no room
	initialLog = 14
	roomLog    = 3 // log2 of by how much the room grows
)

// No position is worth more, or less: an entry of zeros knows just that.
const (
	highest = 22
	lowest  = -22
)

// newTable gives an empty table of the largest power of two that fits the bytes,
// but 16 KiB at least.
func newTable(bytes int) table {
	most := uint(leastLog)
	for bytes>>(most+1) >= bucketLen {
		most++
	}
	first := min(initialLog, most)
	t := table{entries: make([]uint64, perBucket<<first), most: most}
	t.use(first)
	return t
}

func (t *table) use(log uint) {
	t.log = log
	t.left = 2 * perBucket << log
}

// reset empties the table.
func (t *table) reset() {
	clear(t.entries[:perBucket<<t.log])
	t.shared = false
	t.use(min(initialLog, t.most))
}

// hash is where a key lies and how it is told from others. It has 56 bits, at the
// upper end, and does not depend on the table's size.
func hash(key uint64) uint64 {
	return key << (64 - keyBits) * golden
}

const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ by the golden ratio: spreads neighbours

func (t *table) bucket(hash uint64) *[perBucket]uint64 {
	return (*[perBucket]uint64)(t.entries[hash>>(-t.log&63)*perBucket:])
}

func (t *table) rest(hash uint64) uint64 { return hash << (t.log & 63) & restMask }

// find gives the entry of a position, or zeros.
func (t *table) find(hash uint64) (entry uint64) {
	b, rest := t.bucket(hash), t.rest(hash)
	for i := range b {
		if e := load(t, &b[i]); e&restMask == rest {
			return e
		}
	}
	return 0
}

// bounds is what an entry says of a position's score.
func bounds(entry uint64) (low, high int) {
	return lowest + int(entry&boundMask), highest - int(entry>>boundBits&boundMask)
}

// load reads an entry that others may be storing. On 64 bits that is as quick as any
// read.
func load(t *table, e *uint64) uint64 {
	if bits.UintSize == 64 || t.shared {
		return atomic.LoadUint64(e)
	}
	return *e
}

// store keeps the bounds of a position's score, found by visiting that many
// positions. The first entry of a bucket is kept for what took more work.
func (t *table) store(hash uint64, low, high int, nodes uint64) {
	b, rest := t.bucket(hash), t.rest(hash)
	work := uint64(bits.Len64(nodes))
	e := rest | work<<workShift | uint64(highest-high)<<boundBits | uint64(low-lowest)
	if t.shared {
		put(b, rest, work, e)
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
	if t.left--; t.left == 0 && t.log < t.most {
		t.grow()
	}
}

// put stores an entry while others may do the same. An entry is whole and true
// whatever comes of the other in its bucket.
func put(b *[perBucket]uint64, rest, work, e uint64) {
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

// share makes the table as large as it can be, for threads to use together.
func (t *table) share() {
	for !t.shared && t.log < t.most {
		t.grow()
	}
	t.shared = true
}

// grow doubles the buckets in use. Each of them becomes two, told apart by what
// was the rest's uppermost bit; from the last to the first, so that in the same
// room none is overwritten before it has been read.
func (t *table) grow() {
	was := t.entries
	if perBucket<<t.log == len(was) {
		t.entries = make([]uint64, perBucket<<min(t.log+roomLog, t.most))
	}
	for i := 1<<t.log - 1; i >= 0; i-- {
		old := was[perBucket*i : perBucket*(i+1)]
		first, second := old[0], old[1]
		halves := t.entries[2*perBucket*i : 2*perBucket*(i+1)]
		clear(halves)
		move(halves, second)
		move(halves, first)
	}
	t.use(t.log + 1)
}

// move puts an entry into the half where it belongs, before what is there.
func move(halves []uint64, e uint64) {
	if e == 0 {
		return
	}
	half := halves[e>>63*perBucket:]
	half[0], half[1] = e&^restMask|e&restMask<<1, half[0]
}
