package bot

import (
	"context"
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/session"
)

var runs = flag.Int("runs", 100, "number of random matches with programs")

// Whatever people press while programs think and their discs are on the way, no program loses its seat before the
// match is over, each plays on when its disc is due, and each disc is the one that it chose for that position.
func TestInterleavings(t *testing.T) {
	n := *runs
	if testing.Short() {
		n = 30
	}
	for seed := range n {
		synctest.Test(t, func(t *testing.T) { interleave(t, uint64(seed)) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func interleave(t *testing.T, seed uint64) {
	ctx, cancel := context.WithCancel(t.Context())
	chance := rand.New(rand.NewPCG(seed, 0))
	s, err := game.New(game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Idle: time.Hour}, time.Now())
	must(t, err)
	person := gametest.NewPanel()
	l := session.New(s, session.Options{Computer: advisor{}})
	here := distant{l.As(game.Source{Kind: game.Client})}
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = l.Run(ctx, person) })
	defer wg.Wait()
	defer cancel()
	programs := []board.Disc{board.Yellow, board.Red}[:1+seed%2]
	for _, d := range programs {
		take, slow := game.Take{Player: d, Holder: "bot"}, rand.New(rand.NewPCG(seed, uint64(d)))
		seat, err := here.Take(ctx, take)
		must(t, err)
		wg.Go(func() {
			err := Play(ctx, here, seat, take, func(ctx context.Context, g board.Game) (int, error) {
				select {
				case <-time.After(time.Duration(slow.IntN(1500)) * time.Millisecond):
					return pick(g), nil
				case <-ctx.Done():
					return 0, context.Cause(ctx)
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	check := func() (v game.View, over bool) {
		synctest.Wait()
		v = person.Last()
		for _, d := range programs {
			if v.UnderWay && v.Seats[d-board.Red].State != game.Taken {
				t.Fatalf("after %s in %v: seats %v", v.Game, v.Phase, v.Seats)
			}
		}
		return v, !v.UnderWay
	}
	for range 60 {
		time.Sleep(time.Duration(chance.IntN(600)) * time.Millisecond)
		ev := []game.Event{game.Pause, game.Undo, game.Hint, game.Column{Col: chance.IntN(7)}, game.Column{Col: chance.IntN(7)}}[chance.IntN(5)]
		if chance.IntN(2) == 0 {
			person.Press(ev)
		} else {
			_, _ = here.Do(ctx, ev)
		}
		if _, over := check(); over {
			break
		}
	}
	for range 60 { // seconds
		v, over := check()
		position := v.Game.Position()
		switch {
		case v.Phase == game.Paused:
			person.Press(game.Pause)
		case over, v.Phase == game.Aim && !v.TakenTurn():
			g, _ := board.NewGame(board.Standard, v.Game.Starter())
			for ply := range position.Ply() {
				if col := v.Game.Move(ply); slices.Contains(programs, g.Position().Turn()) && col != pick(g) {
					t.Errorf("%s: disc %d is not the program's", v.Game, ply+1)
				}
				_ = g.Play(v.Game.Move(ply))
			}
			return
		}
		time.Sleep(time.Second)
	}
	t.Error("a program does not play on")
}

// distant is a session whose events are on the way for a while, but for less time than a disc takes to
// fall.
type distant struct{ session.Session }

func (d distant) Do(ctx context.Context, ev game.Event) (game.View, error) {
	time.Sleep(20 * time.Millisecond)
	return d.Session.Do(ctx, ev)
}

func (d distant) Take(ctx context.Context, take game.Take) (session.Session, error) {
	s, err := d.Session.Take(ctx, take)
	return distant{s}, err
}

// advisor gives a hint after a while, for no column.
type advisor struct{}

func (advisor) Answer(ctx context.Context, q game.Question, _ func(game.Event)) (game.Answered, error) {
	select {
	case <-time.After(300 * time.Millisecond):
	case <-ctx.Done():
		return game.Answered{}, ctx.Err()
	}
	return game.Answered{ID: q.ID, Failed: q.Kind != game.Advise}, nil
}

func (advisor) Rest() {}

// pick returns a column that depends only on the position.
func pick(g board.Game) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(g.String()))
	position := g.Position()
	col := int(h.Sum32() % 7)
	for !position.Legal(col) {
		col = (col + 1) % 7
	}
	return col
}

var must = try.Must
