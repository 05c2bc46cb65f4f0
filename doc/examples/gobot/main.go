// Gobot wins if one disc is enough, blocks if one disc of the other side would be, and
// otherwise plays near the middle, on a board of any size. Package board knows the rules.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/c4hat/c4hat/board"
)

func main() {
	rules := board.Standard
	if size := os.Getenv("C4HAT_BOARD"); size != "" {
		_, err := fmt.Sscanf(size+" "+os.Getenv("C4HAT_CONNECT"), "%dx%d %d", &rules.Columns, &rules.Rows, &rules.Connect)
		if err != nil {
			fmt.Fprintln(os.Stderr, "C4HAT_BOARD and C4HAT_CONNECT:", err)
			os.Exit(1)
		}
	}
	turns := bufio.NewScanner(os.Stdin)
	for turns.Scan() {
		position, err := board.Parse(rules, turns.Text())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(choose(position) + 1)
	}
}

// choose returns a column, from 0.
func choose(p board.Position) int {
	for _, side := range []board.Disc{p.Turn(), p.Turn().Other()} {
		threats := p.Threats(side)
		for column := range p.LegalMoves() {
			if threats.Has(column, p.Height(column)) {
				return column
			}
		}
	}
	best, nearest := 0, board.MaxSide
	for column := range p.LegalMoves() {
		// Twice the distance from the middle, which may be between two columns.
		distance := max(2*column-p.Rules().Columns+1, p.Rules().Columns-1-2*column)
		if distance < nearest {
			best, nearest = column, distance
		}
	}
	return best
}
