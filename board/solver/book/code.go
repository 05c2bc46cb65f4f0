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

func (w *codeWriter) write(n uint32, k uint8) {
	code, length := codeOf(n, k)
	for ; length > 0; length-- {
		if w.bits&7 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.bits>>3] |= byte(code&1) << (w.bits & 7)
		w.bits++
		code >>= 1
	}
}

// codeOf returns the code of n, and its length in bits.
func codeOf(n uint32, k uint8) (code uint64, length uint) {
	ones := n >> k
	if ones >= maxOnes {
		return uint64(n)<<maxOnes | (1<<maxOnes - 1), longest
	}
	return uint64(n)&(1<<k-1)<<(ones+1) | (1<<ones - 1), uint(ones) + 1 + uint(k)
}

// bestK returns the k that gives the shortest codes for the numbers.
func bestK(numbers []uint32) (best uint8) {
	least := ^uint64(0)
	for k := range uint8(maxK + 1) {
		size := uint64(0)
		for _, n := range numbers {
			_, length := codeOf(n, k)
			size += uint64(length)
		}
		if size < least {
			least, best = size, k
		}
	}
	return best
}
