package plain

import (
	"io"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Tell describes a finished match in lines of text: who played, every disc, and how each
// round and the match ended.
func Tell(out io.Writer, r game.Record) error {
	w := newWriter(out)
	w.say("%s.", game.RulesText(r.Match))
	if r.Computer != board.Empty {
		w.say("%s.", computerText(r))
	}
	m, err := board.NewMatch(r.Match.Rules(), r.Match.Target(), r.Match.First(), r.Match.Seed())
	if err != nil {
		return err
	}
	for _, moves := range r.Rounds() {
		g := m.NewGame()
		for _, col := range moves {
			if err := g.Play(int(col - '1')); err != nil {
				return err
			}
			w.say("%s", game.MoveText(g, r.Computer))
		}
		position := g.Position()
		if position.Ply() > 0 {
			w.board(position)
		}
		if next, err := m.Record(g); err == nil {
			m = next
			w.say("%s", game.RoundText(m, position.Outcome()))
		}
	}
	if text := game.MatchText(m); text != "" {
		w.say("%s", text)
	} else {
		w.say("given up (%s)", game.PointsText(m))
	}
	return w.Flush()
}
