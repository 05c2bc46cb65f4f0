package term

import (
	"strings"
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

// In the smallest window, a reason that is too long for the room beside the picture is shown sentence
// by sentence.
func TestReasonsFit(t *testing.T) {
	g, err := board.ParseGame(board.Standard, board.Red, "4444445")
	if err != nil {
		t.Fatal(err)
	}
	last := game.Verdict{Known: true, Before: 3, After: -5,
		Why:    game.Why{Kind: game.Threats, Cells: 1<<2 | 1<<44, Line: "1"},
		Better: game.Why{Kind: game.Zugzwang, Cells: 1<<4 | 1<<49, Line: "2"}}
	v := game.View{Phase: game.Looking, Record: game.Record{Game: g}, Look: game.Look{Last: last, Exact: true}}
	const lost, better = "Disc 7 gave red's win away: yellow could then build two threats, at columns 1 and 6",
		"Column 2 would have kept the win: red's winning cells, column 1, row 5, and column 7, row 2, decide when the other columns are full."
	for _, tt := range []struct {
		room  int
		shown game.Variation
		want  string
	}{
		{20, "", "red: column 5, row 1 " + lost + ". " + better + " not known"},
		{12, "", lost + ". " + better},
		{8, "", lost},
		{8, game.Refutation, lost},
		{8, game.Improvement, better},
	} {
		v.Look.Variation = tt.shown
		lines := verdicts(&v, tt.room, false)
		if got := strings.Join(lines, " "); got != tt.want || len(lines) > tt.room {
			t.Errorf("in %d lines, %q:\n%q\n%q", tt.room, tt.shown, got, tt.want)
		}
	}
}
