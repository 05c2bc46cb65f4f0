package loop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// disk is a keeper that takes a while.
type disk struct {
	slow time.Duration

	mu            sync.Mutex
	kept          []string
	begun, latest int // saves
	err           error
}

// Sync takes as long as a save: each is a sync of its own.
func (d *disk) Sync() error {
	time.Sleep(d.slow)
	return nil
}

func (d *disk) keep(what string, r game.Record) error {
	time.Sleep(d.slow)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.enter(what, r)
}

func (d *disk) enter(what string, r game.Record) error {
	if d.err == nil {
		d.kept = append(d.kept, fmt.Sprintf("%s %s %s %s", what, r.ID, strings.Join(r.Match.Games(), ","), r.Game.String()))
	}
	return d.err
}

// Begin begins a save; one that is overtaken keeps nothing.
func (d *disk) Begin(r game.Record, after <-chan struct{}) func() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun++
	turn := d.begun
	return func() error {
		time.Sleep(d.slow)
		<-after
		d.mu.Lock()
		defer d.mu.Unlock()
		if turn < d.latest {
			return nil
		}
		d.latest = turn
		return d.enter("save", r)
	}
}

func (d *disk) Finish(r game.Record, abandoned bool) error {
	if abandoned {
		return d.keep("abandoned", r)
	}
	return d.keep("over", r)
}

func (d *disk) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

func record(t *testing.T, id, moves string) game.Record {
	t.Helper()
	m, g, err := board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{moves})
	if err != nil {
		t.Fatal(err)
	}
	return game.Record{ID: id, Match: m, Game: g}
}

// save is one whose ID is how often a test has saved, whatever the match.
func save(t *testing.T, id, moves string) game.Save {
	t.Helper()
	return game.Save{ID: 1 + len(moves), Record: record(t, id, moves)}
}

// Of the running match the latest is kept, of those that are over every one, in
// their order; nobody waits, and Close forgets nothing.
func TestSaver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{slow: time.Second}
		s := NewSaver(d, slog.New(slog.DiscardHandler))
		began := time.Now()
		s.Save(save(t, "a", "1"))
		synctest.Wait()
		s.Save(save(t, "a", "12"))
		synctest.Wait() // these two are written at a time
		s.Save(save(t, "a", "121"))
		s.Save(save(t, "a", "1212"))
		s.Finish(record(t, "a", "1212121"), false)
		s.Save(save(t, "b", "4"))
		s.Finish(record(t, "b", "44"), true)
		s.Save(save(t, "c", "5"))
		s.Save(save(t, "c", "56"))
		if time.Since(began) != 0 {
			t.Errorf("it took %v", time.Since(began))
		}
		if s.Close(3 * time.Second) {
			t.Error("closed with something not kept")
		}
		if !s.Close(time.Hour) {
			t.Error("not closed")
		}
		d.kept = slices.DeleteFunc(d.kept, func(s string) bool { return s == "save a  1" }) // which may be overtaken
		want := []string{"save a  12", "over a  1212121", "abandoned b  44", "save c  56"}
		if !slices.Equal(d.kept, want) {
			t.Errorf("kept %q, want %q", d.kept, want)
		}
	})
}

func TestSaverComplainsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		d := new(disk)
		s := NewSaver(d, slog.New(slog.NewTextHandler(&log, nil)))
		for _, err := range []error{errors.New("full"), errors.New("full"), nil, nil, errors.New("gone"), nil} {
			d.fail(err)
			s.Save(save(t, "a", ""))
			synctest.Wait()
		}
		s.Close(time.Second)
		if got := strings.Count(log.String(), "WARN"); got != 2 {
			t.Errorf("%d warnings:\n%s", got, log.String())
		}
		if got := strings.Count(log.String(), "INFO"); got != 2 {
			t.Errorf("kept again %d times:\n%s", got, log.String())
		}
	})
}

// A whole match as a keeper sees it, the last key included.
func TestRunKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Run: "x", Keeps: true}
		state, err := game.New(config, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		d := new(disk)
		saver := NewSaver(d, slog.New(slog.DiscardHandler))
		f := newFake()
		done := make(chan error)
		go func() {
			_, err := Run(t.Context(), state, Options{Panels: []Panel{f}, Save: saver.Save, Finish: saver.Finish, Saved: saver.Saved()})
			done <- err
		}()
		synctest.Wait()
		for _, col := range []int{0, 1, 0, 1, 0, 1, 0} {
			f.press(game.Column{Col: col})
			sleep(time.Second)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		saver.Close(time.Second)
		want := []string{"save x-1  ", "save x-1  1", "save x-1  12", "save x-1  121", "save x-1  1212",
			"save x-1  12121", "save x-1  121212", "save x-1  1212121", "over x-1  1212121"}
		if !slices.Equal(d.kept, want) {
			t.Errorf("kept %q, want %q", d.kept, want)
		}
	})
}

func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state, err := game.New(match, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		requests := make(Requests)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := Run(ctx, state, Options{Requests: requests})
			done <- err
		}()
		v, err := requests.Do(ctx, game.Column{Col: 3}, game.Remote)
		if err != nil || v.Game.String() != "4" {
			t.Errorf("%v after %q", err, v.Game.String())
		}
		if _, err := requests.Do(ctx, game.Start{Setup: match.Setup}, game.Remote); err != game.ErrUnderWay {
			t.Errorf("a second match: %v", err)
		}
		if v, err := requests.Do(ctx, game.Start{Setup: match.Setup, Force: true}, game.Remote); err != nil || v.Game.String() != "" {
			t.Errorf("forced: %v, after %q", err, v.Game.String())
		}
		if v, err := requests.Do(ctx, game.End{}, game.Remote); err != nil || v.Phase != game.Over {
			t.Errorf("the end: %v, %v", err, v.Phase)
		}
		<-done
		late, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := requests.Do(late, game.Tick{}, game.Remote); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("nobody there: %v", err)
		}
		cancel()
	})
}

// A save is answered when it is synced, and the next is written meanwhile: on a disk that
// takes its time over both, none waits for the folder of the one before.
func TestSaverAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{slow: time.Second}
		s := NewSaver(d, slog.New(slog.DiscardHandler))
		began := time.Now()
		s.Save(save(t, "a", "1"))
		sleep(time.Second)
		s.Save(save(t, "a", "121"))
		if id := <-s.Saved(); id != 2 || time.Since(began) != 2*time.Second {
			t.Errorf("%d is answered after %v", id, time.Since(began))
		}
		synctest.Wait()
		if want := "save a  121"; d.last() != want {
			t.Errorf("kept %q", d.kept)
		}
		if id := <-s.Saved(); id != 4 || time.Since(began) != 3*time.Second {
			t.Errorf("%d is answered after %v", id, time.Since(began))
		}
		d.fail(errors.New("full"))
		s.Save(save(t, "a", "1212"))
		if id := <-s.Saved(); id != 5 { // play goes on
			t.Errorf("%d is answered", id)
		}
		s.Close(time.Minute)
	})
}

// Whenever the program is killed, every disc that has landed is kept, be the disk as slow
// as a turn waits for it. A slower one is waited for one second a disc, and it is said
// once.
func TestLandedDiscsAreKept(t *testing.T) {
	for _, slow := range []time.Duration{0, 100 * time.Millisecond, 300 * time.Millisecond, 900 * time.Millisecond, 5 * time.Second} {
		t.Run(slow.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				state, err := game.New(game.Config{Setup: match.Setup, Run: "x", Keeps: true}, time.Now())
				if err != nil {
					t.Fatal(err)
				}
				var log bytes.Buffer
				d := &disk{slow: slow}
				saver := NewSaver(d, slog.New(slog.NewTextHandler(&log, nil)))
				requests := make(Requests)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					_, _ = Run(ctx, state, Options{Requests: requests, Save: saver.Save, Finish: saver.Finish, Saved: saver.Saved()})
				}()
				moves, began := "112233121", time.Now()
				for played := ""; ; sleep(10 * time.Millisecond) {
					v, err := requests.Do(ctx, game.Tick{}, 0)
					if err != nil {
						t.Fatal(err)
					}
					if v.Phase != game.Aim {
						continue
					}
					if slow < time.Second && played != "" && d.last() != "save x-1  "+played {
						t.Errorf("%s is played, kept is %q", played, d.last())
						break
					}
					if played == moves {
						break
					}
					played = moves[:len(played)+1]
					if _, err := requests.Do(ctx, game.Column{Col: int(played[len(played)-1] - '1')}, 0); err != nil {
						t.Fatal(err)
					}
				}
				took := time.Since(began)
				if most := time.Duration(len(moves)) * 1300 * time.Millisecond; took > most {
					t.Errorf("the discs took %v, want %v at most", took, most)
				}
				if slow == 0 && took > 2500*time.Millisecond {
					t.Errorf("a quick disk takes %v of the game", took)
				}
				if n := strings.Count(log.String(), "the disk is slow"); n > 1 || n == 0 && slow > time.Second || n > 0 && slow < 500*time.Millisecond {
					t.Errorf("%d times: %s", n, log.String())
				}
				cancel()
				<-ended
				saver.Close(time.Minute)
			})
		})
	}
}

// Whoever ends matches quicker than the disk takes them waits, for a while; nothing is
// lost, and little is in memory.
func TestSaverHasRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{slow: 100 * time.Millisecond}
		s := NewSaver(d, slog.New(slog.DiscardHandler))
		began := time.Now()
		const matches = 100
		for i := range matches {
			if err := s.Room(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.Finish(record(t, fmt.Sprint(i), "1"), true)
			s.Save(save(t, fmt.Sprint(i+1), ""))
			s.mu.Lock()
			if n := len(s.over) + s.keeping; n > manyOver {
				t.Errorf("%d wait", n)
			}
			s.mu.Unlock()
		}
		last := time.Now()
		s.Save(save(t, "honest", "123"))
		for d.last() != "save honest  123" {
			sleep(time.Millisecond)
		}
		if after := time.Since(last); after > time.Second {
			t.Errorf("%v until a match is kept that begins then, %v after the first", after, time.Since(began))
		}
		if n := strings.Count(strings.Join(d.kept, "\n"), "abandoned"); n != matches {
			t.Errorf("%d matches are over", n)
		}
		s.Close(time.Hour)

		s = NewSaver(&disk{slow: time.Hour}, slog.New(slog.DiscardHandler)) // it hangs
		for i := range mostOver + 20 {
			if i < manyOver {
				if err := s.Room(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			s.Finish(record(t, fmt.Sprint("late-", i), "1"), true)
			synctest.Wait()
		}
		if n := len(s.over); n != mostOver {
			t.Errorf("%d wait", n)
		}
		began = time.Now()
		if err := s.Room(t.Context()); err != game.ErrBusy || time.Since(began) != roomTime {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		s.Close(10000 * time.Hour)
	})
}

func (d *disk) last() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.kept[len(d.kept)-1]
}

// A match that takes the place of another is written beside that one's end, and kept
// after it.
func TestSaverFinishesAndSaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{slow: time.Second}
		s := NewSaver(d, slog.New(slog.DiscardHandler))
		sleep(2 * time.Second)
		began := time.Now()
		s.Finish(record(t, "a", "12"), true)
		s.Save(save(t, "b", "1"))
		for d.many() < 2 {
			sleep(10 * time.Millisecond)
		}
		if want := []string{"abandoned a  12", "save b  1"}; !slices.Equal(d.kept, want) || time.Since(began) > 1100*time.Millisecond {
			t.Errorf("kept %q after %v", d.kept, time.Since(began))
		}
		s.Close(time.Minute)
	})
}

func (d *disk) many() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.kept)
}
