package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

// Views of matches and of the menu, and everything that is said about each.
func TestViews(t *testing.T) {
	var out strings.Builder
	small := game.Setup{Rules: board.Rules{Columns: 3, Rows: 2, Connect: 2}, Points: 2}
	computer := game.Setup{Rules: board.FullMatrix, Points: 2, Computer: board.Yellow, Level: match.Perfect}
	won := game.Setup{Rules: small.Rules, Points: 1, Computer: board.Yellow, Level: 1}
	scores := game.Advice{Exact: true, Score: [8]int{-2, -1, 0, 1, 0, -1, -2}}
	for _, tt := range []struct {
		name   string
		config game.Config
		events []game.Event
	}{
		{"a match", game.Config{Setup: small}, []game.Event{game.Column{Col: 1}, game.Undo, game.Undo, game.Column{Col: 1}, game.Column{Col: 1}, game.Column{Col: 1}, game.Column{Col: 0}, game.Pause, game.Press{Key: game.Up}}},
		{"against the computer", game.Config{Setup: computer}, []game.Event{game.Column{Col: 3}, game.Answered{ID: 1, Col: 2}, game.Hint, game.Answered{ID: 2, Failed: true}}},
		{"won", game.Config{Setup: won}, []game.Event{game.Column{Col: 1}, game.Answered{ID: 1, Col: 1}, game.Column{Col: 0}}},
		{"hints", game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2, Opening: "111111"}}, []game.Event{game.Hint, game.Answered{ID: 1, Advice: scores}}},
		{"a demo", game.Config{Setup: small, Attract: true, Forever: true, Idle: time.Minute}, []game.Event{game.Press{Key: game.Middle}, game.Press{Key: game.Left}}},
		{"a browser", game.Config{Setup: small, Attract: true, Forever: true}, []game.Event{game.Admit{Digit: 7}}},
	} {
		now := time.Unix(0, 0)
		s, err := game.New(tt.config, now)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "== %s\n", tt.name)
		said := ""
		for _, ev := range slices.Concat([]game.Event{game.Tick{}}, tt.events) {
			s.Step(now, ev)
			for end := now.Add(15 * time.Second); ; {
				v := s.View(now)
				if is := say(&v); is != said {
					said = is
					out.WriteString(is)
				}
				next, ok := s.Next(now)
				if !ok || next.After(end) {
					now = end
					break
				}
				now = next
				s.Step(now, game.Tick{})
			}
		}
	}
	out.WriteString("== seats\n")
	for _, seat := range []game.Seat{{State: game.Taken}, {State: game.Away}, {State: game.Taken, Holder: "./bot.py"}} {
		v := game.View{Phase: game.Aim, UnderWay: true, Seats: [2]game.Seat{seat}, Notice: game.Notice{Kind: game.NoticeTaken}}
		v.Match, _ = board.NewMatch(small.Rules, 2, board.FirstRed, 0)
		v.Game = v.Match.NewGame()
		out.WriteString(say(&v))
	}
	golden.Check(t, "testdata/views.golden", out.String())
}

func say(v *game.View) string {
	t, happened := Of(v), ""
	if v.UnderWay {
		happened = Happened(v)
	}
	lines := []string{fmt.Sprintf("-- %v", v.Phase)}
	for _, line := range []string{
		t.Title, t.Mine, t.Event, t.Refused, happened, Status(v), t.Match, t.Keys, strings.Trim(t.Help[0]+" | "+t.Help[1], " |"),
	} {
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
