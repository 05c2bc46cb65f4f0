package words

import (
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
)

// The functions below describe the board to people who do not see it, in whole sentences. Columns
// and rows count from 0.

// OnBoard says which discs are on the board, a sentence for each column that has any.
func OnBoard(p board.Position) []string {
	if p.Ply() == 0 {
		return []string{"The board is empty."}
	}
	var texts []string
	for col := range p.Rules().Columns {
		if p.Height(col) > 0 {
			texts = append(texts, Column(p, col))
		}
	}
	return texts
}

// Column says which discs are in a column, from the bottom.
func Column(p board.Position, col int) string { return Sentence(column(p, col)) + "." }

func column(p board.Position, col int) string {
	r := p.Rules()
	var discs []string
	for row := range p.Height(col) {
		discs = append(discs, r.Name(p.At(col, row)))
	}
	text := strings.Join(discs, ", ")
	if len(discs) > 1 {
		text += " on top"
	}
	switch free := r.Rows - len(discs); free {
	case r.Rows:
		return fmt.Sprintf("column %d is empty", col+1)
	case 0:
		return fmt.Sprintf("column %d is full: %s", col+1, text)
	default:
		return fmt.Sprintf("column %d: %s; %d free", col+1, text, free)
	}
}

func Row(p board.Position, row int) string {
	return fmt.Sprintf("Row %d, from the left: %s.", row+1, strings.Join(along(p, 0, row, 1, 0), ", "))
}

func InCell(p board.Position, col, row int) string {
	return fmt.Sprintf("%s: %s.", Sentence(Cell(col, row)), inCell(p, col, row))
}

// Diagonals says what is in the two diagonals through a cell.
func Diagonals(p board.Position, col, row int) (texts []string) {
	for i, way := range []string{"Rising", "Falling"} {
		rise := 1 - 2*i
		first, from := col, row
		for inside(p, first-1, from-rise) {
			first, from = first-1, from-rise
		}
		cells := along(p, first, from, 1, rise)
		texts = append(texts, fmt.Sprintf("%s to the right from %s: %s.", way, Cell(first, from), strings.Join(cells, ", ")))
	}
	return texts
}

// along says what is in each cell from one on, in a direction.
func along(p board.Position, col, row, dx, dy int) (cells []string) {
	for ; inside(p, col, row); col, row = col+dx, row+dy {
		cells = append(cells, inCell(p, col, row))
	}
	return cells
}

func inside(p board.Position, col, row int) bool {
	return col >= 0 && col < p.Rules().Columns && row >= 0 && row < p.Rules().Rows
}

func inCell(p board.Position, col, row int) string {
	if d := p.At(col, row); d != board.Empty {
		return p.Rules().Name(d)
	}
	return "empty"
}
