package console

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/game"
)

// follow plays events, one disc per second, and passes every view to Follow.
func follow(t *testing.T, c game.Config, events ...game.Event) string {
	t.Helper()
	now := time.Unix(0, 0)
	s, err := game.New(c, now)
	must(t, err)
	var out strings.Builder
	show := Follow(&out, EachRound)
	step := func(ev game.Event) {
		s.Step(now, ev)
		must(t, show(s.View(now)))
	}
	step(game.Tick{})
	for _, ev := range events {
		step(ev)
		for end := now.Add(10 * time.Second); ; {
			next, ok := s.Next(now)
			if !ok || next.After(end) {
				now = end
				break
			}
			now = next
			step(game.Tick{})
		}
	}
	return out.String()
}

func columns(moves string) (events []game.Event) {
	for _, c := range moves {
		events = append(events, game.Column{Col: int(c - '1')})
	}
	return events
}

func TestFollow(t *testing.T) {
	rules := board.Rules{Columns: 3, Rows: 2, Connect: 2}
	got := follow(t, game.Config{Setup: game.Setup{Rules: rules, Points: 2, First: board.FirstLoser}},
		append(columns("22"), append([]game.Event{game.Undo}, columns("12"+"121")...)...)...)
	golden.Check(t, "testdata/"+t.Name()+".golden", got)
}

// Follow describes a match that is under way when the watcher joins, and that is then ended; one
// that is won; and the next one.
func TestFollowMatches(t *testing.T) {
	rules := board.Rules{Columns: 2, Rows: 2, Connect: 2}
	setup := game.Setup{Rules: rules, Points: 1, Opening: "1"}
	got := follow(t, game.Config{Setup: setup, Forever: true},
		game.End{}, game.Start{Setup: setup}, game.Column{Col: 0}, game.Column{Col: 1}, game.Start{Setup: setup})
	golden.Check(t, "testdata/"+t.Name()+".golden", got)
}

// With OnDemand the columns are described in words. Discs of skipped views are announced too.
func TestFollowForSpeech(t *testing.T) {
	var out strings.Builder
	show := Follow(&out, OnDemand)
	for _, rounds := range [][]string{{"4"}, {"44533"}, {"4453316", "2"}, {"4453316", "21"}, {"4453316", "27"}} {
		m, g, err := board.ParseMatch(board.Rules{Columns: 7, Rows: 6, Connect: 3}, 2, board.FirstAlternate, 0, rounds)
		must(t, err)
		r := game.Record{ID: "x", Match: m, Game: g, Computer: board.Yellow, Level: 1}
		must(t, show(game.View{Phase: game.Aim, UnderWay: true, Record: r}))
	}
	golden.Check(t, "testdata/"+t.Name()+".golden", out.String())
}

// A slow reader gets only some of the views, but a description of the whole match.
func TestFollowSkippedViews(t *testing.T) {
	rules := board.Rules{Columns: 3, Rows: 2, Connect: 2}
	var views []game.View
	for rounds := []string{""}; len(views) < 18; {
		m, g, err := board.ParseMatch(rules, 3, board.FirstLoser, 0, rounds)
		must(t, err)
		r := game.Record{ID: "x", Match: m, Game: g}
		views = append(views, game.View{Phase: game.Aim, UnderWay: true, Record: r})
		last := &rounds[len(rounds)-1]
		if g.Position().Outcome() != board.Playing {
			counted := r.Count()
			views = append(views, game.View{Phase: game.Score, UnderWay: counted.Match.Winner() == board.Empty, Record: counted})
			rounds = append(rounds, "")
		} else if g.Position().Ply() == 0 {
			*last = "2"
		} else {
			*last += []string{"2", "1", "3"}[g.Position().Ply()%3]
		}
	}
	for _, boards := range []Boards{OnDemand, EachRound} {
		tell := func(shown func(int) bool) string {
			var out strings.Builder
			show := Follow(&out, boards)
			for i, v := range views {
				if i == 0 || i == len(views)-1 || shown(i) {
					must(t, show(v))
				}
			}
			return out.String()
		}
		all := tell(func(int) bool { return true })
		if strings.Count(all, "wins the round") < 3 {
			t.Fatal(all)
		}
		for seed := range 1 << 10 {
			if some := tell(func(i int) bool { return seed>>(i%10)&1 != 0 }); some != all {
				t.Fatalf("with some views:\n%s\nwith all:\n%s", some, all)
			}
		}
	}
}

// Follow announces that another client may drop a player's discs, and that this client is away or
// back. After the match nobody may drop a disc, so it does not say that the seat is open.
func TestFollowSeats(t *testing.T) {
	var out strings.Builder
	show := Follow(&out, OnDemand)
	m, g, err := board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{""})
	must(t, err)
	for _, yellow := range []game.SeatState{game.Open, game.Taken, game.Taken, game.Away, game.Taken, game.Open, game.Taken} {
		v := game.View{Phase: game.Aim, UnderWay: true, Record: game.Record{ID: "x", Match: m, Game: g}, Seats: [2]game.Seat{{}, {State: yellow}}}
		must(t, show(v))
	}
	must(t, show(game.View{Phase: game.Over, Record: game.Record{ID: "x", Match: m, Game: g}}))
	golden.Check(t, "testdata/"+t.Name()+".golden", out.String())
}

// A watcher of a demo is told that nobody is playing.
func TestFollowNobody(t *testing.T) {
	if got, want := follow(t, game.Config{Setup: standard.Setup, Attract: true, Forever: true}), "Nobody plays: a demo runs.\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestTellAndFollowErrors(t *testing.T) {
	m, g, _ := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"4453"})
	if err := Tell(full{}, game.Record{ID: "x", Match: m, Game: g}, EachRound); err == nil {
		t.Error("no error from a broken writer")
	}
	if err := Follow(full{}, EachRound)(game.View{Phase: game.Aim, UnderWay: true, Record: game.Record{ID: "x", Match: m, Game: g}}); err == nil {
		t.Error("no error from a broken writer")
	}
}

// When somebody looks back at a match on the HAT, every step is described, with what the disc
// changed.
func TestFollowLookBack(t *testing.T) {
	m, g, err := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"1122334"})
	must(t, err)
	now := time.Unix(0, 0)
	s := game.LookBack(game.Record{ID: "x", Match: m, Game: g}, now)
	s.Step(now, game.Tick{})
	var out strings.Builder
	show := Follow(&out, EachRound)
	for _, ev := range []game.Event{
		game.Tick{}, game.Press{Key: game.Right}, game.Press{Key: game.Right},
		game.Answered{ID: 1, More: true, Ply: 1, Verdict: game.Verdict{Known: true}}, // no mistake: nothing is said again
		game.Answered{ID: 1, More: true, Ply: 1, Verdict: game.Verdict{Known: true, After: -3}}, game.Press{Key: game.Left},
	} {
		s.Step(now, ev)
		must(t, show(s.View(now)))
	}
	golden.Check(t, "testdata/"+t.Name()+".golden", out.String())
}
