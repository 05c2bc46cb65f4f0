package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// demo is a game that the computer plays against itself while the machine is idle, to show people
// what the machine does.
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

// demoLevel is the level of both sides in the demo. It plays sensibly and needs little computing
// time.
const demoLevel = levels.Medium

// demoDue returns when the demo takes its next step.
func (s *State) demoDue() (time.Time, bool) {
	if s.demo.game.Position().Outcome() != board.Playing {
		return s.landing().rested.Add(cheerTime + demoRest), true
	}
	return s.demo.moved.Add(demoPace), s.thought.done
}

func (t *step) passDemo() {
	if t.demo.game.Position().Outcome() != board.Playing {
		t.startDemoRound()
		return
	}
	_ = t.demo.game.Play(t.thought.col) // choose has checked that it is legal
	t.demo.moved = t.now
	t.thought = thought{}
}
