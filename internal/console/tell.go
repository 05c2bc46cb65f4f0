package console

import (
	"cmp"
	"io"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// Tell describes a finished match in lines of text: who played, every disc, and how each
// round and the match ended.
func Tell(out io.Writer, r game.Record) error {
	w := newWriter(out)
	w.terms(r)
	var end board.Match
	for m, g := range r.Replay() {
		w.drops(g, 0, r.Computer)
		if g.Position().Ply() > 0 {
			w.board(g.Position())
		}
		var err error
		if end, err = m.Record(g); err == nil {
			w.say("%s", words.Round(end, g.Position().Outcome()))
		}
	}
	w.say("%s", cmp.Or(words.Match(end), words.GivenUp(end)))
	return w.Flush()
}
