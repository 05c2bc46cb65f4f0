//go:build unix

package bot

import (
	"context"
	"errors"
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
	failed  error
}

// playOut plays a match in which the test gives the program's answers.
func playOut(t *testing.T, c game.Config, test func(m *match)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &match{t: t, Panel: gametest.NewPanel(), answers: make(chan int)}
		s, err := game.New(c, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		choose := func(ctx context.Context, g board.Game) (int, error) {
			m.asked = append(m.asked, g.String())
			select {
			case col := <-m.answers:
				if col == 0 {
					m.failed = errors.New("is tired")
					return 0, m.failed
				}
				return col - 1, nil
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		l := session.New(s, session.Options{Panels: []session.Panel{m}})
		go func() {
			seat, err := l.As(game.Source{Kind: game.Client}).Take(ctx, game.Take{Player: board.Yellow})
			if err == nil {
				_, _ = session.Attach(ctx, seat, newPanel(board.Yellow, choose), session.Terms{}).Wait()
			}
		}()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = l.Run(ctx)
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
		if m.failed == nil || m.Last().Seats[1].State != game.Open {
			t.Errorf("%v, seats %v", m.failed, m.Last().Seats)
		}
		m.press(game.Column{Col: 3})
		m.press(game.Column{Col: 3})
		m.press(game.Column{Col: 3})
		m.want("4444", 1)
	})
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
