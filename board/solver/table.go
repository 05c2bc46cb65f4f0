package solver

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// table is a transposition table: it remembers bounds of scores, two entries per bucket.
// It is exact: the bucket and the entry together hold the whole key, so different
// positions are never confused.
//
//	key    56 bits, and up to 16 more on boards of eight columns or rows
//	hash   the 56 bits times an odd number, modulo 2⁵⁶, plus a number that follows from the 16
//	       bits. For each value of these, it permutes the keys. Its upper bits select the
//	       bucket, the rest is in the entry.
//	entry  the rest of the hash, work, upper bound, lower bound
//	more   the 16 bits, in an array of their own
//
// The part in use grows as needed, since a table beyond the processor's cache costs
// more time than the search itself. It starts with 256 KiB and doubles, up to the
// maximum, after twice as many new entries as it has room for. Memory is allocated for
// the next few doublings only: a solver that finds everything in the book would otherwise
// pay for clearing 64 MiB, which takes as long as a hundred thousand nodes.
type table struct {
	buckets   []bucket // those in use, and room to grow
	more      []extra  // of the buckets, or nil if all are zero
	shift     uint     // 64 - log
	log       uint     // log2 of the number of buckets in use
	maxLog    uint     // log2 of the maximum number of buckets
	untilGrow int      // new entries until it grows
	shared    bool     // used by several threads: does not grow; entries are atomic, or locked if there are more bits
	locks     [64]sync.Mutex
}

type (
	bucket [2]uint64
	extra  [len(bucket{})]uint16
)

const (
	bucketLen = 8 * len(bucket{})

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

	golden = 0x9e3779b97f4a7c15 // 2⁶⁴ divided by the golden ratio: spreads neighbours
)

// No score is outside these limits, which are the bounds in an entry of zeros: the earliest win on
// the largest board is 29.
const (
	highest = 31
	lowest  = -31
)

// newTable returns an empty table that grows up to the given size in bytes, rounded down
// to a power of two, but at least 16 KiB.
func newTable(bytes int) *table {
	maxLog := uint(minLog)
	for bytes>>(maxLog+1) >= bucketLen {
		maxLog++
	}
	first := min(initialLog, maxLog)
	t := &table{buckets: make([]bucket, 1<<first), maxLog: maxLog}
	t.use(first)
	return t
}

func (t *table) use(log uint) {
	t.log, t.shift = log, 64-log
	t.untilGrow = 2 * len(bucket{}) << log
}

// widen empties the table and prepares it for keys with or without more bits.
func (t *table) widen(wide bool) {
	t.reset()
	switch {
	case !wide:
		t.more = nil
	case t.more == nil:
		t.more = make([]extra, len(t.buckets))
	}
}

func (t *table) reset() {
	clear(t.buckets[:1<<t.log])
	t.shared = false
	t.use(min(initialLog, t.maxLog))
}

func (t *table) at(hash uint64) uint64 { return hash >> (t.shift & 63) }

func (t *table) rest(hash uint64) uint64 { return hash << (t.log & 63) & restMask }

// find returns the entry of a position, or zero, in a table without more bits.
func (t *table) find(hash uint64) (entry uint64) {
	b, rest := &t.buckets[t.at(hash)], t.rest(hash)
	if entry = load(t, &b[0]); entry&restMask == rest {
		return
	}
	if entry = load(t, &b[1]); entry&restMask == rest {
		return
	}
	return 0
}

// findMore is find for keys that may have more bits.
func (t *table) findMore(hash uint64, more uint16) (entry uint64) {
	if t.more == nil {
		return t.find(hash)
	}
	at, rest := t.at(hash), t.rest(hash)
	if t.shared {
		lock := t.lock(at)
		defer lock.Unlock()
	}
	for slot, e := range t.buckets[at] {
		if e&restMask == rest && t.more[at][slot] == more {
			return e
		}
	}
	return 0
}

// lock locks a bucket that has more bits, because an entry and its more bits cannot be read or
// written at once.
func (t *table) lock(at uint64) *sync.Mutex {
	lock := &t.locks[at%uint64(len(t.locks))]
	lock.Lock()
	return lock
}

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
func (t *table) store(hash uint64, more uint16, low, high int, nodes uint64) {
	b, rest := &t.buckets[t.at(hash)], t.rest(hash)
	work := uint64(bits.Len64(nodes))
	e := rest | work<<workShift | uint64(highest-high)<<boundBits | uint64(low-lowest)
	if t.shared || t.more != nil {
		t.storeOther(t.at(hash), more, rest, work, e)
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
	t.count()
}

func (t *table) count() {
	if t.untilGrow--; t.untilGrow == 0 && t.log < t.maxLog {
		t.grow()
	}
}

// storeOther stores an entry in a table with more bits, or while other threads may store theirs.
// Each entry is complete and correct, whatever happens to the other entry in its bucket.
func (t *table) storeOther(at uint64, more uint16, rest, work, e uint64) {
	b := &t.buckets[at]
	if t.more != nil && t.shared {
		lock := t.lock(at)
		defer lock.Unlock()
	}
	slot, first, isNew := uint64(1), atomic.LoadUint64(&b[0]), false
	switch {
	case first&restMask == rest:
		slot = 0
	case atomic.LoadUint64(&b[1])&restMask == rest:
	default:
		isNew = true
		if first>>workShift&workMask <= work {
			atomic.StoreUint64(&b[1], first)
			if t.more != nil {
				t.more[at][1] = t.more[at][0]
			}
			slot = 0
		}
	}
	atomic.StoreUint64(&b[slot], e)
	if t.more != nil {
		t.more[at][slot] = more
	}
	if isNew && !t.shared {
		t.count()
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
	from, fromMore := t.buckets, t.more
	if 1<<t.log == len(from) {
		size := 1 << min(t.log+allocLog, t.maxLog)
		t.buckets = make([]bucket, size)
		if t.more != nil {
			t.more = make([]extra, size)
		}
	}
	for i := 1<<t.log - 1; i >= 0; i-- {
		old, oldMore := from[i], extra{}
		if t.more != nil {
			oldMore = fromMore[i]
		}
		t.buckets[2*i], t.buckets[2*i+1] = bucket{}, bucket{}
		for slot := len(old) - 1; slot >= 0; slot-- { // the first of a half comes first again
			e := old[slot]
			if e == 0 {
				continue
			}
			half := 2*i + int(e>>63)
			b := &t.buckets[half]
			b[0], b[1] = e&^restMask|e&restMask<<1, b[0]
			if t.more != nil {
				m := &t.more[half]
				m[0], m[1] = oldMore[slot], m[0]
			}
		}
	}
	t.use(t.log + 1)
}
