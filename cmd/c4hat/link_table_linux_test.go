package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
)

// seen is a pair from the point of view of one player, whom the table in doc/link.md calls "you".
type seen struct {
	*pair
	cable       *cable
	here, other *running
	me          board.Disc
}

// mine returns this player's seat on the other HAT.
func (s *seen) mine() game.SeatState { return s.other.latest().Seats[s.me-board.Red].State }

// turn drops discs until it is the turn of the player at d.
func (s *seen) turn(t testing.TB, d *running) {
	t.Helper()
	for s.agree(t); ; s.agree(t) {
		position := d.view.Game.Position()
		if turn := []*running{s.a, s.b}[position.Turn()-board.Red]; turn == d {
			return
		} else {
			before := len(d.view.Game.String())
			turn.press(t, game.Column{Col: 3})
			s.shows(t, d, "the disc", func(v game.View) bool { return len(v.Game.String()) > before })
		}
	}
}

// finish ends the match on this machine.
func (s *seen) finish(t testing.TB) {
	t.Helper()
	_, _ = s.here.client.End(t.Context())
	s.menus(t)
}

func (s *seen) menus(t testing.TB) {
	t.Helper()
	for _, d := range []*running{s.here, s.other} {
		s.shows(t, d, "the menu", func(v game.View) bool { return !v.UnderWay && (v.Phase == game.Menu || v.Phase == game.Attract) })
	}
}

// begin starts a new match on this machine, and waits until both machines have it.
func (s *seen) begin(t testing.TB) {
	t.Helper()
	s.finish(t)
	s.start(t, s.here, api.MatchRequest{})
	s.taken(t)
	s.agree(t)
}

// start starts a match on one machine by hand, not through the link.
func (s *seen) start(t testing.TB, d *running, m api.MatchRequest) (id string) {
	t.Helper()
	started, err := d.client.Start(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	s.shows(t, d, "the match", func(v game.View) bool { return v.ID == started.Match.ID })
	return started.Match.ID
}

// linkRows test the rows of the table in doc/link.md. Each test starts with a linked match without
// discs.
var linkRows = []struct {
	what string
	is   func(t *testing.T, s *seen)
}{
	{"you start the link while no match is under way", func(t *testing.T, s *seen) {
		s.finish(t)
		s.quit(t)
		s.linked(t, "--board", "5x4", "--points", "2")
		s.agree(t)
		if v, w := s.here.latest(), s.other.latest(); v.Match != w.Match || v.Match.Rules().Columns != 5 || v.Match.Target() != 2 {
			t.Errorf("%v and %v", v.Match, w.Match)
		}
	}},
	{"you start the link while both HATs have the same match, as after a lost connection", func(t *testing.T, s *seen) {
		s.turn(t, s.other)
		v, w := s.here.view.Record, s.other.view.Record
		s.quit(t)
		s.linked(t)
		s.agree(t)
		if s.here.view.Record != v || s.other.view.Record != w {
			t.Errorf("a match has changed: %s", s.state())
		}
	}},
	{"you start the link while one HAT has a match that the other one has not", func(t *testing.T, s *seen) {
		s.finish(t)
		s.quit(t)
		old := s.start(t, s.here, api.MatchRequest{Position: "44"})
		l := s.command(t)
		l.begin(t)
		if err := l.Wait(); err == nil || l.ProcessState.ExitCode() != 1 || !strings.Contains(l.errs.String(), "a match is under way") {
			t.Errorf("%v, said %s", err, l.errs.String())
		}
		if v, w := s.here.latest(), s.other.latest(); v.ID != old || v.Game.String() != "44" || w.UnderWay {
			t.Error("something has changed: " + s.state())
		}
		s.linked(t, "--force")
		if s.agree(t) != "" || s.here.view.ID == old {
			t.Error("not replaced: " + s.state())
		}
	}},
	{"you drop a disc", func(t *testing.T, s *seen) {
		s.turn(t, s.here)
		moves := s.here.view.Game.String()
		s.here.tap(t, keyDown)
		s.both(t, moves+"4")
	}},
	{"you move the cursor", func(t *testing.T, s *seen) {
		s.turn(t, s.here)
		s.here.tap(t, keyRight)
		s.shows(t, s.other, "the cursor", func(v game.View) bool { return v.Cursor == 4 })
		s.shows(t, s.other, "a cursor that breathes", func(v game.View) bool { return v.Frame[4] != 0 && v.Frame[4] == v.Frame[4].Dimmed() })
	}},
	{"you press a key when it is not your turn", func(t *testing.T, s *seen) {
		s.turn(t, s.other)
		s.other.tap(t, keyRight)
		s.shows(t, s.here, "the other's cursor", func(v game.View) bool { return v.Cursor == 4 })
		v := s.here.latest()
		s.here.tap(t, keyLeft, keyDown)
		s.shows(t, s.here, "the refusal", func(w game.View) bool { return w.Notice.Kind == game.NoticeTaken })
		if w := s.here.latest(); w.Cursor != v.Cursor || w.Record != v.Record {
			t.Errorf("the cursor is at %d", w.Cursor)
		}
	}},
	{"you undo", func(t *testing.T, s *seen) {
		s.turn(t, s.b)
		for _, d := range []*running{s.here, s.other} {
			s.turn(t, d)
			v := d.view.Record
			for _, by := range []*running{s.here, s.other} {
				if v, err := by.client.Do(t.Context(), game.Undo); err != nil || v.Notice.Kind != game.NoticeFinal {
					t.Errorf("%v, %v", v.Notice, err)
				}
			}
			if d.latest().Record != v {
				t.Error("a disc was taken back: " + s.state())
			}
		}
	}},
	{"you ask for a hint", func(t *testing.T, s *seen) {
		s.turn(t, s.here)
		s.here.press(t, game.Hint)
		s.shows(t, s.here, "the hint", func(v game.View) bool { return v.Phase == game.Hinting })
		if v := s.other.latest(); v.Phase != game.Aim || v.Seats[s.me-board.Red].State != game.Taken {
			t.Error("the other HAT shows it: " + s.state())
		}
		s.here.press(t, game.Hint)
		s.turn(t, s.other)
		if _, err := s.here.client.Do(t.Context(), game.Hint); err == nil {
			t.Error("a hint in the other's turn")
		}
	}},
	{"you pause", func(t *testing.T, s *seen) {
		s.turn(t, s.other)
		moves := s.here.view.Game.String()
		s.here.tap(t, keyUp)
		s.shows(t, s.here, "the pause", func(v game.View) bool { return v.Phase == game.Paused })
		eventually(t, func() bool { return s.mine() == game.Away }, s.state)
		s.other.press(t, game.Column{Col: 2})
		s.other.aims(t, moves+"3")
		if v := s.here.latest(); v.Phase != game.Paused || v.Game.String() != moves {
			t.Error("it is not paused: " + s.state())
		}
		s.here.press(t, game.Pause)
		s.both(t, moves+"3")
		eventually(t, func() bool { return s.mine() == game.Taken }, s.state)
	}},
	{"the screen goes dark after ten idle minutes", func(t *testing.T, s *seen) {
		s.quit(t)
		for _, d := range []*running{s.here, s.other} {
			d.stop(t)
		}
		args := s.here.args
		s.here.args = append(slices.Clip(args), "--idle", "2s")
		for _, d := range []*running{s.here, s.other} {
			d.start(t)
		}
		s.linked(t)
		dark := func() {
			t.Helper()
			s.shows(t, s.here, "the dark", func(v game.View) bool { return v.Phase == game.Dark })
			eventually(t, func() bool { return s.mine() == game.Away }, s.state)
		}
		for range 2 { // once in each player's turn
			dark()
			s.here.tap(t, keyLeft)
			s.shows(t, s.here, "the match again", func(v game.View) bool { return v.Phase == game.Aim })
			s.turn(t, s.other)
			dark()
			moves := s.other.latest().Game.String()
			s.other.press(t, game.Column{Col: 1})
			s.both(t, moves+"2")
		}
		s.quit(t)
		s.here.stop(t)
		s.here.args = args
		s.here.start(t)
		s.linked(t)
	}},
	{"you choose *end* on the pause screen", func(t *testing.T, s *seen) {
		s.here.tap(t, keyUp, keyUp)
		s.shows(t, s.here, "the end", func(v game.View) bool { return v.Choices.Name() == "end" })
		s.here.tap(t, keyEnter)
		s.menus(t)
		if s.here.view.Match.Winner() != board.Empty {
			t.Error("somebody has won")
		}
	}},
	{"somebody wins the match", func(t *testing.T, s *seen) {
		s.finish(t)
		s.start(t, s.other, api.MatchRequest{Points: 1})
		s.taken(t)
		for i := range "1213141" {
			s.agree(t)
			[]*running{s.a, s.b}[i%2].press(t, game.Column{Col: int("1213141"[i] - '1')})
			eventually(t, func() bool { return s.here.latest().Discs() > i && s.other.latest().Discs() > i }, s.state)
		}
		s.menus(t)
		if s.here.view.Match.Winner() != board.Red || s.other.view.Match.Winner() != board.Red {
			t.Error("red has not won: " + s.state())
		}
	}},
	{"somebody starts a match in either menu", func(t *testing.T, s *seen) {
		s.finish(t)
		if s.here.latest().Phase == game.Attract {
			s.here.tap(t, keyEnter)
		}
		s.here.tap(t, keyEnter)
		s.taken(t)
		s.agree(t)
	}},
	{"somebody starts a match against the computer", func(t *testing.T, s *seen) {
		s.finish(t)
		s.start(t, s.here, api.MatchRequest{Computer: "red"})
		s.link.says(t, "is against the computer: end it")
		s.shows(t, s.here, "the computer's disc", func(v game.View) bool { return v.Discs() > 0 })
		if s.other.latest().UnderWay {
			t.Error("it was started on the other HAT: " + s.state())
		}
		s.finish(t)
	}},
	{"you press `q` or Ctrl-C, or close the terminal", func(t *testing.T, s *seen) {
		moves := s.agree(t)
		s.quit(t)
		for _, d := range []*running{s.here, s.other} {
			s.shows(t, d, "open seats", func(v game.View) bool { return v.UnderWay && v.Seats == [2]game.Seat{} })
			for i := range 2 {
				d.tap(t, keyDown)
				d.aims(t, moves+"44"[:i+1])
			}
		}
		s.linked(t) // the match continues with the same discs
	}},
	{"the connection is lost", func(t *testing.T, s *seen) {
		s.turn(t, s.b) // so that the seat has been taken for a while: without its client, a new seat would be open, not away
		s.turn(t, s.a)
		to := s.cable.leads("/bin/false")
		s.cut()
		// A white LED between the points: for red in the lower half, for yellow above it.
		for d, at := range map[*running]int{s.a: 8*3 + 7, s.b: 8*4 + 7} {
			s.shows(t, d, "who is away", func(v game.View) bool { return v.Frame[at] == game.LEDPlain })
		}
		s.cable.leads(to...)
		s.taken(t)
		s.agree(t)
	}},
}

// Each row of the table in doc/link.md is true for either player.
func TestLinkTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../doc/link.md")
	if err != nil {
		t.Fatal(err)
	}
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
		t.Run(me.String(), func(t *testing.T) {
			t.Parallel()
			p, c := newPair(t)
			s := &seen{pair: p, cable: c, here: p.a, other: p.b, me: me}
			if me == board.Yellow {
				s.here, s.other = p.b, p.a
			}
			p.linked(t)
			for _, row := range linkRows {
				t.Log(row.what)
				s.begin(t)
				row.is(t, s)
			}
			p.noBlame(t)
		})
	}
}
