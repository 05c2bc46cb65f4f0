package session

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
)

// fake is a panel that can also fail.
type fake struct {
	*gametest.Panel
	show func(game.View) error
	next func() (game.Event, error)
}

func newFake() *fake { return &fake{Panel: gametest.NewPanel()} }

func (f *fake) Show(v game.View) error {
	_ = f.Panel.Show(v) // never fails
	if f.show != nil {
		return f.show(v)
	}
	return nil
}

func (f *fake) Next(ctx context.Context) (game.Event, error) {
	if f.next != nil {
		return f.next()
	}
	return f.Panel.Next(ctx)
}

// sleep lets time pass, and waits until everything that is due by then has happened.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// running runs a game until end is called, which returns the error of Run.
func running(t *testing.T, c game.Config, o Options, panels ...Panel) (l *Local, end func() error) {
	t.Helper()
	s, err := game.New(c, time.Now())
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	l = New(s, o)
	ended := make(chan error, 1)
	go func() {
		_, err := l.Run(ctx, panels...)
		ended <- err
	}()
	synctest.Wait()
	return l, func() error {
		cancel()
		return <-ended
	}
}

// play runs a game and a test in a synctest bubble. After the test, it returns the results of Run.
func play(t *testing.T, c game.Config, computer Computer, test func(cancel context.CancelCauseFunc, f *fake), panels ...Panel) (*game.Game, error) {
	t.Helper()
	s, err := game.New(c, time.Now())
	must(t, err)
	f := newFake()
	ctx, cancel := context.WithCancelCause(context.Background())
	var end *game.Game
	done := make(chan error)
	go func() {
		var err error
		end, err = New(s, Options{Computer: computer}).Run(ctx, append([]Panel{f}, panels...)...)
		done <- err
	}()
	synctest.Wait()
	test(cancel, f)
	err = <-done
	cancel(nil)
	return end, err
}

var match = game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}}

func TestMatchInRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		end, err := play(t, match, nil, func(_ context.CancelCauseFunc, f *fake) {
			for _, col := range []int{0, 1, 0, 1, 0, 1, 0} {
				f.Press(game.Column{Col: col})
				sleep(time.Second)
			}
			if f.Last().Phase != game.Cheer {
				t.Errorf("the phase is %v, want cheer", f.Last().Phase)
			}
		})
		if winner := end.View(time.Now()).Match.Winner(); err != nil || winner != board.Red {
			t.Errorf("%v wins, %v", winner, err)
		}
		// Seven discs are dropped, one per second. The last one falls for 250 ms; the phases cheer,
		// score, victory and clear follow.
		if took, want := time.Since(began), 6*time.Second+250*time.Millisecond+4750*time.Millisecond; took != want {
			t.Errorf("the match took %v, want %v", took, want)
		}
	})
}

// While the view does not change by itself, the loop sets no timer.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fires := func(c game.Config, every time.Duration) time.Duration {
			s, err := game.New(c, time.Now())
			must(t, err)
			clock, began := newClock(false), time.Now()
			clock.timer.Reset(time.Second) // set earlier
			next, ok := New(s, Options{Every: every}).due(began, began)
			clock.sleep(next, ok, time.Time{})
			select {
			case <-clock.timer.C:
				return time.Since(began)
			case <-time.After(1000 * time.Hour):
				return 0
			}
		}
		full, idle := match, match
		full.Rules, idle.Idle = board.FullMatrix, 10*time.Minute
		for _, tt := range []struct {
			config game.Config
			every  time.Duration
			want   time.Duration
		}{
			{match, 0, 0},
			{idle, 0, 10 * time.Minute},
			{full, 0, 250 * time.Millisecond},
			{match, 15 * time.Second, 15 * time.Second},
			{idle, time.Hour, 10 * time.Minute},
		} {
			if got := fires(tt.config, tt.every); got != tt.want {
				t.Errorf("%+v, every %v: wakes after %v, want %v", tt.config, tt.every, got, tt.want)
			}
		}
	})
}

func TestTwoPanels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		second := newFake()
		_, err := play(t, match, nil, func(_ context.CancelCauseFunc, first *fake) {
			first.Press(game.Column{Col: 3})
			sleep(time.Second)
			second.Press(game.Column{Col: 4})
			sleep(time.Second)
			if len(first.Views()) != len(second.Views()) || len(first.Views()) < 10 {
				t.Fatalf("%d and %d views", len(first.Views()), len(second.Views()))
			}
			for i := range first.Views() {
				if first.Views()[i] != second.Views()[i] {
					t.Fatalf("view %d differs", i)
				}
			}
			second.Press(game.Quit{})
		}, second)
		if err != nil {
			t.Error(err)
		}
	})
}

// A panel that is stuck in Show delays neither the game, nor the other panel, nor the end.
func TestStuckPanel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := newFake()
		release := make(chan struct{})
		stuck.show = func(game.View) error { <-release; return nil }
		var ended time.Time
		end, err := play(t, match, nil, func(_ context.CancelCauseFunc, f *fake) {
			f.Press(game.Column{Col: 3})
			sleep(time.Second)
			f.Press(game.Column{Col: 3})
			sleep(time.Second)
			if p := f.Last().Game.Position(); p.Ply() != 2 || f.Last().Phase != game.Aim {
				t.Errorf("ply %d, %v", p.Ply(), f.Last().Phase)
			}
			ended = time.Now()
			f.Press(game.Quit{Interrupted: true})
		}, stuck)
		if !errors.Is(err, ErrInterrupted) {
			t.Error(err)
		}
		if took := time.Since(ended); took > 100*time.Millisecond {
			t.Errorf("the end took %v", took)
		}
		if p := end.View(time.Now()).Game.Position(); p.Ply() != 2 {
			t.Errorf("ended at ply %d", p.Ply())
		}
		if len(stuck.Views()) != 1 {
			t.Errorf("the stuck panel was shown %d views", len(stuck.Views()))
		}
		close(release)
	})
}

// A busy panel skips views: the next one that it shows is the latest.
func TestSlowPanel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := newFake()
		slow.show = func(game.View) error { time.Sleep(100 * time.Millisecond); return nil }
		_, _ = play(t, match, nil, func(cancel context.CancelCauseFunc, f *fake) {
			f.Press(game.Column{Col: 3})
			sleep(time.Second)
			if slow.Last() != f.Last() {
				t.Error("the slow panel still shows an old view")
			}
			if len(slow.Views()) >= len(f.Views()) {
				t.Errorf("the slow panel saw %d of %d views", len(slow.Views()), len(f.Views()))
			}
			cancel(nil)
		}, slow)
	})
}

func TestEndings(t *testing.T) {
	cause := errors.New("cancelled")
	tests := []struct {
		name string
		test func(cancel context.CancelCauseFunc, f *fake)
		want func(error) bool
	}{
		{"quit", func(_ context.CancelCauseFunc, f *fake) { f.Press(game.Quit{}) },
			func(err error) bool { return err == nil }},
		{"interrupted", func(_ context.CancelCauseFunc, f *fake) { f.Press(game.Quit{Interrupted: true}) },
			func(err error) bool { return errors.Is(err, ErrInterrupted) }},
		{"cancelled", func(cancel context.CancelCauseFunc, f *fake) { cancel(cause) },
			func(err error) bool { return errors.Is(err, cause) }},
		{"Next fails", func(_ context.CancelCauseFunc, f *fake) {
			f.next = func() (game.Event, error) { return nil, io.EOF }
			go f.Press(game.Undo)
		}, func(err error) bool { return errors.Is(err, io.EOF) }},
		{"Show fails", func(_ context.CancelCauseFunc, f *fake) {
			f.show = func(game.View) error { return io.ErrShortWrite }
			f.Press(game.Press{Key: game.Left})
		}, func(err error) bool { return errors.Is(err, io.ErrShortWrite) }},
		{"a panic in Show", func(_ context.CancelCauseFunc, f *fake) {
			f.show = func(game.View) error { panic("show") }
			f.Press(game.Press{Key: game.Left})
		}, isFault("show")},
		{"a panic in Next", func(_ context.CancelCauseFunc, f *fake) {
			f.next = func() (game.Event, error) { panic("next") }
			go f.Press(game.Undo)
		}, isFault("next")},
		{"a panic in Advise", func(_ context.CancelCauseFunc, f *fake) { f.Press(game.Hint) },
			isFault("advise")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				advise := func(context.Context, board.Game) (game.Advice, error) { panic("advise") }
				if _, err := play(t, match, answers{advise: advise}, tt.test); !tt.want(err) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

func isFault(value string) func(error) bool {
	return func(err error) bool {
		var fault *Fault
		return errors.As(err, &fault) && fault.Value == value &&
			strings.Contains(string(fault.Stack), "loop_test.go") && !strings.Contains(err.Error(), "\n")
	}
}

func TestAdvice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []context.Context
		advise := func(ctx context.Context, g board.Game) (game.Advice, error) {
			asked = append(asked, ctx)
			select {
			case <-ctx.Done():
				return game.Advice{}, ctx.Err()
			case <-time.After(time.Second):
			}
			if p := g.Position(); p.Ply() > 0 {
				return game.Advice{}, errors.New("beyond me")
			}
			return game.Advice{Score: [8]int{3: 1}, Exact: true}, nil
		}
		_, _ = play(t, match, answers{advise: advise}, func(cancel context.CancelCauseFunc, f *fake) {
			f.Press(game.Hint)
			sleep(time.Second)
			if v := f.Last(); v.Phase != game.Hinting || v.Advice.Score[3] != 1 {
				t.Errorf("%v, %v", v.Phase, v.Advice)
			}
			f.Press(game.Undo) // closes the hint
			f.Press(game.Hint)
			sleep(time.Second / 2)
			f.Press(game.Column{Col: 0}) // cancels the hint
			if asked[1].Err() == nil {
				t.Error("the cancelled adviser still works")
			}
			sleep(2 * time.Second)
			if v := f.Last(); v.Phase != game.Aim {
				t.Errorf("%v after the answer to a cancelled question", v.Phase)
			}
			f.Press(game.Hint)
			sleep(2 * time.Second)
			if v := f.Last(); v.Notice.Kind != game.NoticeNoHint {
				t.Errorf("%v, notice %v", v.Phase, v.Notice)
			}
			cancel(nil)
		})
	})
}

func TestNoAdviser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _ = play(t, match, nil, func(cancel context.CancelCauseFunc, f *fake) {
			f.Press(game.Hint)
			if v := f.Last(); v.Notice.Kind != game.NoticeNoHint {
				t.Errorf("%v, notice %v", v.Phase, v.Notice)
			}
			cancel(nil)
		})
	})
}

// Alive is called at once and then at intervals. What has not changed is not shown again.
func TestAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, began := newFake(), time.Now()
		ready := 0
		var alive []time.Duration
		_, end := running(t, match, Options{
			Ready: func() { ready++ },
			Alive: func() { alive = append(alive, time.Since(began)) },
			Every: 10 * time.Second,
		}, f)
		sleep(35 * time.Second)
		if ready != 1 {
			t.Errorf("ready %d times", ready)
		}
		if len(alive) != 4 || alive[0] != 0 || alive[3] != 30*time.Second {
			t.Errorf("alive at %v", alive)
		}
		f.Press(game.Press{Key: game.Middle, Action: game.Held})
		if shown := len(f.Views()); shown != 1 {
			t.Errorf("shown %d times", shown)
		}
		_ = end()
	})
}

// The loop's own goroutine calls Alive, so there are no calls while the loop hangs.
func TestAliveStopsWhenStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wedged := make(chan struct{})
		alive := 0
		_, end := running(t, match, Options{
			Ready: func() { <-wedged }, // called from the loop
			Alive: func() { alive++ },
			Every: time.Second,
		})
		sleep(time.Hour)
		if alive != 1 {
			t.Errorf("alive %d times", alive)
		}
		close(wedged)
		sleep(10 * time.Second)
		if alive < 10 {
			t.Errorf("alive %d times", alive)
		}
		_ = end()
	})
}

var must = try.Must
