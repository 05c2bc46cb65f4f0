package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// demo is a game that plays itself while the machine is idle, to show what it does.
type demo struct {
	game  board.Game
	moved time.Time // when the last disc was dropped, or the round began
}

func (t *step) startDemo() {
	t.enter(Attract)
	t.menu.second = false
	t.startDemoRound()
}

func (t *step) startDemoRound() {
	t.demo.game, _ = board.NewGame(board.Standard, board.Red) // the rules are valid
	t.demo.moved = t.now
	t.thought = thought{}
}

// demoLevel is the level of the demo's two computers: good enough to be worth watching,
// and cheap.
const demoLevel = levels.Medium

// demoDue returns when the demo takes its next step, or the screen goes dark.
func (s *State) demoDue() (time.Time, bool) {
	due, ok := s.demo.moved.Add(demoPace), s.thought.done
	if s.demo.game.Position().Outcome() != board.Playing {
		due, ok = s.demo.last().landed.Add(cheerTime+demoRest), true
	}
	if dark := s.touched.Add(s.config.Idle); s.config.Idle > 0 && (!ok || dark.Before(due)) {
		return dark, true
	}
	return due, ok
}

func (t *step) passDemo() {
	if t.config.Idle > 0 && t.now.Sub(t.touched) >= t.config.Idle {
		t.goDark()
		return
	}
	if t.demo.game.Position().Outcome() != board.Playing {
		t.startDemoRound()
		return
	}
	_ = t.demo.game.Play(t.thought.col) // choose has checked that it is legal
	t.demo.moved = t.now
	t.thought = thought{}
}

// last returns the demo's last disc. Once landed, it rests for the time of a row before
// its line blinks.
func (d *demo) last() landing { return landingOf(d.game, d.moved, demoRow, demoRow) }
