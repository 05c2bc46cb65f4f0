//go:build unix

package bot

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/session"
)

// In each match a person at a panel plays against yellow's program, by a script:
//
//	4      the person drops a disc into column 4
//	u p    the person takes back, pauses or goes on
//	a4     the program answers with column 4
//	fails  the program fails
//	2m     time passes
//	44:1   so far the discs are in these columns, and the program was asked once
func TestPlay(t *testing.T) {
	standard := game.Setup{Rules: board.Standard, Points: 2}
	rounds := game.Setup{Rules: board.Standard, Points: 2, First: board.FirstAlternate}
	for _, tt := range []struct {
		why    string
		setup  game.Setup
		script string
	}{
		{"it answers in its turn, and its discs cannot be taken back", standard, ":0 4 4:1 4 4:1 a4 44:1 u 44:1 3 a3 4433:2"},
		{"an answer during a pause is played after it, one in the dark turns the LEDs on", standard, "4 p a4 4:1 p 44:1 4 2m a1 4441:2"},
		{"an answer to a disc that was taken back is dropped", standard, "4 u :1 3 a4 3:2 a5 35:2"},
		{"it plays all rounds, and starts some", rounds, "1 a2 1 a2 1 a2 1 10s :4 a7 7:4"},
		{"if it fails, people play on", standard, "4 fails 4 4 4 4444:1"},
	} {
		synctest.Test(t, func(t *testing.T) {
			g, err := game.New(game.Config{Setup: tt.setup, Idle: time.Minute}, time.Now())
			must(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			panel, l := gametest.NewPanel(), session.New(g, session.Options{})
			asked, answers, tired := 0, make(chan int), errors.New("is tired")
			ended := make(chan error, 1)
			go func() {
				here, yellow := l.As(game.Source{Kind: game.Client}), game.Take{Player: board.Yellow}
				seat, err := here.Take(ctx, yellow)
				if err == nil {
					err = Play(ctx, here, seat, yellow, func(ctx context.Context, _ board.Game) (int, error) {
						asked++
						select {
						case col := <-answers:
							return col - 1, map[int]error{0: tired}[col]
						case <-ctx.Done():
							return 0, context.Cause(ctx)
						}
					})
				}
				ended <- err
			}()
			done := make(chan struct{})
			go func() { defer close(done); _, _ = l.Run(ctx, panel) }()
			synctest.Wait()
			for step := range strings.FieldsSeq(tt.script) {
				wait, noTime := time.ParseDuration(step)
				moves, times, want := strings.Cut(step, ":")
				switch {
				case want:
					if v := panel.Last(); v.Game.String() != moves || strconv.Itoa(asked) != times {
						t.Errorf("%s: after %s in %v, asked %d times, want %s", tt.why, v.Game, v.Phase, asked, step)
					}
				case step == "u":
					panel.Press(game.Undo)
				case step == "p":
					panel.Press(game.Pause)
				case step == "fails":
					answers <- 0
					err := <-ended
					synctest.Wait()
					if v := panel.Last(); err != tired || v.Seats[1].State != game.Open || v.Failed != "is tired" {
						t.Errorf("%v, seats %v, %q", err, v.Seats, v.Failed)
					}
				case step[0] == 'a':
					answers <- int(step[1] - '0')
				case noTime != nil:
					panel.Press(game.Column{Col: int(step[0] - '1')})
				}
				time.Sleep(max(wait, time.Second))
				synctest.Wait()
			}
			cancel()
			<-done
		})
	}
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
