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

// follow plays events, each ten seconds after the one before it, and passes every view to Follow.
func follow(t *testing.T, c game.Config, events ...game.Event) string {
	t.Helper()
	now := time.Unix(0, 0)
	s, err := game.New(c, now)
	must(t, err)
	var out strings.Builder
	show := Follow(&out, EachRound)
	for _, ev := range append([]game.Event{game.Tick{}}, events...) {
		s.Step(now, ev)
		must(t, show(s.View(now)))
		for end := now.Add(10 * time.Second); ; {
			next, ok := s.Next(now)
			if !ok || next.After(end) {
				now = end
				break
			}
			now = next
			s.Step(now, game.Tick{})
			must(t, show(s.View(now)))
		}
	}
	return out.String()
}

// told returns what Follow says of views.
func told(t *testing.T, boards Boards, views ...game.View) string {
	t.Helper()
	var out strings.Builder
	show := Follow(&out, boards)
	for _, v := range views {
		must(t, show(v))
	}
	return out.String()
}

// at is a view of a match, in which somebody chooses a column.
func at(t *testing.T, rules board.Rules, points int, first board.First, rounds ...string) game.View {
	t.Helper()
	m, g, err := board.ParseMatch(rules, points, first, 0, rounds)
	must(t, err)
	return game.View{Phase: game.Aim, UnderWay: true, Record: game.Record{ID: "x", Match: m, Game: g}}
}

// What is told of rounds with a disc taken back; of a match that is under way when the watcher joins and is then ended,
// one that is won, and the next; of views that were skipped, in words; of seats that are taken, left and given back, of
// which the last is not said after the match; of a demo; of a look back, in which a verdict that is no mistake says
// nothing again; and of a service that is lost
// and back, the second time with another match.
func TestFollow(t *testing.T) {
	column := func(c int) game.Event { return game.Column{Col: c - 1} }
	small := game.Setup{Rules: board.Rules{Columns: 3, Rows: 2, Connect: 2}, Points: 2, First: board.FirstLoser}
	opened := game.Setup{Rules: board.Rules{Columns: 2, Rows: 2, Connect: 2}, Points: 1, Opening: "1"}
	three := board.Rules{Columns: 7, Rows: 6, Connect: 3}
	var speech, seats, back []game.View
	for _, rounds := range [][]string{{"4"}, {"44533"}, {"4453316", "2"}, {"4453316", "21"}, {"4453316", "27"}} {
		v := at(t, three, 2, board.FirstAlternate, rounds...)
		v.Computer, v.Level = board.Yellow, 1
		speech = append(speech, v)
	}
	for _, yellow := range []game.SeatState{game.Open, game.Taken, game.Taken, game.Away, game.Taken, game.Open, game.Taken} {
		v := at(t, board.Standard, 2, board.FirstRed, "")
		v.Seats[1].State = yellow
		seats = append(seats, v)
	}
	over := at(t, board.Standard, 2, board.FirstRed, "")
	over.Phase, over.UnderWay = game.Over, false
	now := time.Unix(0, 0)
	look := game.LookBack(at(t, board.Standard, 1, board.FirstRed, "1122334").Record, now)
	for _, ev := range []game.Event{
		game.Tick{}, game.Tick{}, game.Press{Key: game.Right}, game.Press{Key: game.Right},
		game.Answered{ID: 1, More: true, Ply: 1, Verdict: game.Verdict{Known: true}},
		game.Answered{ID: 1, More: true, Ply: 1, Verdict: game.Verdict{Known: true, After: -3}}, game.Press{Key: game.Left},
	} {
		look.Step(now, ev)
		back = append(back, look.View(now))
	}
	before, lost, later := at(t, three, 2, board.FirstRed, "4"), at(t, three, 2, board.FirstRed, "4"), at(t, three, 2, board.FirstRed, "43")
	lost.Lost = true
	again, another := later, at(t, three, 2, board.FirstRed, "")
	again.Lost, another.ID = true, "y"
	golden.Check(t, "testdata/follow.golden", strings.Join([]string{
		follow(t, game.Config{Setup: small}, column(2), column(2), game.Undo, column(1), column(2), column(1), column(2), column(1)),
		follow(t, game.Config{Setup: opened, Forever: true}, game.End{}, game.Start{Setup: opened}, column(1), column(2), game.Start{Setup: opened}),
		told(t, OnDemand, speech...),
		told(t, OnDemand, append(seats, over)...),
		follow(t, game.Config{Setup: standard.Setup, Attract: true, Forever: true}),
		told(t, EachRound, back...),
		told(t, OnDemand, before, lost, lost, later, again, another),
	}, "==\n"))
}

// A slow reader gets only some of the views, but a description of the whole match.
func TestFollowSkippedViews(t *testing.T) {
	rules := board.Rules{Columns: 3, Rows: 2, Connect: 2}
	var views []game.View
	for rounds := []string{""}; len(views) < 18; {
		v := at(t, rules, 3, board.FirstLoser, rounds...)
		views = append(views, v)
		last := &rounds[len(rounds)-1]
		switch p := v.Game.Position(); {
		case p.Outcome() != board.Playing:
			counted := v.Count()
			views = append(views, game.View{Phase: game.Score, UnderWay: counted.Match.Winner() == board.Empty, Record: counted})
			rounds = append(rounds, "")
		case p.Ply() == 0:
			*last = "2"
		default:
			*last += []string{"2", "1", "3"}[p.Ply()%3]
		}
	}
	for _, boards := range []Boards{OnDemand, EachRound} {
		all := told(t, boards, views...)
		if strings.Count(all, "wins the round") < 3 {
			t.Fatal(all)
		}
		for seed := range 1 << 10 {
			var some []game.View
			for i, v := range views {
				if i == 0 || i == len(views)-1 || seed>>(i%10)&1 != 0 {
					some = append(some, v)
				}
			}
			if some := told(t, boards, some...); some != all {
				t.Fatalf("with some views:\n%s\nwith all:\n%s", some, all)
			}
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestTellAndFollowErrors(t *testing.T) {
	v := at(t, board.Standard, 1, board.FirstRed, "4453")
	if Tell(full{}, v.Record, EachRound) == nil || Follow(full{}, EachRound)(v) == nil {
		t.Error("no error from a broken writer")
	}
}
