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

const (
	minThinkTime = 400 * time.Millisecond // the shortest turn, so that a person can follow
	walkStep     = 120 * time.Millisecond // the cursor moves by one column
	breatheAfter = time.Second            // how long a turn lasts before the cursor breathes, see breathes
	breatheHalf  = 500 * time.Millisecond
)

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

// thoughtDue returns when the cursor takes its next step, or drops the disc.
func (s *State) thoughtDue() (time.Time, bool) {
	due := s.thought.moved.Add(walkStep)
	if least := s.since.Add(minThinkTime); s.cursor == s.thought.col && due.Before(least) {
		due = least
	}
	return due, s.thought.done
}

func (t *step) passThought() {
	due, _ := t.thoughtDue()
	if t.cursor == t.thought.col {
		_ = t.record.Game.Play(t.cursor) // choose has checked that it is legal
		t.fall()
		return
	}
	t.moveCursor(cmp.Compare(t.thought.col, t.cursor), true)
	t.thought.moved = due
}

// breathes returns when the cursor starts to breathe. It breathes, which means that it alternates
// between dim and bright, while the computer is thinking or another client holds the seat. A
// blinking cursor does not breathe.
func (s *State) breathes() (since time.Time, ok bool) {
	elsewhere := s.phase == Thinking && !s.thought.done || s.phase == Aim && s.seat(s.toMove()).holder != 0
	return s.since.Add(breatheAfter), elsewhere && !s.sharedTop()
}
