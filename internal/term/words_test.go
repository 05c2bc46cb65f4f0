package term

import (
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// The headline, the help and a refusal say who plays a seat that is not open.
func TestSeatWords(t *testing.T) {
	for seat, want := range map[game.Seat][3]string{
		{State: game.Open}:                      {"red to move", "← → move  ↓ drop  1-7 column", "it is another client's turn"},
		{State: game.Taken}:                     {"red is played by another client", "another client's turn", "it is another client's turn"},
		{State: game.Away}:                      {"red is away: waiting", "another client's turn", "it is another client's turn"},
		{State: game.Taken, Holder: "./bot.py"}: {"red, ./bot.py, thinks", "the program's turn", "it is the program's turn"},
	} {
		s, now := state(t, game.Config{Setup: game.Setup{Rules: board.Standard}})
		v := s.View(now)
		v.Seats[0], v.Notice.Kind = seat, game.NoticeTaken
		if got := [3]string{(&Panel{view: v}).headline(), PlayHelp(&v)[0], words.Happened(&v)}; got != want {
			t.Errorf("seat %v: %q, want %q", seat, got, want)
		}
	}
}
