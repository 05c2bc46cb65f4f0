package game

import (
	"slices"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

// The demo shows a tournament's game at full brightness, then the standing, and then its own game
// again. A key ends the show, and while somebody uses the HAT there is none.
func TestShow(t *testing.T) {
	now := time.Unix(1000, 0)
	s, err := New(Config{Setup: Setup{Rules: board.Standard, Points: 1}, Attract: true, Forever: true, Idle: 2 * time.Minute}, now)
	must(t, err)
	g, _ := board.ParseGame(board.Standard, board.Red, "4453") // its loser failed
	standing := &Standing{Red: "anna", Yellow: "ben", Played: 1, Games: 2, Players: []Place{{"anna", new(1.)}, {"cora", new(0.5)}, {"ben", new(0.)}, {Name: "dora"}}}
	pass := func(d time.Duration) View {
		for end := now.Add(d); now.Before(end); {
			next, ok := s.Next(now)
			if now = end; ok && next.Before(end) {
				now = next
			}
			s.Step(now, Tick{})
		}
		return s.View(now)
	}
	refused := func(ev Event) bool {
		effects := s.Step(now, ev)
		return len(effects) > 0 && effects[len(effects)-1] == Refused{ErrInUse}
	}
	letters := func(v View, row int) (text string) {
		for _, led := range v.Frame[8*row : 8*row+8] {
			text += string(led.Letter())
		}
		return text
	}
	show := Show{g, standing}
	pass(3 * time.Minute) // the screen is dark
	if s.Phase() != Dark || refused(show) {
		t.Fatalf("refused in phase %v", s.Phase())
	}
	v := pass(4*lookEvery + time.Second)
	if v.Standing.Red != "anna" || v.Standing.Players[0] != (Place{Name: "anna"}) || letters(v, 7) != "OOYRROO." || letters(v, 6) != "OOOYOOO." {
		t.Errorf("shows %s %s, %+v", letters(v, 6), letters(v, 7), v.Standing)
	}
	v = pass(cheerTime + demoRest)
	if s := v.Standing; s.Red != "" || s.Played != 1 || &s.Players[0] != &standing.Players[0] {
		t.Errorf("after the game: %+v", v.Standing)
	}
	for row, want := range map[int]string{0: "R.......", 4: "Rl......", 7: "RlY....."} {
		if got := letters(v, row); got != want {
			t.Errorf("row %d of the bars: %s, not %s", row, got, want)
		}
	}
	if v = pass(barsTime); v.Standing != nil || s.Phase() != Attract {
		t.Errorf("after a minute: %v, %+v", s.Phase(), v.Standing)
	}
	// Until the game is over, the places are those after the last one.
	again := Show{g, &Standing{Red: "cora", Yellow: "ben", Played: 2, Games: 2, Players: slices.Clone(standing.Players)}}
	again.Standing.Players[1].Score = new(1.)
	if refused(again) || s.View(now).Standing.Red != "cora" || *s.View(now).Standing.Players[1].Score != 0.5 {
		t.Errorf("the next game: %+v", s.View(now).Standing)
	}
	pass(4*lookEvery + cheerTime + demoRest + time.Second)
	if refused(show) || s.View(now).Standing.Players[0].Score != nil { // it began anew
		t.Errorf("places of another tournament: %+v", s.View(now).Standing)
	}
	s.Step(now, Press{Key: Middle})
	if s.Phase() != Menu || !refused(show) {
		t.Error("a show instead of the menu")
	}
	s.Step(now, Start{Setup: Setup{Rules: board.Standard, Points: 1}})
	if pass(3 * time.Minute); s.Phase() != Dark || !refused(show) {
		t.Errorf("in %v a waiting match is replaced by a show", s.Phase())
	}
}
