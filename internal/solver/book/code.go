package book

import "math/bits"

// Numbers are written as Rice codes, which are short if most numbers are small: n>>k ones and
// a zero, then the lowest k bits. A number with tooMany ones or more is written as tooMany
// ones and its 32 bits. The first bit of a byte is the lowest. Reading 64 bits once is enough
// for the longest code.
const (
	tooMany  = 24
	longest  = tooMany + 32
	mostBits = longest - tooMany // k is below this
)

// readCode reads the number at a bit and returns it with the position of the next. Past
// the end of the data it reads zeros.
func readCode(data string, at uint, k uint8) (n uint32, next uint) {
	w := uint64At(data, at>>3) >> (at & 7)
	ones := uint(bits.TrailingZeros64(^w))
	if ones >= tooMany {
		return uint32(w >> tooMany), at + longest
	}
	low := uint(k & 31)
	return uint32(ones)<<low | uint32(w>>(ones+1))&(1<<low-1), at + ones + 1 + low
}

// codeWriter writes codes for [readCode].
type codeWriter struct {
	data []byte
	bits uint // written
}

func (w *codeWriter) bit(b uint32) {
	if w.bits&7 == 0 {
		w.data = append(w.data, 0)
	}
	w.data[w.bits>>3] |= byte(b&1) << (w.bits & 7)
	w.bits++
}

func (w *codeWriter) write(n uint32, k uint8) {
	ones, low := n>>k, uint(k)
	if ones >= tooMany {
		ones, low = tooMany, 32
	}
	for range ones {
		w.bit(1)
	}
	if ones < tooMany {
		w.bit(0)
	}
	for i := range low {
		w.bit(n >> i)
	}
}

// bestBits returns the k with the shortest codes for the numbers.
func bestBits(numbers []uint32) (best uint8) {
	least := ^uint64(0)
	for k := uint8(0); k < mostBits; k++ {
		size := uint64(0)
		for _, n := range numbers {
			if n>>k < tooMany {
				size += uint64(n>>k) + 1 + uint64(k)
			} else {
				size += longest
			}
		}
		if size < least {
			least, best = size, k
		}
	}
	return best
}

// uint64At returns the eight bytes at an offset, or zero if there are fewer.
func uint64At(data string, at uint) uint64 {
	if at >= uint(len(data)) || uint(len(data))-at < 8 {
		return 0
	}
	d := data[at : at+8]
	return uint64(d[0]) | uint64(d[1])<<8 | uint64(d[2])<<16 | uint64(d[3])<<24 |
		uint64(d[4])<<32 | uint64(d[5])<<40 | uint64(d[6])<<48 | uint64(d[7])<<56
}

// uint32At returns the four bytes at an offset.
func uint32At(data string, at int) uint32 {
	d := data[at : at+4]
	return uint32(d[0]) | uint32(d[1])<<8 | uint32(d[2])<<16 | uint32(d[3])<<24
}
