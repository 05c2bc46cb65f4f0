package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// attach attaches a panel in the background, and returns a function that waits for what Attach returns.
func attach(ctx context.Context, s Session, p Panel, t Terms) (wait func() (game.View, error)) {
	var last game.View
	ended := make(chan error, 1)
	go func() {
		var err error
		last, err = Attach(ctx, s, p, t)
		ended <- err
	}()
	synctest.Wait()
	return func() (game.View, error) { err := <-ended; return last, err }
}

// attached runs a game that is shown on a panel, and returns what Attach returns once the test is over.
func attached(t *testing.T, c game.Config, o Options, terms Terms, test func(l *Local, s Session, f *fake)) (game.View, error) {
	t.Helper()
	s, err := game.New(c, time.Now())
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer synctest.Wait()
	defer cancel()
	l, f := New(s, o), newFake()
	me := l.As(game.Source{Kind: game.Client, ID: 1})
	wait := attach(ctx, me, f, terms)
	go func() { _, _ = l.Run(ctx) }()
	synctest.Wait()
	test(l, me, f)
	return wait()
}

// An attachment ends with the game, with the view that its terms name, when the user quits, and with
// the game's error; the last view is the one shown last.
func TestAttachEnds(t *testing.T) {
	won := func(v game.View) bool { return v.Match.Winner() != board.Empty }
	for name, tt := range map[string]struct {
		terms Terms
		test  func(l *Local, f *fake)
		want  error
		phase game.Phase
	}{
		"the game ends": {Terms{}, func(_ *Local, f *fake) {
			f.Press(game.Pause)
			f.Press(game.Press{Key: game.Up})
			f.Press(game.Press{Key: game.Middle})
		}, nil, game.Over},
		"the match is won": {Terms{Until: won}, func(_ *Local, f *fake) { winRound(f) }, nil, game.Cheer},
		"q":                {Terms{}, func(_ *Local, f *fake) { f.Press(game.Quit{}) }, ErrLeft, game.Aim},
		"Ctrl-C":           {Terms{}, func(_ *Local, f *fake) { f.Press(game.Quit{Interrupted: true}) }, ErrInterrupted, game.Aim},
		"q while watching": {Terms{Watch: true}, func(_ *Local, f *fake) { f.Press(game.Column{}); f.Press(game.Quit{}) }, ErrLeft, game.Aim},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v, err := attached(t, match, Options{}, tt.terms, func(l *Local, _ Session, f *fake) { tt.test(l, f) })
				if err != tt.want || v.Phase != tt.phase {
					t.Errorf("%v in %v, want %v in %v", err, v.Phase, tt.want, tt.phase)
				}
				if tt.terms.Watch && v.Game.String() != "" {
					t.Errorf("a watcher dropped %q", v.Game.String())
				}
			})
		})
	}
}

func winRound(f *fake) {
	for _, col := range []int{0, 1, 0, 1, 0, 1, 0} {
		f.Press(game.Column{Col: col})
		sleep(time.Second)
	}
}

// Each view of a session has a higher number than the one before it, and what Do returns is the view
// that readers get.
func TestViewNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _ = attached(t, match, Options{}, Terms{}, func(_ *Local, s Session, f *fake) {
			winRound(f)
			sleep(time.Second / 2) // the line has been seen, and a key skips it
			last := uint64(0)
			for _, v := range f.Views() {
				if v.Number <= last {
					t.Fatalf("number %d after %d", v.Number, last)
				}
				last = v.Number
			}
			v, err := s.Do(t.Context(), game.Press{Key: game.Left})
			synctest.Wait()
			if err != nil || !slices.Contains(f.Views(), v) || v.Number <= last {
				t.Errorf("Do returns view %d after %d, %v", v.Number, last, err)
			}
			same, err := s.Do(t.Context(), game.Tick{}) // changes nothing
			if again, _ := s.Do(t.Context(), game.Tick{}); err != nil || again != same {
				t.Errorf("the same view has the numbers %d and %d, %v", same.Number, again.Number, err)
			}
			f.Press(game.Quit{})
		})
	})
}

// While the game cannot be reached, keys are lost, and the attachment goes on.
func TestAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _ = attached(t, match, Options{}, Terms{}, func(_ *Local, s Session, other *fake) {
			f := newFake()
			wait := attach(t.Context(), away{s}, f, Terms{})
			f.Press(game.Press{Key: game.Left})
			synctest.Wait()
			f.Press(game.Quit{})
			if _, err := wait(); !errors.Is(err, ErrLeft) {
				t.Error(err)
			}
			other.Press(game.Quit{})
		})
	})
}

// away is a session whose game cannot be reached.
type away struct{ Session }

func (away) Do(context.Context, game.Event) (game.View, error) { return game.View{}, ErrAway }

// A seat is kept by who reads the views of its session, and is away afterwards.
func TestTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _ = attached(t, match, Options{}, Terms{}, func(l *Local, s Session, f *fake) {
			seat, err := s.Take(t.Context(), game.Take{Player: board.Yellow, Holder: "./bot.py"})
			must(t, err)
			if _, err := s.Take(t.Context(), game.Take{Player: board.Yellow}); !errors.Is(err, game.ErrTaken) {
				t.Errorf("a second holder: %v", err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			wait := attach(ctx, seat, newFake(), Terms{})
			sleep(time.Hour)
			if got := f.Last().Seats[1]; got != (game.Seat{State: game.Taken, Holder: "./bot.py"}) {
				t.Errorf("the seat is %+v", got)
			}
			cancel()
			_, _ = wait()
			synctest.Wait()
			if got := f.Last().Seats[1].State; got != game.Away {
				t.Errorf("without a reader the seat is %v", got)
			}
			f.Press(game.Quit{})
		})
	})
}

// On an instant clock a match against the computer takes no time, and its reader misses no disc.
// Time stands still while a person must choose.
func TestInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := match
		c.Computer, c.Level = board.Yellow, 1
		computer := answers{think: func(context.Context, game.Think) (int, error) {
			time.Sleep(time.Millisecond) // thinking is work, not waiting
			return 6, nil
		}}
		began := time.Now()
		_, err := attached(t, c, Options{Instant: true, Computer: computer}, Terms{}, func(_ *Local, s Session, f *fake) {
			for _, want := range []string{"17", "1717", "171717"} {
				if v, err := s.Do(t.Context(), game.Column{}); err != nil || !strings.HasPrefix(want, v.Game.String()) {
					t.Errorf("%q, %v", v.Game.String(), err)
				}
				sleep(time.Millisecond)
				if v := f.Last(); v.Phase != game.Aim || v.Game.String() != want {
					t.Fatalf("%v after %q, want %q", v.Phase, v.Game.String(), want)
				}
			}
			_, _ = s.Do(t.Context(), game.Column{})
			discs := 0
			for _, v := range f.Views() {
				if n := v.Discs(); n != discs && n != discs+1 {
					t.Errorf("%d discs after %d", n, discs)
				} else {
					discs = n
				}
			}
		})
		if took := time.Since(began); err != nil || took > 4*time.Millisecond {
			t.Errorf("the match took %v, %v", took, err)
		}
	})
}

// Time stands still while nobody watches, and goes on when somebody does.
func TestInstantStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := match
		c.Computer, c.Level = board.Red, 1
		f := newFake()
		l, end := running(t, c, Options{Instant: true})
		sleep(time.Hour)
		wait := attach(t.Context(), l.As(game.Source{}), f, Terms{})
		if first, last := f.Views()[0], f.Last(); first.Phase != game.Thinking || last.Phase != game.Aim || last.Discs() != 1 {
			t.Errorf("%v at first, then %v after %d discs", first.Phase, last.Phase, last.Discs())
		}
		_ = end()
		_, _ = wait()
	})
}

// On an instant clock the view that is current when somebody asks for views waits for that reader.
func TestInstantWaitsForReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, end := running(t, match, Options{Instant: true})
		me := l.As(game.Source{ID: 1})
		reading, cancel := context.WithCancel(t.Context())
		views := me.Views(reading)
		go func() { _, _ = me.Do(t.Context(), game.Column{Col: 3}) }()
		synctest.Wait()
		for v := range views {
			if v.Discs() != 0 {
				t.Errorf("the first view has %d discs", v.Discs())
			}
			break
		}
		cancel()
		_ = end()
	})
}

// A reader who stops when the game ends still gets the last view.
func TestLastView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newReaders()
		ctx, cancel := context.WithCancel(t.Context())
		r := h.join(ctx)
		h.publish(game.View{Phase: game.Over}, false)
		h.end(nil)
		cancel()
		synctest.Wait()
		if v, ok := h.take(r); !ok || v.Phase != game.Over {
			t.Errorf("%v, %v", v.Phase, ok)
		}
	})
}

// An instant clock waits for the disk as long as the game does, and no longer.
func TestInstantWaitsForDisk(t *testing.T) {
	for _, tt := range []struct{ slow, want time.Duration }{{300 * time.Millisecond, 300 * time.Millisecond}, {time.Hour, time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			c := match
			c.Keeps = true
			d := disk{slow: tt.slow, saved: make(chan game.Saved, 1)}
			began := time.Now()
			_, _ = attached(t, c, Options{Instant: true, Keeper: d}, Terms{}, func(_ *Local, s Session, f *fake) {
				for f.Last().Phase != game.Aim || f.Last().Game.String() == "" {
					if f.Last().Game.String() == "" {
						_, _ = s.Do(t.Context(), game.Column{})
					}
					sleep(10 * time.Millisecond)
				}
				f.Press(game.Quit{})
			})
			if took := time.Since(began).Round(100 * time.Millisecond); took != tt.want {
				t.Errorf("a disc on a disk that takes %v: %v, want %v", tt.slow, took, tt.want)
			}
		})
	}
}

// disk is a Keeper that answers after a time.
type disk struct {
	slow  time.Duration
	saved chan game.Saved
}

func (d disk) Save(s game.Save) {
	time.AfterFunc(d.slow, func() { d.saved <- game.Saved{ID: s.ID} })
}
func (d disk) Finish(game.Record, bool) {}
func (d disk) Saved() <-chan game.Saved { return d.saved }

func TestDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l, end := running(t, match, Options{})
		v, err := l.Do(ctx, game.Column{Col: 3}, game.Source{Kind: game.Client})
		if err != nil || v.Game.String() != "4" {
			t.Errorf("%v after %q", err, v.Game.String())
		}
		if _, err := l.Do(ctx, game.Start{Setup: match.Setup}, game.Source{Kind: game.Client}); err != game.ErrUnderWay {
			t.Errorf("a second match: %v", err)
		}
		if v, err := l.Do(ctx, game.Start{Setup: match.Setup, Force: true}, game.Source{Kind: game.Client}); err != nil || v.Game.String() != "" {
			t.Errorf("forced: %v, after %q", err, v.Game.String())
		}
		if v, err := l.Do(ctx, game.End{}, game.Source{Kind: game.Client}); err != nil || v.Phase != game.Over {
			t.Errorf("the end: %v, %v", err, v.Phase)
		}
		synctest.Wait()
		late, stop := context.WithTimeout(ctx, time.Second)
		defer stop()
		if _, err := l.Do(late, game.Tick{}, game.Source{Kind: game.Client}); !errors.Is(err, ErrEnded) {
			t.Errorf("without a loop: %v", err)
		}
		if err := end(); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// The event that ends the game is answered like any other, however soon the loop is gone.
func TestLastAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 100 { // the answer and the end may come in any order
			s, err := game.New(match, time.Now())
			must(t, err)
			l, answered := New(s, Options{}), make(chan error, 1)
			go func() {
				_, err := l.Do(t.Context(), game.End{}, game.Source{Kind: game.Client})
				answered <- err
			}()
			synctest.Wait() // Do waits for the loop
			if _, err := l.Run(t.Context()); err != nil {
				t.Error(err)
			}
			if err := <-answered; err != nil {
				t.Fatalf("the end of the match: %v", err)
			}
		}
	})
}
