package cpu

import (
	_ "embed"
	"strings"

	"github.com/c4hat/c4hat/board"
)

// The first moves of a game take the solver longest, so those that the perfect
// level can come to, whichever colour it has and whatever is played against it, are
// written down: a line a position, its moves and the best columns. A mirror image is
// not written. TestOpenings makes the file anew (-update), and doubts it.
//
//go:embed openings.txt
var openingsFile string

// openings are the best columns of early positions of the standard board.
type openings map[board.Position][]int

func readOpenings(file string) (openings, error) {
	o := openings{}
	for line := range strings.Lines(file) {
		moves, best, _ := strings.Cut(strings.TrimSpace(line), " ")
		moves = strings.TrimPrefix(moves, "-")
		for range 2 {
			for _, first := range []board.Disc{board.Red, board.Yellow} {
				g, err := board.ParseGame(board.Standard, first, moves)
				if err != nil {
					return nil, err
				}
				p := g.Position()
				columns := make([]int, 0, len(best))
				for _, c := range best {
					columns = append(columns, int(c-'1'))
				}
				o[p] = columns
			}
			moves, best = mirrored(moves), mirrored(best)
		}
	}
	return o, nil
}

// mirrored is a written game seen in a mirror.
func mirrored(moves string) string {
	return strings.Map(func(c rune) rune { return '1' + '7' - c }, moves)
}
