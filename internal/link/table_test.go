package link

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// seen is a pair from the point of view of one player, whom the table in doc/link.md calls "you".
type seen struct {
	*pair
	here, other *machine
	me          board.Disc
}

// mine returns this player's seat on the other HAT.
func (s *seen) mine() game.SeatState { return s.other.latest(s.t).Seats[s.me-board.Red].State }

// turn drops discs until it is the turn of the player at m.
func (s *seen) turn(m *machine) (moves string) {
	s.t.Helper()
	for {
		moves = s.agree()
		position := s.a.latest(s.t).Game.Position()
		mover := []*machine{s.a, s.b}[position.Turn()-board.Red]
		if mover == m {
			return moves
		}
		mover.drop(s.t, 3)
		s.shows(m, "the disc", func(v game.View) bool { return len(v.Game.String()) > len(moves) })
	}
}

// finish ends the match on this machine.
func (s *seen) finish() {
	s.t.Helper()
	s.here.press(s.t, game.End{})
	s.menus()
}

func (s *seen) menus() {
	s.t.Helper()
	for _, m := range []*machine{s.here, s.other} {
		s.shows(m, "the menu", func(v game.View) bool { return !v.UnderWay && (v.Phase == game.Menu || v.Phase == game.Attract) })
	}
}

// start starts a match on one machine by hand, not through the link.
func (s *seen) start(m *machine, change func(*game.Start)) (id string) {
	s.t.Helper()
	return m.press(s.t, setup(change)).ID
}

// linkRows test the rows of the table in doc/link.md. Each test starts with a linked match without
// discs.
var linkRows = []struct {
	what string
	is   func(t *testing.T, s *seen)
}{
	{"you start the link while no match is under way", func(t *testing.T, s *seen) {
		s.finish()
		s.quit()
		s.linked(func(m *game.Start) { m.Setup.Rules.Columns, m.Setup.Rules.Rows, m.Setup.Points = 5, 4, 1 })
		s.agree()
		if v, w := s.here.latest(t), s.other.latest(t); v.Match != w.Match || v.Match.Rules().Columns != 5 || v.Match.Target() != 1 {
			t.Errorf("%v and %v", v.Match, w.Match)
		}
	}},
	{"you start the link while both HATs have the same match", func(t *testing.T, s *seen) {
		s.turn(s.other)
		v, w := s.here.latest(t).Record, s.other.latest(t).Record
		s.quit()
		s.linked(nil)
		s.agree()
		if s.here.latest(t).Record != v || s.other.latest(t).Record != w {
			t.Errorf("a match has changed: %s", s.state())
		}
	}},
	{"you start the link while the HATs have different matches, or only one has a match", func(t *testing.T, s *seen) {
		s.finish()
		s.quit()
		old := s.start(s.here, func(m *game.Start) { m.Setup.Opening = "44" })
		if err := s.begin(setup(nil)); err == nil || !strings.Contains(err.Error(), "a match is under way") {
			t.Error(err)
		}
		if v, w := s.here.latest(t), s.other.latest(t); v.ID != old || v.Game.String() != "44" || w.UnderWay {
			t.Error("something has changed: " + s.state())
		}
		s.linked(func(m *game.Start) { m.Force = true })
		if s.agree() != "" || s.here.latest(t).ID == old {
			t.Error("not replaced: " + s.state())
		}
	}},
	{"you drop a disc", func(t *testing.T, s *seen) {
		moves := s.turn(s.here)
		s.here.key(t, game.Down)
		s.both(moves + "4")
	}},
	{"you move the cursor", func(t *testing.T, s *seen) {
		s.turn(s.here)
		s.here.key(t, game.Right)
		s.shows(s.other, "the cursor", func(v game.View) bool { return v.Cursor == 4 })
		s.shows(s.other, "a cursor that breathes", func(v game.View) bool { return v.Frame[4] != 0 && v.Frame[4] == v.Frame[4].Dimmed() })
	}},
	{"you press a key when it is not your turn", func(t *testing.T, s *seen) {
		s.turn(s.other)
		s.other.key(t, game.Right)
		s.shows(s.here, "the other's cursor", func(v game.View) bool { return v.Cursor == 4 })
		v := s.here.latest(t)
		s.here.key(t, game.Left)
		if w := s.here.press(t, game.Press{Key: game.Down}); w.Notice.Kind != game.NoticeTaken || w.Cursor != v.Cursor || w.Record != v.Record {
			t.Errorf("the cursor is at %d: %v", w.Cursor, w.Notice)
		}
	}},
	{"you undo", func(t *testing.T, s *seen) {
		s.turn(s.b)
		for _, m := range []*machine{s.here, s.other} {
			s.turn(m)
			v := m.latest(t).Record
			for _, by := range []*machine{s.here, s.other} {
				if v := by.press(t, game.Undo); v.Notice.Kind != game.NoticeFinal {
					t.Error(v.Notice)
				}
			}
			if m.latest(t).Record != v {
				t.Error("a disc was taken back: " + s.state())
			}
		}
	}},
	{"you ask for a hint", func(t *testing.T, s *seen) {
		s.turn(s.here)
		s.here.press(t, game.Hint)
		if v := s.other.latest(t); v.Phase != game.Aim || v.Seats[s.me-board.Red].State != game.Taken {
			t.Error("the other HAT shows it: " + s.state())
		}
		s.turn(s.other)
		if _, err := s.here.game.Do(t.Context(), game.Hint, game.Source{}); err == nil {
			t.Error("a hint in the other's turn")
		}
	}},
	{"you pause", func(t *testing.T, s *seen) {
		moves := s.turn(s.other)
		s.here.key(t, game.Up)
		s.until("away", func() bool { return s.mine() == game.Away })
		s.other.drop(t, 2)
		s.shows(s.other, "the disc", func(v game.View) bool { return v.Phase == game.Aim && v.Game.String() == moves+"3" })
		if v := s.here.latest(t); v.Phase != game.Paused || v.Game.String() != moves {
			t.Error("it is not paused: " + s.state())
		}
		s.here.press(t, game.Pause)
		s.both(moves + "3")
		s.taken()
	}},
	{"the screen goes dark after ten idle minutes", func(t *testing.T, s *seen) {
		s.other.press(t, game.Configure{Setup: s.other.config.Setup})
		dark := func() {
			t.Helper()
			time.Sleep(10 * time.Minute)
			s.shows(s.here, "the dark", func(v game.View) bool { return v.Phase == game.Dark })
			s.until("away", func() bool { return s.mine() == game.Away })
		}
		for range 2 { // once in each player's turn
			dark()
			s.here.key(t, game.Left)
			s.shows(s.here, "the match again", func(v game.View) bool { return v.Phase == game.Aim })
			s.turn(s.other)
			dark()
			moves := s.other.latest(t).Game.String()
			s.other.drop(t, 1)
			s.both(moves + "2")
		}
	}},
	{"you choose *end* on the pause screen", func(t *testing.T, s *seen) {
		s.here.key(t, game.Up, game.Up)
		s.shows(s.here, "the end", func(v game.View) bool { return v.Choices.Name() == "end" })
		s.here.key(t, game.Middle)
		s.menus()
		if s.here.latest(t).Match.Winner() != board.Empty {
			t.Error("somebody has won")
		}
	}},
	{"somebody wins the match", func(t *testing.T, s *seen) {
		s.finish()
		s.start(s.other, func(m *game.Start) { m.Setup.Points = 1 })
		s.taken()
		for i := range "1213141" {
			s.agree()
			[]*machine{s.a, s.b}[i%2].drop(t, int("1213141"[i]-'1'))
			s.until("the disc", func() bool { return s.here.latest(t).Discs() > i && s.other.latest(t).Discs() > i })
		}
		s.menus()
		if s.here.latest(t).Match.Winner() != board.Red || s.other.latest(t).Match.Winner() != board.Red {
			t.Error("red has not won: " + s.state())
		}
	}},
	{"somebody starts a match in either menu", func(t *testing.T, s *seen) {
		s.finish()
		if s.here.latest(t).Phase == game.Attract {
			s.here.key(t, game.Middle)
		}
		for s.here.latest(t).Phase == game.Menu {
			s.here.key(t, game.Middle)
		}
		s.taken()
		s.agree()
	}},
	{"somebody starts a match against the computer", func(t *testing.T, s *seen) {
		s.finish()
		s.start(s.here, func(m *game.Start) { m.Setup.Computer, m.Setup.Level = board.Red, 2 })
		s.until("the message", func() bool { return strings.Contains(s.state(), "is against the computer: end it") })
		s.shows(s.here, "the computer's disc", func(v game.View) bool { return v.Discs() > 0 })
		if s.other.latest(t).UnderWay {
			t.Error("it was started on the other HAT: " + s.state())
		}
		s.finish()
	}},
	{"you press `q` or Ctrl-C, or close the terminal", func(t *testing.T, s *seen) {
		moves := s.agree()
		s.quit()
		for _, m := range []*machine{s.here, s.other} {
			s.shows(m, "open seats", func(v game.View) bool { return v.UnderWay && v.Seats == [2]game.Seat{} })
			for i := range 2 {
				m.key(t, game.Down)
				s.shows(m, "the disc", func(v game.View) bool { return v.Phase == game.Aim && v.Game.String() == moves+"44"[:i+1] })
			}
		}
		s.linked(nil) // the match continues with the same discs
	}},
	{"the connection is lost", func(t *testing.T, s *seen) {
		s.turn(s.b) // so that the seat has been taken for a while: without its client, a new seat would be open, not away
		s.turn(s.a)
		s.refuse(true)
		s.cut()
		// A white LED between the points: for red in the lower half, for yellow above it.
		for m, at := range map[*machine]int{s.a: 8*3 + 7, s.b: 8*4 + 7} {
			s.shows(m, "who is away", func(v game.View) bool { return v.Frame[at] == game.LEDPlain })
		}
		s.refuse(false)
		s.taken()
		s.agree()
	}},
}

// Each row of the table in doc/link.md is true for either player.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../../doc/link.md")
	must(t, err)
	_, table, _ := strings.Cut(string(text), "|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var want, got []string
	for _, row := range regexp.MustCompile(`(?m)^\| (.*?) \|`).FindAllStringSubmatch(table, -1) {
		want = append(want, row[1])
	}
	for _, row := range linkRows {
		got = append(got, row.what)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the page has %q, tested are %q", want, got)
	}
	for _, me := range []board.Disc{board.Red, board.Yellow} {
		for _, row := range linkRows {
			t.Run(me.String()+"/"+row.what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := newPair(t)
					defer p.end()
					s := &seen{pair: p, here: p.a, other: p.b, me: me}
					if me == board.Yellow {
						s.here, s.other = p.b, p.a
					}
					p.linked(nil)
					row.is(t, s)
				})
			})
		}
	}
}
