package board_test

import (
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/board"
)

// A position is a value: each drop gives the next one.
func ExamplePosition_Drop() {
	p, _ := board.New(board.Standard, board.Red)
	for _, col := range []int{3, 3, 4, 2, 5} {
		p, _ = p.Drop(col)
	}
	fmt.Print(p)
	fmt.Println(p.Turn(), "to move; red wins at", p.Threats(board.Red).Has(6, 0))
	// Output:
	// .......
	// .......
	// .......
	// .......
	// ...Y...
	// ..YRRR.
	// yellow to move; red wins at true
}

func ExampleParse() {
	p, err := board.Parse(board.Standard, "1212121")
	fmt.Println(p.Outcome().Winner(), p.Lines().Count(), err)

	_, err = board.Parse(board.Standard, "44x")
	fmt.Println(err, errors.Is(err, board.ErrNotation))
	// Output:
	// red 4 <nil>
	// board: move 3, 'x': a move is a column's number, 1 for the leftmost true
}

// A match to two points, the loser starting the next round.
func ExampleMatch() {
	m, _ := board.NewMatch(board.Standard, 2, board.FirstLoser, 0)
	for m.Winner() == board.Empty {
		g := m.NewGame()
		for _, col := range []int{0, 1, 0, 1, 0, 1, 0} { // whoever starts wins
			_ = g.Play(col)
		}
		m, _ = m.Record(g)
		fmt.Printf("red %d, yellow %d; %v starts next\n", m.Points(board.Red), m.Points(board.Yellow), m.Starter())
	}
	fmt.Println(m.Winner(), "wins the match")
	// Output:
	// red 1, yellow 0; yellow starts next
	// red 1, yellow 1; red starts next
	// red 2, yellow 1; yellow starts next
	// red wins the match
}
