package plain

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Tell tells a match that was played in lines of text: who it was between, every
// disc, and how each round and the match ended.
func Tell(out io.Writer, r game.Record) error {
	w := bufio.NewWriter(out)
	say := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	rules := r.Match.Rules()
	say("%d in a row on %dx%d, first to %d.", rules.Connect, rules.Columns, rules.Rows, r.Match.Target())
	if r.Computer != board.Empty {
		say("The computer is %s, level %d.", rules.Name(r.Computer), r.Level)
	}
	m, err := board.NewMatch(rules, r.Match.Target(), r.Match.First(), r.Match.Seed())
	if err != nil {
		return err
	}
	for _, moves := range append(r.Match.Games(), r.Game.String()) {
		g := m.NewGame()
		for _, col := range moves {
			if err := g.Play(int(col - '1')); err != nil {
				return err
			}
			say("%s", game.MoveText(g, r.Computer))
		}
		position := g.Position()
		if position.Ply() > 0 {
			writeBoard(w, position)
		}
		if next, err := m.Record(g); err == nil {
			m = next
			say("%s", game.RoundText(m, position.Outcome()))
		}
	}
	if text := game.MatchText(m); text != "" {
		say("%s", text)
	} else {
		say("given up (%s)", game.PointsText(m))
	}
	return w.Flush()
}

// writeBoard writes the columns' numbers and the cells, the top row first.
func writeBoard(w io.Writer, p board.Position) {
	r := p.Rules()
	line := make([]string, r.Columns)
	for col := range line {
		line[col] = fmt.Sprint(col + 1)
	}
	fmt.Fprintln(w, strings.Join(line, " "))
	for row := r.Rows - 1; row >= 0; row-- {
		for col := range line {
			line[col] = string(r.Letter(p.At(col, row)))
		}
		fmt.Fprintln(w, strings.Join(line, " "))
	}
}
