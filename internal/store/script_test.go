package store

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
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

// program is a saver without its goroutine: a call returns when the disk has answered.
type program struct {
	folder *folder
	left   match.Record
	over   []match.Finished
}

func (p *program) call(step step) error {
	if step.finish {
		p.over, step.match = append(p.over, match.Finish(step.match, step.abandoned, noon())), match.Record{}
	}
	return p.flush(step.match)
}

func (p *program) flush(r match.Record) error {
	n, err := p.folder.write(p.over, r)
	p.over = p.over[n:]
	return err
}

// start starts the program on a disk. The error is that of a match that cannot be read.
func start(d disk, dir string, log *slog.Logger) (*program, error) {
	p := &program{folder: &folder{dir: dir, log: log, disk: d}}
	left, err, _ := p.folder.resume()
	p.left = left
	return p, err
}

// begin is like start, with the state that the program finds.
func begin(d disk) (*program, state) {
	p, err := start(d, dir, quiet)
	if err != nil {
		panic(err)
	}
	return p, p.look()
}

func (p *program) look() (st state) {
	st.running, st.resumes = p.left, p.left.ID != ""
	for e, err := range history(p.folder.disk, p.folder.dir, 0) {
		if err == nil {
			e.Ended = time.Time{}
			st.history = append(st.history, e)
		}
	}
	return st
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
	return map[string]script{"long": s, "short": short}
}
