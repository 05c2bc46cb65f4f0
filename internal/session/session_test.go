package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// An attachment ends with the game, with the view that its terms name, and when the user quits; the last view is
// the one shown last.
func TestAttachEnds(t *testing.T) {
	over := func(v game.View) bool { return v.Match.Winner() != board.Empty }
	for name, tt := range map[string]struct {
		terms Terms
		steps string
		want  error
		shows string
	}{
		"the game ends":    {Terms{}, "pause up middle", nil, "over"},
		"the match is won": {Terms{Until: over}, won + " 1s", nil, "cheer 1212121"},
		"q while watching": {Terms{Watch: true}, "1 q", ErrLeft, "aim"},
	} {
		_, _ = play(t, match, Options{}, func(t *table) {
			f, wait := t.attach(t.Context(), t.me, tt.terms)
			f.do(tt.steps)
			if v, err := wait(); err != tt.want || v != f.Last() || f.now() != tt.shows {
				t.Errorf("%s: %v after %s, want %v after %s", name, err, f.now(), tt.want, tt.shows)
			}
		})
	}
}

// away is a session whose game cannot be reached.
type away struct{ Session }

func (away) Do(context.Context, game.Event) (game.View, error) { return game.View{}, ErrAway }

// While the game cannot be reached, keys are lost, and the attachment goes on.
func TestAway(t *testing.T) {
	_, _ = play(t, match, Options{}, func(t *table) {
		f, wait := t.attach(t.Context(), away{t.me}, Terms{})
		f.do("left q")
		if _, err := wait(); !errors.Is(err, ErrLeft) {
			t.Error(err)
		}
	})
}

// A seat is kept by who reads the views of its session, and is away afterwards.
func TestTake(t *testing.T) {
	_, _ = play(t, match, Options{}, func(t *table) {
		seat, err := t.me.Take(t.Context(), game.Take{Player: board.Yellow, Holder: "./bot.py"})
		must(t, err)
		if _, err := t.me.Take(t.Context(), game.Take{Player: board.Yellow}); !errors.Is(err, game.ErrTaken) {
			t.Errorf("a second holder: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, wait := t.attach(ctx, seat, Terms{})
		sleep(time.Hour)
		if got := t.Last().Seats[1]; got != (game.Seat{State: game.Taken, Holder: "./bot.py"}) {
			t.Errorf("the seat is %+v", got)
		}
		cancel()
		_, _ = wait()
		synctest.Wait()
		if got := t.Last().Seats[1].State; got != game.Away {
			t.Errorf("without a reader the seat is %v", got)
		}
	})
}

// On an instant clock a match against the computer takes no time, and its reader misses no disc.
// Time stands still while a person must choose.
func TestInstant(t *testing.T) {
	computer := answers{think: func(_ context.Context, q game.Question) (int, error) {
		if position := q.Game.Position(); q.Level != 2 || position.Turn() != board.Yellow {
			t.Errorf("asked for level %d, %v to move", q.Level, position.Turn())
		}
		time.Sleep(time.Millisecond) // thinking is work, not waiting
		return 6, nil
	}}
	_, _ = play(t, alone, Options{Instant: true, Computer: computer}, func(t *table) {
		began := time.Now()
		f, wait := t.attach(t.Context(), t.me, Terms{})
		for i, want := range []string{"17", "1717", "171717"} {
			if v, err := t.me.Do(t.Context(), game.Disc{Number: 2*i + 1}); err != nil || !strings.HasPrefix(want, v.Game.String()) {
				t.Errorf("%q, %v", v.Game.String(), err)
			}
			if sleep(time.Millisecond); f.now() != "aim "+want {
				t.Fatalf("%s, want %s", f.now(), want)
			}
		}
		_, _ = t.me.Do(t.Context(), game.Disc{Number: 7})
		if _, err := wait(); err != nil || time.Since(began) > 4*time.Millisecond {
			t.Errorf("the match took %v, %v", time.Since(began), err)
		}
		discs := 0
		for _, v := range f.Views() {
			if n := v.Discs(); n != discs && n != discs+1 {
				t.Errorf("%d discs after %d", n, discs)
			} else {
				discs = n
			}
		}
	})
}

// Time stands still while nobody watches, and goes on when somebody does.
func TestInstantStandsStill(t *testing.T) {
	c := alone
	c.Computer = board.Red
	_, _ = play(t, c, Options{Instant: true}, func(t *table) {
		sleep(time.Hour)
		f, _ := t.attach(t.Context(), t.me, Terms{})
		if first := f.Views()[0]; first.Phase != game.Thinking || f.Last().Phase != game.Aim || f.Last().Discs() != 1 {
			t.Errorf("%v at first, then %s", first.Phase, f.now())
		}
	})
}

// An instant clock waits for the disk as long as the game does, and no longer.
func TestInstantWaitsForDisk(t *testing.T) {
	c := match
	c.Keeps = true
	for slow, want := range map[time.Duration]time.Duration{300 * time.Millisecond: 300 * time.Millisecond, time.Hour: time.Second} {
		_, _ = play(t, c, Options{Instant: true, Keeper: &disk{slow: slow}}, func(t *table) {
			f, _ := t.attach(t.Context(), t.me, Terms{})
			began := time.Now()
			_, err := t.me.Do(t.Context(), game.Column{})
			must(t, err)
			for f.now() != "aim 1" && time.Since(began) < time.Minute {
				sleep(10 * time.Millisecond)
			}
			if took := time.Since(began).Round(100 * time.Millisecond); took != want {
				t.Errorf("a disc on a disk that takes %v: %v, want %v", slow, took, want)
			}
		})
	}
}

// A reader whose context ends with the game still gets the last view.
func TestLastView(t *testing.T) {
	_, _ = play(t, match, Options{}, func(t *table) {
		ctx, cancel := context.WithCancel(t.Context())
		views := t.me.Views(ctx)
		_, err := t.me.Do(t.Context(), game.End{})
		must(t, err)
		synctest.Wait()
		cancel()
		for v, err := range views {
			if v.Phase != game.Over || err != nil {
				t.Errorf("%v, %v", v.Phase, err)
			}
		}
	})
}

// What Do returns is the view that readers get, also if the event is refused. Each view has a higher number than the
// one before it, and one that has not changed keeps its number.
func TestDo(t *testing.T) {
	_, err := play(t, match, Options{}, func(t *table) {
		last := uint64(0)
		for _, step := range []struct {
			event game.Event
			want  error
			shows string
		}{
			{game.Column{Col: 3}, nil, "fall 4"},
			{game.Start{Setup: match.Setup}, game.ErrUnderWay, "fall 4"},
			{game.Start{Setup: match.Setup, Force: true}, nil, "aim"},
			{game.End{}, nil, "over"},
		} {
			v, err := t.me.Do(t.Context(), step.event)
			synctest.Wait()
			if err != step.want || v != t.Last() || v.Number < last || (v.Number == last) != (err != nil) {
				t.Errorf("%+v: %v, %v, view %d after %d", step.event, err, v.Phase, v.Number, last)
			}
			last = v.Number
			t.shows(step.shows)
		}
		late, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := t.me.Do(late, game.Tick{}); !errors.Is(err, ErrEnded) {
			t.Errorf("without a loop: %v", err)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// The event that ends the game is answered like any other, however soon the loop is gone, and Run waits until its
// panels have shown the last view. One that looks later sees it too.
func TestLastAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, slow := range []time.Duration{0, 0, 0, time.Second} { // the answer and the end may come in any order
			panel := newFake()
			panel.show = func(game.View) error { time.Sleep(slow); return nil }
			s, err := game.New(match, time.Now())
			must(t, err)
			l, answered := New(s, Options{}), make(chan error, 1)
			here := l.As(game.Source{Kind: game.Client})
			go func() {
				_, err := here.Do(t.Context(), game.End{})
				answered <- err
			}()
			synctest.Wait() // Do waits for the loop
			if _, err := l.Run(t.Context(), panel); err != nil || panel.now() != "over" {
				t.Errorf("%s, %v", panel.now(), err)
			}
			if err := <-answered; err != nil {
				t.Fatalf("the end of the match: %v", err)
			}
			for v, err := range here.Views(t.Context()) {
				if v.Phase != game.Over || err != nil {
					t.Errorf("later %v, %v", v.Phase, err)
				}
			}
		}
	})
}
