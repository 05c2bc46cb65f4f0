// Package book is the solver's opening book: scores, or bounds of scores, of the early
// positions of the standard board, which take longest to solve. The book is embedded and
// used in place; makebook computes it.
//
// A book has only quiet positions: the side to move cannot win at once and has at least
// two moves after which the other side cannot. Every other position leads to a quiet one
// by forced moves, or ends with the next disc or two.
//
//	book     magic, with the format's version; CRC-32 (IEEE) of the rest;
//	         18 headers, for plies 0 to 17; 18 sections; 8 zeros
//	header   number of entries (4 bytes); bytes of codes (4); then one byte each:
//	         low bits k of the codes of gaps, and of bounds; whether the ply is
//	         complete; number of different bounds
//	section  the different bounds, most frequent first: lower and upper bound, one
//	         byte each; per block of 128 entries, its first rank and the bit where
//	         its codes begin, 4 bytes each; then the codes
//	codes    per entry, by rank: the number of ranks skipped since the previous
//	         entry, except for the first of a block; the number of its bounds
//
// Numbers are little-endian. See [Rank] for ranks and readCode for codes.
package book

import (
	_ "embed"
	"errors"
	"hash/crc32"
	"iter"
	"sync"
)

const (
	magic     = "c4book1\n"
	headerLen = 4 + 4 + 4
	boundsLen = 2
	blockLen  = 4 + 4
	perBlock  = 128
	padding   = 8 // so that a code's bytes can be read at once
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
	gapBits  uint8 // low bits of the codes
	bits     uint8
	bounds   string
	blocks   string
	codes    string
}

//go:embed 7x6.book
var embedded string

// Embedded returns the book that is part of the program.
var Embedded = sync.OnceValues(func() (*Book, error) { return Open(embedded) })

// Open returns the book in data. The error is [ErrFormat] or [ErrDamaged].
func Open(data string) (*Book, error) {
	const start = len(magic) + 4
	if len(data) < start+(MaxPly+1)*headerLen+padding || data[:len(magic)] != magic {
		return nil, ErrFormat
	}
	if uint32At(data, len(magic)) != checksum(data[start:]) {
		return nil, ErrDamaged
	}
	return parse(data[start:])
}

// checksum copies the string in small parts, not as a whole.
func checksum(data string) (sum uint32) {
	var part [4096]byte
	for len(data) > 0 {
		n := copy(part[:], data)
		sum = crc32.Update(sum, crc32.IEEETable, part[:n])
		data = data[n:]
	}
	return sum
}

// parse finds the sections in the data after the checksum.
func parse(data string) (*Book, error) {
	var b Book
	rest := data[(MaxPly+1)*headerLen:]
	for ply := range b.plies {
		h := data[ply*headerLen:]
		n, size := uint64(uint32At(h, 0)), uint64(uint32At(h, 4))
		bounds, blocks := uint64(h[11])*boundsLen, (n+perBlock-1)/perBlock*blockLen
		if bounds+blocks+size+padding > uint64(len(rest)) || h[8] >= mostBits || h[9] >= mostBits {
			return nil, ErrDamaged
		}
		b.plies[ply] = section{
			n:        int(n),
			gapBits:  h[8],
			bits:     h[9],
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
// sets are those of [Rank].
func (b *Book) Bounds(mover, other uint64) Bounds {
	ply, rank := Rank(mover, other)
	if b == nil || ply > MaxPly {
		return Unknown
	}
	s := &b.plies[ply]
	block, ok := s.find(rank)
	if !ok {
		return Unknown
	}
	for at := s.begin(block); at.left > 0; {
		if s.next(&at); at.rank >= rank {
			if at.rank == rank {
				return s.which(at.bounds)
			}
			break
		}
	}
	return Unknown
}

// find returns the last block that begins at or before a rank.
func (s *section) find(rank uint32) (block int, ok bool) {
	low, high := 0, len(s.blocks)/blockLen
	for low < high {
		middle := (low + high) / 2
		if uint32At(s.blocks, middle*blockLen) <= rank {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low - 1, low > 0
}

// cursor iterates over the entries of a block.
type cursor struct {
	left   int  // remaining entries
	bit    uint // where the next one's codes begin
	first  bool // the next one is the block's first
	rank   uint32
	bounds uint32
}

func (s *section) begin(block int) cursor {
	return cursor{
		left:  min(perBlock, s.n-block*perBlock),
		rank:  uint32At(s.blocks, block*blockLen),
		bit:   uint(uint32At(s.blocks, block*blockLen+4)),
		first: true,
	}
}

func (s *section) next(c *cursor) {
	if c.first {
		c.first = false
	} else {
		var gap uint32
		gap, c.bit = readCode(s.codes, c.bit, s.gapBits)
		c.rank += gap + 1
	}
	c.bounds, c.bit = readCode(s.codes, c.bit, s.bits)
	c.left--
}

// which returns the bounds with that number.
func (s *section) which(n uint32) Bounds {
	if n >= uint32(len(s.bounds)/boundsLen) {
		return Unknown // damaged data
	}
	return Bounds{int(int8(s.bounds[n*boundsLen])), int(int8(s.bounds[n*boundsLen+1]))}
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
			for at := s.begin(block); at.left > 0; {
				if s.next(&at); !yield(at.rank, s.which(at.bounds)) {
					return
				}
			}
		}
	}
}
