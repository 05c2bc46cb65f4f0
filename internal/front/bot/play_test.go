//go:build unix

package bot

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/session"
)

// match is a match in a synctest bubble between a person at a panel and yellow's program.
type match struct {
	t *testing.T
	*gametest.Panel
	asked   []string // the moves that the program was asked about
	answers chan int // columns from 1; 0: the program fails
	why     error    // of Play
}

var errTired = errors.New("is tired")

// playOut plays a match in which the test gives the program's answers.
func playOut(t *testing.T, c game.Config, test func(m *match)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &match{t: t, Panel: gametest.NewPanel(), answers: make(chan int)}
		s, err := game.New(c, time.Now())
		must(t, err)
		choose := func(ctx context.Context, g board.Game) (int, error) {
			m.asked = append(m.asked, g.String())
			select {
			case col := <-m.answers:
				if col == 0 {
					return 0, errTired
				}
				return col - 1, nil
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		l := session.New(s, session.Options{})
		go func() {
			here, yellow := l.As(game.Source{Kind: game.Client}), game.Take{Player: board.Yellow}
			if seat, err := here.Take(ctx, yellow); err == nil {
				m.why = Play(ctx, here, seat, yellow, choose)
			}
		}()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = l.Run(ctx, m)
		}()
		synctest.Wait()
		test(m)
		cancel()
		<-done
	})
}

// answer lets the program answer with a column.
func (m *match) answer(col int) {
	m.answers <- col
	m.wait(time.Second)
}

func (m *match) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (m *match) press(ev game.Event) {
	m.Press(ev)
	m.wait(time.Second)
}

// want checks the moves, and how often the program was asked.
func (m *match) want(moves string, asked int) {
	m.t.Helper()
	if v := m.Last(); v.Game.String() != moves || len(m.asked) != asked {
		m.t.Errorf("after %s in %v, asked %q, want %s and %d questions", v.Game, v.Phase, m.asked, moves, asked)
	}
}

var standard = game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}, Idle: time.Minute}

func TestProgramPlays(t *testing.T) {
	playOut(t, standard, func(m *match) {
		m.want("", 0)
		m.press(game.Column{Col: 3})
		m.want("4", 1)
		m.press(game.Column{Col: 3}) // not the person's turn
		m.want("4", 1)
		m.answer(4)
		m.want("44", 1)
		m.press(game.Undo) // refused: the program's seat dropped the last disc
		m.want("44", 1)
		m.press(game.Column{Col: 2})
		m.answer(3)
		m.want("4433", 2)
	})
}

// An answer that comes during a pause is played after the pause. An answer that comes while the
// LEDs are dark turns them on.
func TestProgramAnswersLate(t *testing.T) {
	playOut(t, standard, func(m *match) {
		m.press(game.Column{Col: 3})
		m.press(game.Pause)
		m.answer(4)
		m.want("4", 1)
		m.press(game.Pause)
		m.want("44", 1)
		m.press(game.Column{Col: 3})
		m.wait(2 * time.Minute)
		if m.Last().Phase != game.Dark {
			t.Error(m.Last().Phase)
		}
		m.answer(1)
		m.want("4441", 2)
	})
}

// If the person takes a disc back while the program is thinking, the program's answer is dropped.
func TestProgramUndo(t *testing.T) {
	playOut(t, standard, func(m *match) {
		m.press(game.Column{Col: 3})
		m.press(game.Undo)
		m.want("", 1)
		m.press(game.Column{Col: 2})
		m.answer(4) // to the first question
		m.want("3", 2)
		m.answer(5)
		m.want("35", 2)
	})
}

// A program that fails gives up its seat, and people play on.
func TestProgramFails(t *testing.T) {
	playOut(t, standard, func(m *match) {
		m.press(game.Column{Col: 3})
		m.answer(0)
		if v := m.Last(); m.why != errTired || v.Seats[1].State != game.Open || v.Failed != "is tired" {
			t.Errorf("%v, seats %v, %q", m.why, v.Seats, v.Failed)
		}
		m.press(game.Column{Col: 3})
		m.press(game.Column{Col: 3})
		m.press(game.Column{Col: 3})
		m.want("4444", 1)
	})
}

// A disc that could not be sent, because the service was away, is sent when the same view comes
// again.
func TestProgramAway(t *testing.T) {
	g, _ := board.NewGame(board.Standard, board.Red)
	m := &away{view: game.View{Phase: game.Aim, UnderWay: true, Number: 7, Record: game.Record{ID: "x", Game: g}}}
	err := Play(t.Context(), m, m, game.Take{Player: board.Red}, func(context.Context, board.Game) (int, error) { return 3, nil })
	want := []game.Event{game.Disc{Col: 3, Number: 1}, game.Disc{Col: 3, Number: 1}, game.Leave{}}
	if err != nil || !slices.Equal(m.sent, want) {
		t.Errorf("%v, sent %v", err, m.sent)
	}
}

// away is a session that is away when the first event comes.
type away struct {
	session.Session
	view game.View
	sent []game.Event
	back chan struct{} // gets a value after each disc
}

func (m *away) Do(_ context.Context, ev game.Event) (game.View, error) {
	m.sent = append(m.sent, ev)
	if len(m.sent) < 3 {
		defer func() { m.back <- struct{}{} }()
	}
	if len(m.sent) == 1 {
		return game.View{}, session.ErrAway
	}
	return m.view, nil
}

func (m *away) Views(ctx context.Context) iter.Seq2[game.View, error] {
	m.back = make(chan struct{}, 2)
	return func(yield func(game.View, error) bool) {
		yield(m.view, nil)
		<-m.back
		yield(m.view, nil)
		select {
		case <-m.back:
		case <-time.After(10 * time.Second):
		}
	}
}

// A program plays all rounds of a match.
func TestProgramRounds(t *testing.T) {
	c := standard
	c.First = board.FirstAlternate
	playOut(t, c, func(m *match) {
		for range 3 {
			m.press(game.Column{Col: 0})
			m.answer(2)
		}
		m.press(game.Column{Col: 0})
		m.wait(10 * time.Second)
		m.want("", 4) // it starts the second round
		m.answer(7)
		m.want("7", 4)
	})
}

// Programs play both sides of a match, and one that fails gives up its seat. There is a sentence for the
// user, a short reason in the view, and what the program wrote.
func TestPrograms(t *testing.T) {
	for name, tt := range map[string]struct {
		script, fault string
		rules         board.Rules
	}{
		"no column": {"read moves; echo red; read moves", `answered "red", which is no column from 1 to 8` + aside, board.FullMatrix},
		"ends":      {"exit 3", "ended with exit status 3: hello", board.Standard},
	} {
		t.Run(name, func(t *testing.T) {
			failed := make(chan error, 1)
			commands := map[board.Disc]Command{
				board.Red: script(t, "while read moves; do echo 1; done"), board.Yellow: script(t, "echo hello >&2\n"+tt.script),
			}
			p, err := StartAll(commands, Options{Rules: tt.rules, MoveTime: time.Minute}, func(err error) { failed <- err })
			must(t, err)
			s, err := game.New(game.Config{Setup: game.Setup{Rules: tt.rules, Points: 1}}, time.Unix(0, 0))
			must(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			l := session.New(s, session.Options{Instant: true})
			ended := make(chan struct{})
			go func() { defer close(ended); _, _ = l.Run(ctx) }()
			here := l.As(game.Source{Kind: game.Client})
			must(t, p.Join(ctx, here))
			who := tt.rules.Name(board.Yellow) + "'s program " + commands[board.Yellow].String()
			if err := <-failed; err.Error() != who+" "+tt.fault {
				t.Errorf("failed: %v", err)
			}
			v, err := here.Do(ctx, game.Tick{})
			if v.Failed != tt.fault || v.Seats[1].State != game.Open || v.Seats[0] != (game.Seat{State: game.Taken, Holder: commands[board.Red].String()}) {
				t.Errorf("%q, %v, %+v", v.Failed, err, v.Seats)
			}
			if wrote := p.Close(); wrote != who+" wrote:\nhello\n" {
				t.Errorf("it wrote %q", wrote)
			}
			cancel()
			<-ended
		})
	}
}

// Both sides can be programs. If one cannot be started, the other is ended.
func TestStart(t *testing.T) {
	ends := script(t, "read moves; echo over >&2")
	both := map[board.Disc]Command{board.Red: ends, board.Yellow: ends}
	p, err := StartAll(both, Options{Rules: board.Standard}, nil)
	must(t, err)
	if got := p.Close(); strings.Count(got, "wrote:\nover\n") != 2 || strings.Index(got, "red") > strings.Index(got, "yellow") {
		t.Errorf("they wrote %q", got)
	}
	both[board.Yellow] = Command{text: "no such", path: "/no/such", args: []string{"no such"}}
	if _, err := StartAll(both, Options{Rules: board.Standard}, nil); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a program without its language: %v", err)
	}
}
