package game

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// startTurn starts a turn with an empty queue and the cursor in its home column.
func (t *step) startTurn() {
	t.queue = queue{}
	t.turn()
	t.cursor = t.home()
}

// turn lets the player to move choose a column. A person's cursor stays where it is; the computer's
// starts in its home column.
func (t *step) turn() {
	if !t.computersTurn() {
		t.enter(Aim)
		return
	}
	t.enter(Thinking)
	t.thought, t.cursor = thought{}, t.home()
}

func (s *State) computersTurn() bool { return s.toMove() == s.record.Computer }

// choosing reports whether a player is choosing a column, or will be as soon as the falling disc
// has landed.
func (s *State) choosing() bool {
	switch s.phase {
	case Aim, Thinking, Hinting:
		return true
	case Fall:
		return s.position().Outcome() == board.Playing
	}
	return false
}

// drop drops a disc. If that cannot be, the key is refused and the player keeps the turn.
func (t *step) drop(col int) {
	err := t.record.Game.Play(col)
	switch {
	case err == nil:
		t.fall()
	case errors.Is(err, board.ErrColumnFull):
		t.blink(Notice{Kind: NoticeFull, Column: col})
	default:
		t.blink(Notice{Kind: NoticeNoColumn, Column: col})
	}
}

func (t *step) fall() {
	t.enter(Fall)
	t.unsaved, t.afterFall = true, nil
	t.cursor = t.home()
	t.catchUp()
}

// undo takes back a person's last disc, with the computer's reply if there is one. If that person's
// seat is taken, only the seat's holder can take the disc back.
func (t *step) undo() {
	player, plies := t.toMove().Other(), 1 // the person whose disc is taken back
	if t.record.Computer != board.Empty && !t.computersTurn() {
		player, plies = t.toMove(), 2
	}
	switch {
	case t.position().Ply()-plies < t.record.OpeningOf(t.record.Match.Played()):
		t.blink(Notice{Kind: NoticeNoUndo})
	case t.seats[0].final || t.seats[1].final:
		t.blink(Notice{Kind: NoticeFinal})
	case t.seat(player).State != Open && t.barred(t.from, player):
		t.refuseSeat(NoticeTakenDisc)
	default:
		for range plies {
			_ = t.record.Game.Undo() // the game has that many discs
		}
		t.unsaved = true
		t.startTurn()
	}
}

// hint asks for advice on the position, unless an answer is still pending.
func (t *step) hint() {
	switch {
	case t.computersTurn():
		t.blink(Notice{Kind: NoticeThinking})
		return
	case t.barred(t.from, t.toMove()):
		t.refuseSeat(NoticeTaken)
		return
	case t.phase == Paused:
		t.enter(Aim)
	}
	if t.asked == 0 {
		t.asker = t.from
		t.effects = append(t.effects, Advise{t.question(), t.record.Game})
	}
}

func (t *step) pause() {
	t.choice, t.queue = choiceResume, queue{}
	t.enter(Paused)
}

// home returns the column where the cursor starts: the open one nearest the middle, or after the round
// the middle.
func (s *State) home() int {
	if col := (Advice{}).Best(s.position()); col >= 0 {
		return col
	}
	return (s.position().Rules().Columns - 1) / 2
}

// point moves the cursor to the mouse's column, if the cursor may be there.
func (t *step) point(col int) {
	if t.phase != Aim && t.phase != Fall || !t.steers(t.from, t.toMove()) {
		return
	}
	t.touched = t.now
	position := t.position()
	if col != t.cursor && col >= 0 && col < position.Rules().Columns && (!t.sharedTop() || position.Legal(col)) {
		t.setCursor(col)
	}
}

func (t *step) moveCursor(dir int, hold bool) {
	position := t.position()
	columns := position.Rules().Columns
	if !t.sharedTop() {
		t.setCursor(wrap(t.cursor, dir, columns, hold))
		return
	}
	for col := t.cursor + dir; col >= 0 && col < columns; col += dir {
		if position.Legal(col) {
			t.setCursor(col)
			return
		}
	}
}

func (t *step) setCursor(col int) {
	t.cursor = col
	t.refused.shown = false
	t.blinks = t.now.Add(-blinkHalf) // lit where it arrives
}

// add adds an input, unless there is no room. Clients can fill only half of the queue.
func (q *queue) add(a ahead) {
	if q.n == len(q.inputs) || a.from.Kind != Panel && q.n >= len(q.inputs)/2 {
		return
	}
	q.inputs[q.n] = a
	q.n++
}

func (q *queue) remove(i int) ahead {
	a := q.inputs[i]
	q.n--
	copy(q.inputs[i:], q.inputs[i+1:])
	q.inputs[q.n] = ahead{}
	return a
}

// wait queues a column for a person's next turn. A column that is typed again within dropWindow is
// not queued again.
func (t *step) wait(col int) {
	last, _, _ := t.record.Game.Last()
	for _, a := range t.queue.inputs[:t.queue.n] {
		if a.key == 0 {
			last = int(a.col)
		}
	}
	if !t.tooSoon || col != last {
		t.queue.add(ahead{col: int8(min(max(col, -1), board.MaxSide)), from: t.from})
	}
}

// waiting returns the index of the first queued input whose sender may play the side to move.
func (t *step) waiting() (i int, ok bool) {
	for i, a := range t.queue.inputs[:t.queue.n] {
		if t.steers(a.from, t.toMove()) {
			return i, true
		}
	}
	return 0, false
}

// catchUp handles the inputs that came before this turn, until one of them drops a disc. Until the
// last disc has landed, it only moves the cursor.
func (t *step) catchUp() {
	for i, ok := t.waiting(); ok; i, ok = t.waiting() {
		if key := t.queue.inputs[i].key; key != 0 {
			t.queue.remove(i)
			t.moveCursor(key.direction(), false)
			continue
		}
		if t.phase != Aim {
			return
		}
		a, from := t.queue.remove(i), t.from
		t.from, t.notice = a.from, Notice{}
		t.drop(int(a.col))
		t.from = from
	}
}

// think asks for the computer's column, unless it is known or the round is over.
func (t *step) think(g board.Game, level levels.Level) {
	if !t.thought.done && g.Position().Outcome() == board.Playing {
		t.effects = append(t.effects, Think{t.question(), g, level, t.chance.Uint64()})
	}
}

// choose takes the computer's column. If it is illegal, a random legal column replaces it.
func (t *step) choose(col int) {
	position := t.position()
	if t.phase == Attract {
		position = t.demo.game.Position()
	}
	for !position.Legal(col) { // a round under way has a legal column
		// Take the number from the source itself: a rand.Rand would move the state to the heap.
		col = int(t.chance.Uint64() % uint64(position.Rules().Columns))
	}
	t.thought = thought{true, col, t.now}
}

// thoughtDue returns when the computer's cursor takes its next step, or drops the disc.
func (s *State) thoughtDue() time.Time {
	due := s.thought.moved.Add(walkStep)
	if least := s.since.Add(minThinkTime); s.cursor == s.thought.col && due.Before(least) {
		return least
	}
	return due
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

// demoLevel is the level of both sides in the demo: sensible, and with little computing time.
const demoLevel = levels.Medium

func (t *step) startDemo() {
	t.enter(Attract)
	t.menu.second = false
	t.startDemoRound()
}

func (t *step) startDemoRound() {
	game, _ := board.NewGame(board.Standard, board.Red) // the rules are valid
	t.demo, t.thought = demo{game: game, moved: t.now, before: t.demo.before}, thought{}
}

func (d *demo) over() bool {
	return d.game.Position().Outcome() != board.Playing || d.standing != nil && d.game == d.shows
}

// ShowTime is how long a [Show] takes until its bars have been seen.
func ShowTime(g board.Game) time.Duration {
	return time.Duration(g.Position().Ply())*lookEvery + cheerTime + demoRest + lookEnd
}

// show starts to show a game of a tournament, unless somebody uses the HAT or a match waits.
func (t *step) show(ev Show) error {
	if t.phase != Attract && (t.phase != Dark || t.resumes != Menu) {
		return ErrInUse
	}
	t.startDemo()
	t.touched = t.now
	t.demo.game, _ = board.NewGame(ev.Game.Position().Rules(), ev.Game.Starter())
	t.demo.shows, t.demo.standing, t.demo.before = ev.Game, ev.Standing, ev.Standing.without(t.demo.before)
	if ev.Standing.Red == "" {
		t.demo.bars = t.now // the tournament is over
	}
	return nil
}

// without returns what is shown until the game is over: the places of the last standing of the same tournament, or
// only names.
func (s *Standing) without(last *Standing) *Standing {
	names := func(s *Standing) (all []string) {
		for _, p := range s.Players {
			all = append(all, p.Name)
		}
		slices.Sort(all)
		return all
	}
	before := *s
	switch {
	case s.Red == "": // the end of the tournament
	case last != nil && last.Games == s.Games && last.Played < s.Played && slices.Equal(names(last), names(s)):
		before.Players = last.Players
	default:
		before.Players = nil
		for _, name := range names(s) {
			before.Players = append(before.Players, Place{Name: name})
		}
	}
	return &before
}

func (t *step) passDemo() {
	switch d := &t.demo; {
	case d.over() && d.standing != nil && d.bars.IsZero():
		after := *d.standing
		after.Red, after.Yellow = "", ""
		d.bars, d.before = t.now, &after
		return
	case d.over():
		t.startDemoRound()
		return
	case d.standing != nil:
		t.thought.col = d.shows.Move(d.game.Position().Ply())
	}
	_ = t.demo.game.Play(t.thought.col) // choose has checked that it is legal
	t.demo.moved, t.thought = t.now, thought{}
}
