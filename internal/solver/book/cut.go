package book

import "encoding/binary"

// Cut returns the embedded book without its entries after a ply, for where its size matters
// more than the solver's speed.
func Cut(last int) []byte {
	const start = len(magic) + 4
	cut := []byte(embedded[:start+(MaxPly+1)*headerLen])
	rest := embedded[len(cut):]
	book, err := Embedded()
	if err != nil {
		return nil
	}
	for ply, s := range book.plies {
		size := len(s.bounds) + len(s.blocks) + len(s.codes) - padding
		if ply <= last {
			cut = append(cut, rest[:size]...)
		} else {
			clear(cut[start+ply*headerLen : start+(ply+1)*headerLen])
		}
		rest = rest[size:]
	}
	cut = append(cut, make([]byte, padding)...)
	binary.LittleEndian.PutUint32(cut[len(magic):], checksum(string(cut[start:])))
	return cut
}
