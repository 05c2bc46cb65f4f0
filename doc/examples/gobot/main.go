// Gobot looks a few discs ahead, on a board of any size. Package board knows the rules.
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

// depth is how many discs gobot looks ahead.
const depth = 6

// choose returns a column, from 0: one of the best, preferably near the middle.
func choose(p board.Position) int {
	best, most, nearest := 0, -depth-1, 0
	for column := range p.LegalMoves() {
		// Twice the distance from the middle, which may be between two columns.
		distance := max(2*column-p.Rules().Columns+1, p.Rules().Columns-1-2*column)
		if worth := value(p, column, depth); worth > most || worth == most && distance < nearest {
			best, most, nearest = column, worth, distance
		}
	}
	return best
}

// value returns what a column is worth to the player who moves: more than 0 wins, less than 0 loses,
// and the sooner, the further from 0.
func value(p board.Position, column, depth int) int {
	next, _ := p.Drop(column) // the column is legal
	switch {
	case next.Outcome().Winner() != board.Empty:
		return depth
	case next.Outcome() == board.Draw || depth == 1:
		return 0
	}
	best := -depth
	for reply := range next.LegalMoves() {
		best = max(best, value(next, reply, depth-1))
	}
	return -best
}
