package game

import (
	"time"

	"github.com/c4hat/c4hat/board"
)

// thought is the computer's choice, in its turn or in the demo.
type thought struct {
	done  bool
	col   int
	moved time.Time // when it was done, or the cursor's last step towards the column
}

const (
	minThinkTime = 400 * time.Millisecond // so that a person can follow
	walkStep     = 120 * time.Millisecond
	breatheAfter = time.Second // then the cursor breathes: it is still thinking
	breatheHalf  = 500 * time.Millisecond
)

// computersTurn reports whether the computer is to move.
func (s *State) computersTurn() bool {
	position := s.record.Game.Position()
	return s.setup.Computer != board.Empty && position.Turn() == s.setup.Computer
}

// turn lets the player to move choose a column: a person from the cursor's column, the
// computer from the middle.
func (t *step) turn() {
	if !t.computersTurn() {
		t.aim()
		return
	}
	t.enter(Thinking)
	t.thought = thought{}
	t.cursor, t.blinks = t.home(), t.now
}

// askThought asks for the computer's column, if it is its turn and the question is not
// pending.
func (t *step) askThought() {
	think := Think{Game: t.record.Game, Level: t.setup.Level}
	switch {
	case t.asked != 0 || t.thought.done:
		return
	case t.phase == Thinking && t.solving.on: // the defence is known
		position := t.record.Game.Position()
		t.thought = thought{true, t.line(position.Ply()), t.now}
		return
	case t.phase == Attract:
		if position := t.demo.game.Position(); position.Outcome() != board.Playing {
			return
		}
		think.Game, think.Level = t.demo.game, demoLevel
	case t.phase != Thinking:
		return
	}
	t.lastID++
	t.asked = t.lastID
	think.ID, think.Seed = t.asked, t.chance.Uint64()
	t.effects = append(t.effects, think)
}

// chosen takes the computer's answer. An illegal one becomes a random legal column.
func (t *step) chosen(c Chosen) {
	if !t.awaits(c.ID) {
		return
	}
	t.asked = 0
	t.thought = thought{true, c.Col, t.now}
	game := &t.record.Game
	if t.phase == Attract {
		game = &t.demo.game
	}
	if position := game.Position(); !position.Legal(c.Col) {
		t.thought.col = t.anyColumn(position)
	}
}

// thinkFailed plays on without an answer.
func (t *step) thinkFailed(f ThinkFailed) { t.chosen(Chosen{f.ID, -1}) }

// anyColumn is a random legal column; a round under way has one.
func (t *step) anyColumn(p board.Position) int {
	for {
		// Straight from the source: a rand.Rand would move the state to the heap.
		if col := int(t.chance.Uint64() % uint64(p.Rules().Columns)); p.Legal(col) {
			return col
		}
	}
}

// thoughtDue is when the cursor takes its next step, or drops the disc.
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
		_ = t.record.Game.Play(t.cursor) // chosen has checked that it is legal
		t.fall()
		return
	}
	dir := +1
	if t.thought.col < t.cursor {
		dir = -1
	}
	t.moveCursor(dir, true)
	t.thought.moved = due
}

// inThinking handles input in the computer's turn.
func (t *step) inThinking(ev Event) {
	switch ev := ev.(type) {
	case Press:
		switch ev.Key {
		case Left, Right:
			t.sideways(ev.Key, false)
		case Up:
			t.pause()
		}
	case Column:
		t.wait(ev)
	case Command:
		switch ev {
		case Undo:
			t.undo()
		case Hint:
			t.refuse(1, Notice{Kind: NoticeThinking})
		case Pause:
			t.pause()
		}
	}
}

// breathes is when the cursor starts to breathe because somebody else is to move: the
// computer thinks for long, or the seat is taken. A cursor that blinks anyway does not.
func (s *State) breathes() (since time.Time, ok bool) {
	elsewhere := s.phase == Thinking && !s.thought.done || s.phase == Aim && s.seat(s.toMove()).holder != 0
	return s.since.Add(breatheAfter), elsewhere && !s.sharedTop()
}
