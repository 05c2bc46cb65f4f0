// Package book is the solver's opening book: scores, or bounds of scores, of the early
// positions of the standard board, which take longest to solve. The book is embedded and
// used in place; makebook computes it.
//
// A book has only quiet positions: the side to move cannot win at once and has at least
// two moves after which the other side cannot win at once either. From every other
// position, forced moves lead to a quiet position or to the end of the game.
//
//	book     magic, with the format's version; CRC-32 (IEEE) of the rest;
//	         18 headers, for plies 0 to 17; 18 sections; 8 zeros
//	header   number of entries (4 bytes); length of the codes in bytes (4); one byte each:
//	         k of the codes of gaps; k of the codes of bounds; whether the ply is
//	         complete; number of distinct bounds
//	section  the distinct bounds, most frequent first: lower and upper bound, one
//	         byte each; per block of 128 entries, its first rank and the bit where
//	         its codes begin, 4 bytes each; then the codes
//	codes    per entry, by rank: the gap, which is the number of ranks skipped since
//	         the previous entry, except for the first of a block; the index of its
//	         bounds
//
// Numbers are little-endian. See rank.go for ranks and code.go for codes and k.
package book

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"iter"
	"sort"
	"sync"
)

const (
	magic     = "c4book1\n"
	headerLen = 4 + 4 + 4
	boundsLen = 2
	blockLen  = 4 + 4
	perBlock  = 128
	padding   = 8 // so that 8 bytes can be read at any code

	start = len(magic) + 4 // of the data that the checksum covers
)

// Bounds are inclusive bounds of a score.
type Bounds struct{ Low, High int }

// Unknown are bounds that hold for every score: each side has only 21 discs.
var Unknown = Bounds{-22, 22}

// Errors returned by [Open].
var (
	ErrFormat  = errors.New("book: no opening book, or of another version")
	ErrDamaged = errors.New("book: the opening book is damaged")
)

// Book is an opening book. A nil Book is empty.
type Book struct {
	plies [MaxPly + 1]section
}

// section has the entries of a ply.
type section struct {
	n        int
	complete bool
	gapK     uint8
	boundK   uint8
	bounds   []byte
	blocks   []byte
	codes    []byte
}

//go:embed 7x6.book
var embedded []byte

// Embedded returns the book that is part of the program.
var Embedded = sync.OnceValues(func() (*Book, error) { return Open(embedded) })

// Open returns the book in data. The book keeps data. The error is [ErrFormat] or [ErrDamaged].
func Open(data []byte) (*Book, error) {
	if len(data) < start+(MaxPly+1)*headerLen+padding || string(data[:len(magic)]) != magic {
		return nil, ErrFormat
	}
	if binary.LittleEndian.Uint32(data[len(magic):]) != crc32.ChecksumIEEE(data[start:]) {
		return nil, ErrDamaged
	}
	return parse(data[start:])
}

// parse finds the sections in the data after the checksum.
func parse(data []byte) (*Book, error) {
	var b Book
	rest := data[(MaxPly+1)*headerLen:]
	for ply := range b.plies {
		h := data[ply*headerLen:]
		n, size := uint64(binary.LittleEndian.Uint32(h)), uint64(binary.LittleEndian.Uint32(h[4:]))
		bounds, blocks := uint64(h[11])*boundsLen, (n+perBlock-1)/perBlock*blockLen
		if bounds+blocks+size+padding > uint64(len(rest)) || h[8] > maxK || h[9] > maxK {
			return nil, ErrDamaged
		}
		b.plies[ply] = section{
			n:        int(n),
			gapK:     h[8],
			boundK:   h[9],
			complete: h[10] != 0,
			bounds:   rest[:bounds],
			blocks:   rest[bounds : bounds+blocks],
			codes:    rest[bounds+blocks : bounds+blocks+size+padding],
		}
		rest = rest[bounds+blocks+size:]
	}
	return &b, nil
}

// Bounds returns the book's bounds of the score for the side to move, or [Unknown]. The
// arguments are those of [Rank].
func (b *Book) Bounds(mover, other uint64) Bounds {
	ply, rank := Rank(mover, other)
	if b == nil || ply > MaxPly {
		return Unknown
	}
	s := &b.plies[ply]
	after := sort.Search(len(s.blocks)/blockLen, func(block int) bool { return s.firstRank(block) > rank })
	if after == 0 {
		return Unknown
	}
	for found, index := range s.entries(after - 1) {
		if found >= rank {
			if found == rank {
				return s.boundsAt(index)
			}
			break
		}
	}
	return Unknown
}

func (s *section) firstRank(block int) uint32 {
	return binary.LittleEndian.Uint32(s.blocks[block*blockLen:])
}

// entries iterates over the entries of a block: the rank of each and the index of its
// bounds.
func (s *section) entries(block int) iter.Seq2[uint32, uint32] {
	return func(yield func(rank, index uint32) bool) {
		rank, bit := s.firstRank(block), uint(binary.LittleEndian.Uint32(s.blocks[block*blockLen+4:]))
		for i := range min(perBlock, s.n-block*perBlock) {
			var gap, index uint32
			if i > 0 {
				gap, bit = readCode(s.codes, bit, s.gapK)
				rank += gap + 1
			}
			if index, bit = readCode(s.codes, bit, s.boundK); !yield(rank, index) {
				return
			}
		}
	}
}

func (s *section) boundsAt(index uint32) Bounds {
	if index >= uint32(len(s.bounds)/boundsLen) {
		return Unknown // damaged data
	}
	return Bounds{int(int8(s.bounds[index*boundsLen])), int(int8(s.bounds[index*boundsLen+1]))}
}

// Last returns the last ply that has entries, or -1 if there is none.
func (b *Book) Last() int {
	if b == nil {
		return -1
	}
	last := MaxPly
	for last >= 0 && b.plies[last].n == 0 {
		last--
	}
	return last
}

// Len returns the number of entries of a ply.
func (b *Book) Len(ply int) int { return b.plies[ply].n }

// Complete reports whether the book has the scores of all quiet positions of the ply.
func (b *Book) Complete(ply int) bool { return b.plies[ply].complete }

// All iterates over the entries of a ply, by rank.
func (b *Book) All(ply int) iter.Seq2[uint32, Bounds] {
	return func(yield func(uint32, Bounds) bool) {
		s := &b.plies[ply]
		for block := range len(s.blocks) / blockLen {
			for rank, index := range s.entries(block) {
				if !yield(rank, s.boundsAt(index)) {
					return
				}
			}
		}
	}
}
