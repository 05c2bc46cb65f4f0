package game

import (
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

// If a match is abandoned while the winning line of a round blinks, its record has the next round,
// which is empty.
func TestAbandonInCheer(t *testing.T) {
	p := newPlayer(t, Config{Setup: Setup{Rules: board.Standard, Points: 2}})
	for _, col := range []int{0, 1, 0, 1, 0, 1, 0} {
		p.step(Column{col})
		p.after(time.Second)
	}
	if v := p.state.View(p.now); v.Phase != Cheer || !v.Counted {
		t.Fatalf("%v, counted: %v", v.Phase, v.Counted)
	}
	p.effects = nil
	p.step(End{})
	finish, _ := p.effects[0].(Finish)
	if r := finish.Record; r.Counted || strings.Join(r.Rounds(), "/") != "1212121/" {
		t.Errorf("%+v", p.effects)
	}
}

// The discs of the opening cannot be taken back, even after a restart; in later rounds every disc
// can.
func TestOpeningOfTheFirstRound(t *testing.T) {
	p := newPlayer(t, scriptConfig(t, "opening=121212 first=red"))
	for _, line := range []string{"drops 1", "after 10s", "drops 7", "undo", "resume", "drops 12"} {
		if err := p.do(line); err != nil {
			t.Fatal(err)
		}
	}
	p.after(time.Second)
	v := p.state.View(p.now)
	if got := strings.Join(v.Rounds(), "/"); got != "1212121/12" || v.Opening != 6 {
		t.Errorf("after %s the first round had %d discs before it, want 6", got, v.Opening)
	}
	p.step(Undo)
	p.after(time.Second)
	p.step(Undo)
	if got := p.state.View(p.now).Game.String(); got != "" {
		t.Errorf("after everything is taken back: %q", got)
	}
}
