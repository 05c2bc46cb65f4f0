package board_test

import (
	"errors"
	"fmt"

	"github.com/c4hat/c4hat/board"
)

// A position is a value: Drop returns the next one.
func ExamplePosition_Drop() {
	p, _ := board.NewPosition(board.Standard, board.Red)
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

// A match to two points in which the loser starts the next game.
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

// Two people at a terminal.
func Example() {
	g, err := board.NewGame(board.Standard, board.Red)
	if err != nil {
		fmt.Println(err) // for example, if somebody typed the rules
		return
	}
	for _, typed := range []int{4, 4, 5, 9, 5, 6, 3, 7} { // columns from 1, as people count
		turn := g.Position().Turn()
		if err := g.Play(typed - 1); err != nil {
			fmt.Printf("%v: %v\n", turn, err)
		}
	}
	fmt.Print(g.Position())
	fmt.Println(g, g.Position().Outcome())
	// Output:
	// yellow: board: no such column
	// .......
	// .......
	// .......
	// .......
	// ...YY..
	// ..YRRRR
	// 4455637 red wins
}

// The cells of the line that won.
func ExamplePosition_Lines() {
	p, err := board.Parse(board.Standard, "44553627")
	if err != nil {
		fmt.Println(err)
	}
	p, err = board.Parse(board.Standard, "4455362")
	fmt.Println(p.Outcome(), err)
	for row := range 2 {
		for col := range p.Rules().Columns {
			if p.Lines().Has(col, row) {
				fmt.Printf("column %d, row %d\n", col, row)
			}
		}
	}
	// Output:
	// board: move 8, '7': the game was already over
	// red wins <nil>
	// column 1, row 0
	// column 2, row 0
	// column 3, row 0
	// column 4, row 0
}

// A threat is an empty cell that completes a line, now or later.
func ExamplePosition_Threats() {
	p, _ := board.Parse(board.Standard, "445563")
	for col := range p.LegalMoves() {
		now := p.Threats(p.Turn()).Has(col, p.Height(col))
		if now {
			fmt.Println(p.Turn(), "wins in column", col+1)
		}
	}
	fmt.Println("yellow threatens", p.Threats(board.Yellow).Count(), "cells")
	// Output:
	// red wins in column 7
	// yellow threatens 0 cells
}

// Other sizes and line lengths.
func ExampleRules() {
	r := board.Rules{Columns: 5, Rows: 4, Connect: 3}
	p, err := board.Parse(r, "21324")
	fmt.Println(r, p.Outcome(), err)
	fmt.Print(p)

	r = board.Rules{Columns: 3, Rows: 3, Connect: 4}
	fmt.Println(r, "can be won:", r.Winnable())
	fmt.Println(board.Rules{Columns: 9, Rows: 6, Connect: 4}.Check())
	// Output:
	// 5x4 connect 3 red wins <nil>
	// .....
	// .....
	// .Y...
	// YRRR.
	// 3x3 can be won: false
	// board: rules out of range: 9 columns; use 1 to 8
}

// Undo takes back one move after the other.
func ExampleGame_Undo() {
	g, _ := board.ParseGame(board.Standard, board.Red, "1212121")
	fmt.Println(g, g.Position().Outcome())
	_ = g.Undo()
	fmt.Println(g, g.Position().Outcome(), g.Position().Turn())
	// Output:
	// 1212121 red wins
	// 121212 playing red
}

// A stored match is resumed.
func ExampleParseMatch() {
	m, g, err := board.ParseMatch(board.Standard, 2, board.FirstLoser, 0, []string{"1212121", "445"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("red %d, yellow %d\n", m.Points(board.Red), m.Points(board.Yellow))
	fmt.Printf("%v started this game; after %v it is the turn of %v\n", g.Starter(), g, g.Position().Turn())
	// Output:
	// red 1, yellow 0
	// yellow started this game; after 445 it is the turn of red
}
