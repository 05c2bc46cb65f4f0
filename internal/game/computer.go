package game

import (
	"cmp"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// thought is the column that the computer has chosen, in its turn or in the demo.
type thought struct {
	done  bool
	col   int
	moved time.Time // when the column was chosen, or when the cursor last stepped towards it
}

// think asks for the computer's column, unless it is known or the round is over.
func (t *step) think(g board.Game, level levels.Level) {
	if !t.thought.done && g.Position().Outcome() == board.Playing {
		t.effects = append(t.effects, Think{t.question(), g, level, t.chance.Uint64()})
	}
}

// choose takes the computer's column. If it is illegal, a random legal column replaces it.
func (t *step) choose(col int) {
	t.thought = thought{true, col, t.now}
	position := t.position()
	if t.phase == Attract {
		position = t.demo.game.Position()
	}
	if !position.Legal(col) {
		t.thought.col = t.anyColumn(position)
	}
}

// anyColumn returns a random legal column. A round under way always has one.
func (t *step) anyColumn(p board.Position) int {
	for {
		// Take the number from the source itself: a rand.Rand would move the state to the heap.
		if col := int(t.chance.Uint64() % uint64(p.Rules().Columns)); p.Legal(col) {
			return col
		}
	}
}

// passThought moves the cursor one column nearer to the computer's, or drops the disc there.
func (t *step) passThought() {
	due := t.thoughtDue()
	if t.cursor == t.thought.col {
		_ = t.record.Game.Play(t.cursor) // choose has checked that it is legal
		t.fall()
		return
	}
	t.moveCursor(cmp.Compare(t.thought.col, t.cursor), true)
	t.thought.moved = due
}

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

// passDemo drops the demo's next disc, or starts its next round.
func (t *step) passDemo() {
	if t.demo.game.Position().Outcome() != board.Playing {
		t.startDemoRound()
		return
	}
	_ = t.demo.game.Play(t.thought.col) // choose has checked that it is legal
	t.demo.moved = t.now
	t.thought = thought{}
}
