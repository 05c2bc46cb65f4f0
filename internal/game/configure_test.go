package game

import (
	"errors"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

// A changed configuration applies from the next match on. The menu then starts a match with it, not
// a rematch with the old one.
func TestConfigure(t *testing.T) {
	now := time.Unix(0, 0)
	old := Setup{Rules: board.Standard, Points: 2}
	s, err := New(Config{Setup: old, Forever: true, Idle: time.Minute}, now)
	if err != nil {
		t.Fatal(err)
	}
	do := func(ev Event) []Effect {
		now = now.Add(time.Second)
		var effects []Effect
		s, effects = s.Step(now, ev)
		return effects
	}
	do(Column{3})
	long := Setup{Rules: board.Standard, Points: 3}
	if effects := do(Configure{Setup: long, Idle: time.Hour}); len(effects) > 0 {
		t.Errorf("effects: %v", effects)
	}
	if v := s.View(now); v.Match.Target() != 2 || v.Game.String() != "4" {
		t.Errorf("the match is to %d points after %q", v.Match.Target(), v.Game.String())
	}
	now = now.Add(30 * time.Minute)
	if do(Tick{}); s.Phase() == Dark {
		t.Error("dark after the old idle time")
	}
	do(End{})
	do(Press{Key: Middle})
	if v := s.View(now); v.Phase != Aim || v.Match.Target() != 3 {
		t.Errorf("%v, to %d points, want 3", v.Phase, v.Match.Target())
	}
	effects := do(Configure{Setup: Setup{Rules: board.Standard, Points: 4}})
	if len(effects) != 1 {
		t.Fatalf("effects: %v", effects)
	}
	if refused, ok := effects[0].(Refused); !ok || !errors.Is(refused.Err, ErrPoints) {
		t.Errorf("4 points: %v", effects[0])
	}
}
