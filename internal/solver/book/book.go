// Package book keeps scores of early positions of the standard board, which take
// the solver longest, or bounds of them: positions in, bounds out, from a string
// that is used as it is. The book itself is embedded; makebook makes it.
//
// A book has quiet positions only: the side to move cannot win at once, and has at
// least two moves after which the other side cannot. Whatever else there is comes
// to one of those by forced moves, or is decided by the next disc or two.
//
//	book     magic, with the format's version; CRC-32 (IEEE) of all that follows;
//	         18 headers, of plies 0 to 17; 18 sections; 8 zeros
//	header   number of entries; bytes of codes; bits of a gap's code and of a
//	         bound's; whether the score of every quiet position of the ply is
//	         there; number of different bounds
//	section  the different bounds, the most frequent first: two scores, least and
//	         most; a block a hundred and twenty-eight entries: its first rank, and
//	         the bit where its codes begin; then the codes
//	codes    of each entry, by rank: how many ranks lie between the entry before
//	         and this, unless it is the block's first; which bounds
//
// Numbers are 32 bits long, the lowest byte first, or a byte, as scores are. See [Rank]
// for ranks and readCode for codes.
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

// Bounds are what is known of a score: it is one of them, or lies between.
type Bounds struct{ Low, High int }

// Unknown is what is known of every score: no side has more than 21 discs.
var Unknown = Bounds{-22, 22}

// Errors of a book's data.
var (
	ErrFormat  = errors.New("book: no opening book, or of another version")
	ErrDamaged = errors.New("book: the opening book is damaged")
)

// Book is bounds of positions' scores. A nil Book is an empty one.
type Book struct {
	plies [MaxPly + 1]section
}

// section is the entries of a ply.
type section struct {
	n        int
	complete bool
	gapBits  uint8 // of the codes
	bits     uint8
	bounds   string
	blocks   string
	codes    string
}

//go:embed 7x6.book
var embedded string

// Embedded is the book that is part of the program.
var Embedded = sync.OnceValues(func() (*Book, error) { return Open(embedded) })

// Open gives the book that the data is. The error is [ErrFormat] or [ErrDamaged].
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

// checksum makes no copy of the data but of a bit at a time.
func checksum(data string) (sum uint32) {
	var part [4096]byte
	for len(data) > 0 {
		n := copy(part[:], data)
		sum = crc32.Update(sum, crc32.IEEETable, part[:n])
		data = data[n:]
	}
	return sum
}

// parse finds the sections in what the checksum covers.
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

// Bounds is what the book knows of the score of a position, to the side to move;
// the sets are as in [Rank].
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

// find gives the last block that begins at or before a rank.
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

// cursor walks over a block's entries.
type cursor struct {
	left   int  // entries
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

// which are the ply's bounds of that number.
func (s *section) which(n uint32) Bounds {
	if n >= uint32(len(s.bounds)/boundsLen) {
		return Unknown // of damaged data
	}
	return Bounds{int(int8(s.bounds[n*boundsLen])), int(int8(s.bounds[n*boundsLen+1]))}
}

// Last is the last ply that has entries, -1 if none has.
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

// Len is how many positions of a ply are in the book.
func (b *Book) Len(ply int) int { return b.plies[ply].n }

// Complete says whether the score of every quiet position of the ply is in the book.
func (b *Book) Complete(ply int) bool { return b.plies[ply].complete }

// All gives the entries of a ply, by rank.
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
