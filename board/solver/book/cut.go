package book

import "maps"

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
