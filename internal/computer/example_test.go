package computer_test

import (
	"context"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/levels"
)

// A game against the computer, which plays yellow. The same seed gives the same game.
func ExampleComputer_Choose() {
	ctx := context.Background() // cancelling it stops the search
	var player computer.Computer
	g, _ := board.NewGame(board.Standard, board.Red)
	for _, col := range []int{3, 2, 4, 5} { // the person's columns
		if err := g.Play(col); err != nil {
			fmt.Println(err)
			return
		}
		if g.Position().Outcome() != board.Playing {
			break
		}
		answer, err := player.Choose(ctx, levels.Easy, g.Position(), 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = g.Play(answer) // Choose returns legal columns
	}
	fmt.Println(g, g.Position().Outcome())
	fmt.Print(g.Position())
	// Output:
	// 4734526 red wins
	// .......
	// .......
	// .......
	// .......
	// ...Y...
	// .YRRRRY
}

// The scores of the columns: the side to move wins with a score above 0, loses with a score
// below 0, and draws with 0.
func ExampleComputer_Advise() {
	p, _ := board.Parse(board.Standard, "445563") // red can win on the right
	var player computer.Computer
	advice, err := player.Advise(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("exact:", advice.Exact)
	for col := range p.LegalMoves() {
		fmt.Println("column", col+1, "is worth", advice.Score[col])
	}
	// Output:
	// exact: true
	// column 1 is worth -5
	// column 2 is worth -8
	// column 3 is worth 0
	// column 4 is worth -1
	// column 5 is worth 1
	// column 6 is worth 2
	// column 7 is worth 18
}
