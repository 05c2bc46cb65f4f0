package store

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

// step is a call that the game makes: a Save, or a Finish.
type step struct {
	match  match.Record
	finish bool
}

// script is the sequence of calls in one run of the program.
type script []step

// state is what must be on the disk after some steps.
type state struct {
	running match.Record     // its ID may be empty
	history []match.Finished // without times
	damaged int              // lines of the history
}

func (s script) state(steps int) (st state) {
	for _, step := range s[:steps] {
		if st.running = step.match; step.finish {
			if step.match.Begun() {
				st.history = append(st.history, match.Finished{Record: step.match})
			}
			st.running = match.Record{}
		}
	}
	return st
}

// find returns after how many steps, from lo to hi, there must be this state; -1 if after none.
func (s script) find(st state, lo, hi int) int {
	for ; lo <= hi; lo++ {
		if want := s.state(lo); st.running == want.running && slices.Equal(st.history, want.history) {
			return lo
		}
	}
	return -1
}

// String describes the state in a few words, for test failures.
func (st state) String() string {
	s := "no match"
	if st.running.ID != "" {
		s = fmt.Sprint("match ", st.running.ID, st.running.Rounds())
	}
	for _, e := range st.history {
		s += fmt.Sprint(", ", e.ID, e.Rounds())
	}
	return s
}

// program is a saver without its goroutine: a call returns when the disk has answered.
type program struct {
	folder  *folder
	left    match.Record
	unsaved error // of the start
}

func start(d disk, dir string, log *slog.Logger) *program {
	p := &program{folder: &folder{dir: dir, log: log, disk: d}}
	p.left, p.unsaved = p.folder.open()
	return p
}

// begin is like start, with the state that the program finds.
func begin(d disk) (*program, state) {
	p := start(d, dir, quiet)
	return p, p.look()
}

func (p *program) call(step step) error {
	if step.finish {
		p.folder.over, step.match = append(p.folder.over, match.Finish(step.match, noon())), match.Record{}
	}
	return p.folder.write(step.match)
}

func (p *program) look() (st state) {
	st.running = p.left
	for e, err := range history(p.folder.disk, p.folder.dir, 0) {
		if err != nil {
			st.damaged++
			continue
		}
		e.Ended = time.Time{}
		st.history = append(st.history, e)
	}
	return st
}

// played plays a script in a folder, and ends the program.
func played(t testing.TB, d disk, dir string, s script) {
	t.Helper()
	p := start(d, dir, quiet)
	for _, step := range s {
		must(t, p.call(step))
	}
	p.folder.release()
}

// play adds a match as the game saves it: at the start of each round, after each disc, and after
// each undo, written as '<'. If the rounds do not decide the match, it is abandoned at the end.
func (s *script) play(t testing.TB, m match.Record, rules board.Rules, points int, first board.First, rounds ...string) {
	t.Helper()
	var err error
	m.Match, err = board.NewMatch(rules, points, first, 0)
	must(t, err)
	for i, moves := range rounds {
		m.Game = m.Match.NewGame()
		for n, c := range moves {
			if i > 0 || n >= m.Opening {
				*s = append(*s, step{match: m})
			}
			if c == '<' {
				must(t, m.Game.Undo())
			} else {
				must(t, m.Game.Play(int(c-'1')))
			}
		}
		if *s = append(*s, step{match: m}); i < len(rounds)-1 {
			m.Match, err = m.Match.Record(m.Game)
			must(t, err)
		}
	}
	*s = append(*s, step{match: m, finish: true})
}

var four = board.Rules{Columns: 4, Rows: 4, Connect: 4}

// scripts returns the runs that the crash test interrupts at every point.
func scripts(t testing.TB) map[string]script {
	small := board.Rules{Columns: 4, Rows: 4, Connect: 3}
	var s, short script
	s.play(t, match.Record{ID: "z"}, small, 2, board.FirstLoser, "344323242", "344323242", "344323242")
	s.play(t, match.Record{ID: "a", Computer: board.Yellow, Level: 3}, four, 3, board.FirstAlternate,
		"3223141444122331", "1113123322324444", "12<<34")
	s.play(t, match.Record{ID: "20261120-214205", Opening: 4}, board.Standard, 1, board.FirstYellow,
		"126615525717246671625435544411643733237327", "51376351537476675")
	s.play(t, match.Record{ID: "b"}, board.FullMatrix, 2, board.FirstRed, "")
	short.play(t, match.Record{ID: "b"}, small, 1, board.FirstRed, "344323242")
	short.play(t, match.Record{ID: "a", Computer: board.Red, Level: 1}, small, 2, board.FirstRed, "11131233223244", "1<1")
	return map[string]script{"long": s, "short": short}
}
