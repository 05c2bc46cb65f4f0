package store

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

// step is a call that the game makes: a Save, or a Finish.
type step struct {
	match     match.Record
	finish    bool
	abandoned bool
}

// script is the sequence of calls in one run of the program.
type script []step

// state is what must be on the disk after some steps.
type state struct {
	running match.Record
	resumes bool
	history []match.Finished // without times
}

func (s script) state(steps int) (st state) {
	for _, step := range s[:steps] {
		if step.finish {
			if step.match.Begun() {
				st.history = append(st.history, match.Finished{Record: step.match, Abandoned: step.abandoned})
			}
			st.running, st.resumes = match.Record{}, false
		} else {
			st.running, st.resumes = step.match, true
		}
	}
	return st
}

func (st state) equal(other state) bool {
	return st.running == other.running && st.resumes == other.resumes && slices.Equal(st.history, other.history)
}

// String describes the state in a few words, for test failures.
func (st state) String() string {
	s := "no match"
	if st.resumes {
		s = fmt.Sprint("match ", st.running.ID, st.running.Rounds())
	}
	for _, e := range st.history {
		s += fmt.Sprint(", ", e.ID, e.Rounds(), e.Abandoned)
	}
	return s
}

// put saves a match and waits until it is on the disk.
func (f *folder) put(m match.Record) error {
	if err := f.save(m); err != nil {
		return err
	}
	return f.syncAll()
}

func (f *folder) resumes() (match.Record, bool) { return f.left, f.left.ID != "" }

// encodeMatch returns match.json with a match.
func encodeMatch(m match.Record) ([]byte, error) {
	_, data, err := newJournal(m)
	return data, err
}

// matches yields the undamaged matches of the history.
func (f *folder) matches(last int) iter.Seq[match.Finished] {
	return func(yield func(match.Finished) bool) {
		for e, err := range history(f.disk, f.dir, last) {
			if err == nil && !yield(e) {
				return
			}
		}
	}
}

func (step step) call(f *folder) error {
	if !step.finish {
		return f.put(step.match)
	}
	err := f.finish(step.match, step.abandoned)
	if err == nil {
		err = f.syncAll()
	}
	for f.trims() {
		f.trim()
	}
	return err
}

// play adds a match as the game saves it: at the start of each round, after each disc, and after
// each undo, written as '<'. If the rounds do not decide the match, it is abandoned at the end.
func (s *script) play(t testing.TB, m match.Record, rules board.Rules, points int, first board.First, seed uint64, rounds ...string) {
	t.Helper()
	var err error
	if m.Match, err = board.NewMatch(rules, points, first, seed); err != nil {
		t.Fatal(err)
	}
	for i, moves := range rounds {
		m.Game = m.Match.NewGame()
		for n, c := range moves {
			if i > 0 || n >= m.Opening {
				*s = append(*s, step{match: m})
			}
			if c == '<' {
				err = m.Game.Undo()
			} else {
				err = m.Game.Play(int(c - '1'))
			}
			must(t, err)
		}
		*s = append(*s, step{match: m})
		if i < len(rounds)-1 {
			if m.Match, err = m.Match.Record(m.Game); err != nil {
				t.Fatal(err)
			}
		}
	}
	over := match.Finished{Record: m}.Final().Winner() != board.Empty
	*s = append(*s, step{match: m, finish: true, abandoned: !over})
}

// round returns a random round with an outcome.
func round(t testing.TB, r board.Rules, first board.Disc, want board.Outcome) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		if g := randomGame(random, r, first); g.Position().Outcome() == want {
			return g.String()
		}
	}
	t.Fatalf("no round on %v ends with %v", r, want)
	return ""
}

func randomGame(random *rand.Rand, r board.Rules, first board.Disc) board.Game {
	g, _ := board.NewGame(r, first)
	for g.Position().Outcome() == board.Playing {
		free := slices.Collect(g.Position().LegalMoves())
		_ = g.Play(free[random.IntN(len(free))])
	}
	return g
}

var fourByFour = board.Rules{Columns: 4, Rows: 4, Connect: 4}

// scripts returns the runs that the crash test interrupts at every point.
func scripts(t testing.TB) map[string]script {
	small := board.Rules{Columns: 4, Rows: 4, Connect: 3}
	four := fourByFour
	red, yellow := board.Red, board.Yellow
	var s, short script
	s.play(t, match.Record{ID: "z"}, small, 2, board.FirstLoser, 0,
		round(t, small, red, board.RedWins),
		round(t, small, yellow, board.YellowWins),
		round(t, small, red, board.RedWins))
	s.play(t, match.Record{ID: "a", Computer: yellow, Level: 3}, four, 3, board.FirstAlternate, 0,
		round(t, four, red, board.YellowWins),
		round(t, four, yellow, board.Draw),
		"12<<34")
	s.play(t, match.Record{ID: "20261120-214205", Opening: 4}, board.Standard, 1, board.FirstYellow, 0,
		round(t, board.Standard, yellow, board.Draw),
		round(t, board.Standard, yellow, board.YellowWins))
	s.play(t, match.Record{ID: "b"}, board.FullMatrix, 2, board.FirstRed, 0, "")

	short.play(t, match.Record{ID: "b"}, small, 1, board.FirstRed, 0, round(t, small, red, board.RedWins))
	short.play(t, match.Record{ID: "a", Computer: red, Level: 1}, small, 2, board.FirstRed, 0,
		round(t, small, red, board.YellowWins), "1<1")
	return map[string]script{"long": s, "short": short, "game": gameScript(t)}
}

// gameScript is what a real game saves in a few minutes. It has matches between two people and
// against the computer, with undo, a draw, a displaced match and an abandoned one.
func gameScript(t testing.TB) (s script) {
	t.Helper()
	now := time.Unix(0, 0)
	small := board.Rules{Columns: 4, Rows: 3, Connect: 3}
	g, err := game.New(game.Config{
		Setup: game.Setup{Rules: small, Points: 2, First: board.FirstLoser}, Forever: true, Run: "game",
	}, now)
	must(t, err)
	var step func(ev game.Event)
	step = func(ev game.Event) {
		var effects []game.Effect
		g, effects = g.Step(now, ev)
		for _, e := range effects {
			switch e := e.(type) {
			case game.Save:
				s = append(s, stepOf(e.Record, false, false))
			case game.Finish:
				s = append(s, stepOf(e.Record, true, e.Abandoned))
			case game.Think:
				step(e.Done()) // the computer plays at random
			}
		}
	}
	settle := func() {
		for end := now.Add(20 * time.Second); ; {
			next, ok := g.Next(now)
			if !ok || next.After(end) {
				return
			}
			now = next
			step(game.Tick{})
		}
	}
	step(game.Tick{})
	alone := game.Setup{Rules: small, Points: 1, Computer: board.Yellow, Level: 1, Opening: "1"}
	for _, ev := range []game.Event{
		game.Column{Col: 0}, game.Column{Col: 1}, game.Undo, game.Column{Col: 1}, game.Column{Col: 0},
		game.Column{Col: 1}, game.Column{Col: 0}, // red wins a round
		game.Column{Col: 3}, game.Column{Col: 2},
		game.Start{Setup: alone, Force: true},
		game.Column{Col: 0}, game.Column{Col: 1}, game.Undo, game.Column{Col: 2}, game.Column{Col: 3}, game.Column{Col: 1},
		game.Column{Col: 0}, game.Column{Col: 2}, game.Column{Col: 3}, game.Column{Col: 1},
		game.Start{Setup: game.Setup{Rules: small, Points: 1}, Force: true},
		game.Column{Col: 3}, game.End{},
	} {
		step(ev)
		settle()
	}
	if len(s) < 25 {
		t.Fatalf("only %d steps", len(s))
	}
	return s
}

func stepOf(r game.Record, finish, abandoned bool) step {
	return step{match: r, finish: finish, abandoned: abandoned}
}
