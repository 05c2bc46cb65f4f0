package book

import (
	"encoding/binary"
	"math/bits"
)

// Numbers are written as Rice codes, which are short if most numbers are small. The code of n is
// n>>k ones, a zero, and the lowest k bits of n. If n>>k is maxOnes or more, the code is maxOnes
// ones and then all 32 bits of n. The first bit of a byte is the lowest. Even the longest code lies
// within the 64 bits that start with its first byte.
const (
	maxK    = 31
	maxOnes = 24
	longest = maxOnes + 32 // bits
)

// readCode reads the code that starts at a bit. next is the bit after it. Past the end of the
// data it reads zeros.
func readCode(data []byte, at uint, k uint8) (n uint32, next uint) {
	var w uint64
	if i := at >> 3; i+8 <= uint(len(data)) {
		w = binary.LittleEndian.Uint64(data[i:i+8]) >> (at & 7)
	}
	ones := uint(bits.TrailingZeros64(^w))
	if ones >= maxOnes {
		return uint32(w >> maxOnes), at + longest
	}
	low := uint(k & 31)
	return uint32(ones)<<low | uint32(w>>(ones+1))&(1<<low-1), at + ones + 1 + low
}

// codeWriter writes codes for [readCode].
type codeWriter struct {
	data []byte
	bits uint // number of bits written
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
	if ones >= maxOnes {
		ones, low = maxOnes, 32
	}
	for range ones {
		w.bit(1)
	}
	if ones < maxOnes {
		w.bit(0)
	}
	for i := range low {
		w.bit(n >> i)
	}
}

// bestK returns the k that gives the shortest codes for the numbers.
func bestK(numbers []uint32) (best uint8) {
	least := ^uint64(0)
	for k := range uint8(maxK + 1) {
		size := uint64(0)
		for _, n := range numbers {
			if n>>k < maxOnes {
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
