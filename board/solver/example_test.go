package solver_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
)

func Example() {
	p, err := board.Parse(board.Standard, "44455") // columns from 1 on the left; red began
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := solver.New(solver.Options{}).Analyse(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("score", a.Score)
	for _, column := range a.Best {
		fmt.Println("best: column", column+1)
	}
	// Output:
	// score -3
	// best: column 4
	// best: column 5
}

// On a large board, the outcomes are found long before the scores. A limit keeps the search short.
func ExampleSolver_Outcomes() {
	p, _ := board.Parse(board.FullMatrix, "122275766688582151258115176876")
	s := solver.New(solver.Options{Nodes: 1_000_000, Table: 8 << 20})
	o, err := s.Outcomes(context.Background(), p)
	if err != nil && !errors.Is(err, solver.ErrNodes) {
		fmt.Println(err)
		return
	}
	for column := range p.LegalMoves() {
		text := "unknown"
		if o.Known[column] {
			text = [3]string{"loses", "draws", "wins"}[o.Columns[column]+1]
		}
		fmt.Println("column", column+1, text)
	}
	// Output:
	// column 1 loses
	// column 2 loses
	// column 3 loses
	// column 4 loses
	// column 5 loses
	// column 6 loses
	// column 7 wins
	// column 8 loses
}
