package game

import (
	"cmp"
	"time"
)

// reading is a board that somebody goes over, cell by cell, while a voice says what is there.
type reading struct {
	plain
	col, row int // row is as in [View]
}

// read opens the column of the cursor.
func (g *Game) read() {
	s := new(reading)
	g.open(s)
	s.read(g, g.cursor, 0)
}

// next: after the last voice, nobody reads the board.
func (s *reading) next(g *Game) (at time.Time, change func(*Game)) {
	if g.voices == 0 {
		at = g.now
	}
	return at, (*Game).turn
}

// press goes to another column with left and right, and with up and down to one cell of the column, or
// back to the whole column.
func (s *reading) press(g *Game, in input) {
	rules := g.position().Rules()
	switch {
	case in.dir != 0:
		g.hold(in)
		s.read(g, wrap(s.col, in.dir, rules.Columns, in.held), 0)
	case in.key == Up:
		g.hold(in)
		s.read(g, s.col, wrap(s.row, +1, rules.Rows+1, false))
	case in.key == Down:
		s.read(g, s.col, wrap(s.row, -1, rules.Rows+1, false))
	case in.key == Middle, in.pauses:
		g.turn()
	case in.typed && in.col >= 0 && in.col < rules.Columns:
		s.read(g, in.col, 0)
	}
}

func (s *reading) read(g *Game, col, row int) {
	s.col, s.row = col, row
	g.blinks = g.now.Add(-blinkHalf) // lit where it arrives
}

func (s *reading) show(g *Game, p *picture) {
	p.Phase, p.Cursor, p.Row = Reading, s.col, s.row
	g.drawBoard(p)
	if !p.blinks(g.blinks) {
		row := cmp.Or(s.row, side) // a whole column is marked at the top of the matrix
		p.Frame[cell(s.col, row-1)] = LEDPlain
	}
}
