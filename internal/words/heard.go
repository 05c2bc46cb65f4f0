package words

import (
	"fmt"

	"github.com/c4hat/c4hat/board"
)

// What a listener hears while the game cannot be reached, and when a hint's time is over.
const (
	ServiceLost = "the service has stopped: waiting for it"
	ServiceBack = "the service is back"

	HintEnded = "the hint has ended"
)

func LeftOut(n int) string { return fmt.Sprintf("%d earlier messages are left out", n) }

func TurnOf(g board.Game) string { return Turn(g) + "'s turn" }
