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
	var end board.Match
	for m, g := range r.Replay() {
		shown := m.NewGame()
		for ply := range g.Position().Ply() {
			_ = shown.Play(g.Move(ply)) // it was played
			w.say("%s", game.MoveText(shown, r.Computer))
		}
		if shown.String() != "" {
			w.board(shown.Position())
		}
		var err error
		if end, err = m.Record(g); err == nil {
			w.say("%s", game.RoundText(end, g.Position().Outcome()))
		}
	}
	if text := game.MatchText(end); text != "" {
		w.say("%s", text)
	} else {
		w.say("given up (%s)", game.PointsText(end))
	}
	return w.Flush()
}
