package words

import (
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

var (
	aim      = screen{title: aimTitle, mine: aimMine, event: moved, keys: always("left and right move, a press drops the disc, up pauses"), help: turnHelp}
	thinking = screen{title: thinks, event: moved, help: turnHelp}
	fall     = screen{title: moved, event: moved, help: turnHelp}
)

const (
	toMove   = " to move"
	YourTurn = "your turn"
)

func aimTitle(v *game.View) string {
	position := v.Game.Position()
	switch seat := v.Seats[position.Turn()-board.Red]; {
	case v.Solving.On:
		return Puzzle(position, v.Solving.Discs)
	case v.Failed != "":
		return fmt.Sprintf("%[1]s's program failed: you play %[1]s", Turn(v.Game))
	case seat.State != game.Open:
		return Seat(v.Match.Rules(), position.Turn(), seat)
	}
	return Turn(v.Game) + toMove
}

func aimMine(v *game.View) string {
	if v.Solving.On || v.Failed != "" {
		return aimTitle(v)
	}
	return YourTurn
}

func thinks(v *game.View) string { return Turn(v.Game) + ", the computer, thinks" }

// moved says where the last disc is.
func moved(v *game.View) string { return Move(v.Game, v.Computer) }

func turnHelp(v *game.View) [2]string {
	switch {
	case v.Unattended():
		return [2]string{"you only watch", "↑ pause  q quit"}
	case v.Phase == game.Thinking || v.Phase == game.Aim && v.TakenTurn():
		return [2]string{"somebody else's turn", "↑ pause  u undo  q quit"}
	}
	return [2]string{fmt.Sprintf("← → move  ↓ drop  1-%d column", v.Match.Rules().Columns), "↑ pause  u undo  ? hint  q quit"}
}
