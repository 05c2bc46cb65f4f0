package words

import (
	"fmt"

	"github.com/c4hat/c4hat/internal/game"
)

var demo = screen{title: demoTitle, help: keys("Enter opens the menu", "q quit")}

func demoTitle(v *game.View) string {
	switch s := v.Standing; {
	case s == nil:
		return "nobody plays: a demo runs"
	case s.Red == "" && s.Played < s.Games:
		return fmt.Sprintf("the scores after %d of %d games", s.Played, s.Games)
	case s.Red == "":
		return fmt.Sprintf("the tournament is over after %d of %d games", s.Played, s.Games)
	default:
		return fmt.Sprintf("game %d of %d: %s against %s", s.Played, s.Games, s.Red, s.Yellow)
	}
}
