package game

import (
	"cmp"
	"errors"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

const (
	fallRow     = 30 * time.Millisecond  // a disc falls by one row
	fallRowFull = 100 * time.Millisecond // a disc falls by one row on a board with 8 rows

	// A fall with its rest takes at least this long, so that an accidental second tap does not skip
	// the cheer.
	minFallTime = dropWindow

	// A turn begins once the last disc is saved, so that a power cut loses no disc that people have
	// seen land. If the disk is slow, the game waits this long at most.
	saveTime = time.Second

	minThinkTime = 400 * time.Millisecond // the computer's shortest turn, so that a person can follow
	walkStep     = 120 * time.Millisecond // the computer's cursor moves by one column
	breatheAfter = time.Second            // how long a turn lasts before the cursor breathes
)

// dropWindow is how long after a [tap] a drop from the same source does nothing, so that an accidental
// second tap does not drop the other player's disc.
const dropWindow = 250 * time.Millisecond

// tap is a person's last drop, or the key that a turn began with.
type tap struct {
	from Source
	at   time.Time // of the key or, once a disc has landed, of that
}

// startTurn starts a turn with the cursor in its home column.
func (g *Game) startTurn() {
	g.turn()
	g.cursor = g.home()
}

// turn lets the player to move choose a column. A person's cursor stays where it is; the computer's
// starts in its home column.
func (g *Game) turn() {
	g.open(new(turn))
	if g.computersTurn() {
		g.cursor = g.home()
	}
}

func (g *Game) computersTurn() bool { return g.toMove() == g.record.Computer }

// home returns the column where the cursor starts: the open one nearest the middle, or after the round
// the middle.
func (g *Game) home() int {
	if col := (Advice{}).Best(g.position()); col >= 0 {
		return col
	}
	return (g.position().Rules().Columns - 1) / 2
}

// sharedTop reports whether the cursor shares the top row with the discs. The cursor then blinks,
// skips full columns and does not wrap.
func (g *Game) sharedTop() bool { return g.record.Match.Rules().Rows == board.MaxSide }

func (g *Game) moveCursor(dir int, held bool) {
	position := g.position()
	columns := position.Rules().Columns
	if !g.sharedTop() {
		g.setCursor(wrap(g.cursor, dir, columns, held))
		return
	}
	for col := g.cursor + dir; col >= 0 && col < columns; col += dir {
		if position.Legal(col) {
			g.setCursor(col)
			return
		}
	}
}

func (g *Game) setCursor(col int) {
	g.cursor = col
	g.refused.hidden = true
	g.blinks = g.now.Add(-blinkHalf) // lit where it arrives
}

// point moves the cursor to the mouse's column, if the cursor may be there.
func (g *Game) point(col int) {
	if p := g.Phase(); p != Aim && p != Fall || !g.steers() {
		return
	}
	g.touched = g.now
	position := g.position()
	if col != g.cursor && col >= 0 && col < position.Rules().Columns && (!g.sharedTop() || position.Legal(col)) {
		g.setCursor(col)
	}
}

// disc handles a [Disc]. It wakes a dark HAT, as any key does, and closes a hint.
func (g *Game) disc(ev Disc) error {
	switch p := g.Phase(); {
	case !g.playing && g.puzzle == nil:
		return ErrNoMatch
	case ev.Number != g.record.Discs()+1, p != Aim && p != Hinting && p != Dark:
		return ErrNotNow
	}
	g.tap = tap{} // the disc's number says that it is no second tap
	g.input(Column{ev.Col})
	return nil
}

// drop drops a disc. If that cannot be, the key is refused and the player keeps the turn.
func (g *Game) drop(col int) {
	player := g.toMove() - board.Red
	err := g.record.Game.Play(col)
	switch {
	case err == nil:
		g.record.Programs[player] = cmp.Or(g.seats[player].Holder, g.record.Programs[player])
		g.fall()
	case errors.Is(err, board.ErrColumnFull):
		g.blink(Notice{Kind: NoticeFull, Column: col + 1})
	default:
		g.blink(Notice{Kind: NoticeNoColumn, Column: col + 1})
	}
}

// undo takes back a person's last disc, with the computer's reply if there is one. If that person's
// seat is taken, only the seat's holder can take the disc back.
func (g *Game) undo() {
	player, plies := g.toMove().Other(), 1 // the person whose disc is taken back
	if g.record.Computer != board.Empty && !g.computersTurn() {
		player, plies = g.toMove(), 2
	}
	switch {
	case g.position().Ply()-plies < g.record.OpeningOf(g.record.Match.Played()):
		g.blink(Notice{Kind: NoticeNoUndo})
	case g.seat(player).State != Open && g.barred(player):
		g.refuseSeat(NoticeTakenDisc)
	default:
		for range plies {
			_ = g.record.Game.Undo() // the game has that many discs
		}
		g.unsaved = true
		g.startTurn()
	}
}

// thought is the column that the computer has chosen, in its turn or in the demo.
type thought struct {
	done  bool
	col   int
	moved time.Time // when the column was chosen, or when the cursor last stepped towards it
}

// think asks for the computer's column, unless it is known or the round is over.
func (g *Game) think(t thought, of board.Game, level match.Level) {
	if !t.done && of.Position().Outcome() == board.Playing {
		g.ask(Question{Kind: Think, Game: of, Level: level, Seed: g.chance.Uint64()})
	}
}

// chosen returns the computer's column. If it is illegal, a random legal column replaces it.
func (g *Game) chosen(ev Answered, position board.Position) thought {
	col := ev.Col
	if ev.Failed {
		col = -1
	}
	for !position.Legal(col) { // a round under way has a legal column
		col = int(g.chance.Uint64() % uint64(position.Rules().Columns))
	}
	return thought{true, col, g.now}
}

// turn is the turn of a person, who chooses a column, or of the computer.
type turn struct {
	asker   Source // who asked for a hint
	thought        // of the computer
}

func (s *turn) press(g *Game, in input) {
	if !in.held && g.from == s.asker && in.key != Hint && !g.computersTurn() {
		g.forget() // cancels a hint that is still pending
	}
	switch {
	case in.drops && g.refusesSeat():
	case in.typed && g.computersTurn():
		g.blink(Notice{Kind: NoticeNotDue, Column: in.col + 1})
	case in.drops && !g.computersTurn():
		if g.from != g.tap.from || !g.now.Before(g.tap.at.Add(dropWindow)) {
			g.drop(in.col)
		}
	case in.dir != 0 && g.steers():
		g.hold(in)
		g.moveCursor(in.dir, in.held)
	case in.key == Undo:
		g.undo()
	case in.key == Hint:
		g.hint()
	case in.pauses:
		g.open(new(pause))
	}
}

// ask asks for the computer's column. The reply in a puzzle is part of it.
func (s *turn) ask(g *Game) {
	switch {
	case !g.computersTurn():
	case g.puzzle != nil && !s.done:
		s.thought = thought{true, g.puzzle.move(g, g.position().Ply()), g.now}
	default:
		g.think(s.thought, g.record.Game, g.record.Level)
	}
}

func (s *turn) answer(g *Game, ev Answered) {
	switch {
	case g.computersTurn():
		s.thought = g.chosen(ev, g.position())
	case ev.Failed:
		g.blink(Notice{Kind: NoticeNoHint})
	default:
		g.setCursor(ev.Advice.Best(g.position()))
		g.open(&hint{advice: ev.Advice, asker: s.asker})
	}
}

// next moves the computer's cursor one column nearer to the one that it has chosen, or drops the disc there.
func (s *turn) next(g *Game) (at time.Time, change func(*Game)) {
	if !s.done {
		return at, nil
	}
	at = s.moved.Add(walkStep)
	if g.cursor != s.col {
		return at, func(g *Game) {
			s.moved = at
			g.moveCursor(cmp.Compare(s.col, g.cursor), true)
		}
	}
	if least := g.since.Add(minThinkTime); at.Before(least) {
		at = least
	}
	return at, func(g *Game) {
		_ = g.record.Game.Play(g.cursor) // chosen has checked that it is legal
		g.fall()
	}
}

func (s *turn) show(g *Game, p *picture) {
	p.Phase = Aim
	elsewhere := g.seat(g.toMove()).State != Open
	if g.computersTurn() {
		p.Phase, elsewhere = Thinking, !s.done
	}
	g.drawTurn(p, elsewhere)
}

// fall is a disc in the air. During a fall, left and right move the cursor of the next turn; undo, pause and
// hint do not wait for its end.
type fall struct{ plain }

func (g *Game) fall() {
	g.open(new(fall))
	g.unsaved = true
	g.cursor = g.home()
}

func (s *fall) press(g *Game, in input) {
	choosing := g.position().Outcome() == board.Playing // a player chooses a column as soon as the disc has landed
	switch {
	case in.drops && choosing && g.refusesSeat():
	case in.typed:
		g.blink(Notice{Kind: NoticeNotDue, Column: in.col + 1})
	case in.dir != 0 && (g.steers() || !choosing):
		g.hold(in)
		g.moveCursor(in.dir, in.held)
	case choosing && (in.key == Undo || in.key == Hint || in.pauses):
		s.land(g)
		g.screen.press(g, in)
	}
}

func (*fall) landing(g *Game) landing {
	row := fallRow
	if g.sharedTop() {
		row = fallRowFull
	}
	l := landingOf(g.record.Game, g.since, row, row)
	if least := g.since.Add(minFallTime); l.rested.Before(least) {
		l.rested = least
	}
	if g.saving != 0 {
		l.rested = l.rested.Add(saveTime)
	}
	return l
}

func (s *fall) show(g *Game, p *picture) {
	p.Phase = Fall
	s.landing(g).draw(p)
	g.drawScore(&p.Frame)
}

func (s *fall) next(g *Game) (time.Time, func(*Game)) { return s.landing(g).rested, s.land }

// land ends the fall: the turn passes, or the round is over.
func (s *fall) land(g *Game) {
	if g.notice.Kind == NoticeNotDue {
		g.notice = Notice{} // now it is due
	}
	g.tap.at = g.now // also after the computer's disc: a person may tap to hurry it
	if rested := s.landing(g).rested; rested.Before(g.now) {
		g.tap.at = rested
	}
	g.behind = g.behind || g.saving != 0
	switch {
	case g.puzzle != nil:
		g.puzzle.land(g)
	case g.position().Outcome() != board.Playing:
		g.endRound()
	default:
		held := g.held
		g.turn()
		g.held = held // the key was already moving this turn's cursor
	}
}

// drawTurn draws the board and the cursor, which breathes, that is, alternates between dim and bright,
// while the column is chosen elsewhere. It does not if it blinks.
func (g *Game) drawTurn(p *picture, elsewhere bool) {
	g.drawBoard(p)
	shows, dark := g.refused.shows(p)
	if g.sharedTop() {
		dark = dark || p.blinks(g.blinks) && !shows
	}
	if dark {
		return
	}
	position := g.position()
	r := position.Rules()
	led := discLED(r, position.Turn())
	if g.notice.Kind == NoticeWrong && shows { // the disc blinks where it was taken back
		col := g.notice.Column - 1
		p.Frame[cell(col, position.Height(col))] = led
	}
	away := r.Columns > scoreX && g.seat(position.Turn()).State == Away // no column is free to show it
	breath := g.since.Add(breatheAfter)
	if away || elsewhere && !g.sharedTop() && !p.before(breath) && p.beat(breath, breatheHalf)%2 == 0 {
		led = led.Dimmed()
	}
	p.Frame[g.cursor] = led
}
