package plain

import (
	"io"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Follow returns a function that takes a game's views and describes the game in lines of
// text: every disc, and how rounds and matches end.
func Follow(out io.Writer) func(game.View) error {
	w := newWriter(out)
	var last game.View
	return func(v game.View) error {
		was := last
		last = v
		if was.UnderWay && was.Match.Winner() == board.Empty && (!v.UnderWay || v.ID != was.ID) && v.Match.Winner() == board.Empty {
			w.say("The match was ended.")
		}
		switch v.Phase {
		case game.Attract, game.Menu:
			return w.Flush()
		}
		position, before := v.Game.Position(), was.Game.Position()
		switch {
		case v.ID != was.ID || position.Outcome() == board.Playing && before.Outcome() != board.Playing:
			w.say("%s: %s.", game.RulesText(v.Match), game.PointsText(v.Match))
			if v.Computer != board.Empty {
				w.say("%s.", computerText(v.Record))
			}
			w.board(position)
		case position.Ply() == before.Ply()+1:
			w.say("%s", game.MoveText(v.Game, v.Computer))
		case position.Ply() < before.Ply():
			w.say("Taken back.")
			w.board(position)
		}
		for i, seat := range v.Seats {
			player := board.Red + board.Disc(i)
			switch {
			case seat == was.Seats[i] || v.ID != was.ID && seat == game.Open || !v.UnderWay:
			case seat == game.Taken:
				w.say("%s.", sentence(game.SeatText(v.Match.Rules(), player)))
			default:
				w.say("%s's seat is open: anyone may drop its discs.", sentence(v.Match.Rules().Name(player)))
			}
		}
		if v.Phase != was.Phase {
			switch v.Phase {
			case game.Cheer, game.Drawn:
				w.board(position)
				w.say("%s", game.RoundText(v.Match, position.Outcome()))
			case game.Victory:
				w.say("%s", game.MatchText(v.Match))
			}
		}
		return w.Flush()
	}
}
