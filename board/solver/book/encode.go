package book

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
)

// Ply has the entries of a ply for [Encode]: bounds by rank.
type Ply struct {
	Bounds   map[uint32]Bounds
	Complete bool // whether it has the scores of all quiet positions
}

// Encode returns the data of a book with these plies, from ply 0.
func Encode(plies []Ply) ([]byte, error) {
	if len(plies) > MaxPly+1 {
		return nil, fmt.Errorf("book: plies up to %d, not %d", MaxPly, len(plies)-1)
	}
	var headers, sections []byte
	for ply := range MaxPly + 1 {
		var p Ply
		if ply < len(plies) {
			p = plies[ply]
		}
		header, section, err := p.encode()
		if err != nil {
			return nil, fmt.Errorf("book: ply %d: %w", ply, err)
		}
		headers, sections = append(headers, header...), append(sections, section...)
	}
	body := slices.Concat(headers, sections, make([]byte, padding))
	return append(binary.LittleEndian.AppendUint32([]byte(magic), crc32.ChecksumIEEE(body)), body...), nil
}

func (p Ply) encode() (header, section []byte, err error) {
	different := byFrequency(p.Bounds)
	if len(different) > 255 {
		return nil, nil, fmt.Errorf("%d different bounds", len(different))
	}
	index := map[Bounds]uint32{}
	for i, b := range different {
		if b.Low > b.High || b.Low < Unknown.Low || b.High > Unknown.High {
			return nil, nil, fmt.Errorf("a score from %d to %d", b.Low, b.High)
		}
		index[b] = uint32(i)
		section = append(section, byte(int8(b.Low)), byte(int8(b.High)))
	}

	ranks := slices.Sorted(maps.Keys(p.Bounds))
	gaps, indices := make([]uint32, len(ranks)), make([]uint32, len(ranks))
	for i, rank := range ranks {
		if i%perBlock != 0 {
			gaps[i] = rank - ranks[i-1] - 1
		}
		indices[i] = index[p.Bounds[rank]]
	}
	gapK, boundK := bestK(gaps), bestK(indices)
	var codes codeWriter
	for i, rank := range ranks {
		if i%perBlock == 0 {
			section = binary.LittleEndian.AppendUint32(section, rank)
			section = binary.LittleEndian.AppendUint32(section, uint32(codes.bits))
		} else {
			codes.write(gaps[i], gapK)
		}
		codes.write(indices[i], boundK)
	}

	header = binary.LittleEndian.AppendUint32(header, uint32(len(ranks)))
	header = binary.LittleEndian.AppendUint32(header, uint32(len(codes.data)))
	header = append(header, gapK, boundK, 0, byte(len(different)))
	if p.Complete {
		header[10] = 1
	}
	return header, append(section, codes.data...), nil
}

// byFrequency returns the distinct bounds, most frequent first.
func byFrequency(bounds map[uint32]Bounds) []Bounds {
	n := map[Bounds]int{}
	for _, b := range bounds {
		n[b]++
	}
	return slices.SortedFunc(maps.Keys(n), func(a, b Bounds) int {
		return cmp.Or(n[b]-n[a], a.Low-b.Low, a.High-b.High)
	})
}

// Cut returns the embedded book without the entries of the plies after last, for programs in
// which size matters more than the solver's speed.
func Cut(last int) ([]byte, error) {
	book, err := Embedded()
	if err != nil {
		return nil, err
	}
	plies := make([]Ply, last+1)
	for ply := range plies {
		plies[ply] = Ply{Bounds: maps.Collect(book.All(ply)), Complete: book.Complete(ply)}
	}
	return Encode(plies)
}
