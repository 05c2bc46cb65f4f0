package plain

import (
	"bufio"
	"fmt"
	"io"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Follow gives a function that tells a game in lines of text as it goes on, from
// the views that it is shown: every disc, and how rounds and matches end.
func Follow(out io.Writer) func(game.View) error {
	w := bufio.NewWriter(out)
	say := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	var last game.View
	return func(v game.View) error {
		was := last
		last = v
		if was.UnderWay && was.Match.Winner() == board.Empty && (!v.UnderWay || v.ID != was.ID) && v.Match.Winner() == board.Empty {
			say("The match was ended.")
		}
		switch v.Phase {
		case game.Attract, game.Menu:
			return w.Flush()
		}
		position, before := v.Game.Position(), was.Game.Position()
		switch {
		case v.ID != was.ID || position.Outcome() == board.Playing && before.Outcome() != board.Playing:
			rules := v.Match.Rules()
			say("%d in a row on %dx%d, first to %d: %s.", rules.Connect, rules.Columns, rules.Rows, v.Match.Target(), game.PointsText(v.Match))
			if v.Computer != board.Empty {
				say("The computer is %s, level %d.", rules.Name(v.Computer), v.Level)
			}
			writeBoard(w, position)
		case position.Ply() == before.Ply()+1:
			say("%s", game.MoveText(v.Game, v.Computer))
		case position.Ply() < before.Ply():
			say("Taken back.")
			writeBoard(w, position)
		}
		if v.Phase != was.Phase {
			switch v.Phase {
			case game.Cheer, game.Drawn:
				writeBoard(w, position)
				say("%s", game.RoundText(v.Match, position.Outcome()))
			case game.Victory:
				say("%s", game.MatchText(v.Match))
			}
		}
		return w.Flush()
	}
}
