package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
)

// slowDisk is a keeper whose calls take some time.
type slowDisk struct {
	keeper
	slow time.Duration

	mu            sync.Mutex
	kept          []string
	begun, latest int // saves
	over          string
	err           error
}

// Sync takes as long as a save, because both sync one file or folder.
func (d *slowDisk) Sync() error {
	time.Sleep(d.slow)
	return nil
}

func (d *slowDisk) keep(what string, r game.Record) error {
	time.Sleep(d.slow)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.enter(what, r)
}

func (d *slowDisk) enter(what string, r game.Record) error {
	if d.err == nil {
		d.kept = append(d.kept, fmt.Sprintf("%s %s %s %s", what, r.ID, strings.Join(r.Match.Games(), ","), r.Game.String()))
	}
	return d.err
}

// Begin begins a save. A save that a later one overtakes saves nothing.
func (d *slowDisk) Begin(r game.Record, after <-chan struct{}) func() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun++
	turn := d.begun
	return func() error {
		time.Sleep(d.slow)
		<-after
		d.mu.Lock()
		defer d.mu.Unlock()
		if turn < d.latest || r.ID == d.over {
			return nil
		}
		d.latest = turn
		return d.enter("save", r)
	}
}

func (d *slowDisk) Finish(r game.Record, abandoned bool) error {
	d.mu.Lock()
	d.over = r.ID
	d.mu.Unlock()
	if abandoned {
		return d.keep("abandoned", r)
	}
	return d.keep("over", r)
}

func (d *slowDisk) fail(err error) {
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

// save returns a save of a match after some moves. Its ID is one more than the number of moves.
func save(t *testing.T, id, moves string) game.Save {
	t.Helper()
	return game.Save{ID: 1 + len(moves), Record: record(t, id, moves)}
}

// Finished matches and the latest state of the running match are saved in order. No call waits, and
// Close loses nothing.
func TestSaver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &slowDisk{slow: time.Second}
		s := newSaver(d, slog.New(slog.DiscardHandler))
		began := time.Now()
		s.Save(save(t, "a", "1"))
		synctest.Wait()
		s.Save(save(t, "a", "12"))
		synctest.Wait()
		s.Save(save(t, "a", "121"))
		synctest.Wait() // these are written at the same time
		s.Save(save(t, "a", "1212"))
		s.Save(save(t, "a", "12121"))
		s.Finish(record(t, "a", "1212121"), false)
		s.Save(save(t, "b", "4"))
		s.Finish(record(t, "b", "44"), true)
		s.Save(save(t, "c", "5"))
		s.Save(save(t, "c", "56"))
		if time.Since(began) != 0 {
			t.Errorf("it took %v", time.Since(began))
		}
		if s.wait(3 * time.Second) {
			t.Error("closed with unsaved matches")
		}
		if !s.wait(time.Hour) {
			t.Error("not closed")
		}
		d.kept = slices.DeleteFunc(d.kept, func(s string) bool { return strings.HasPrefix(s, "save a") }) // a later save may overtake these
		want := []string{"over a  1212121", "abandoned b  44", "save c  56"}
		if !slices.Equal(d.kept, want) {
			t.Errorf("kept %q, want %q", d.kept, want)
		}
	})
}

func TestSaverLogsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		d := new(slowDisk)
		s := newSaver(d, slog.New(slog.NewTextHandler(&log, nil)))
		for _, err := range []error{errors.New("full"), errors.New("full"), nil, nil, errors.New("gone")} {
			d.fail(err)
			s.Save(save(t, "a", ""))
			synctest.Wait()
		}
		s.wait(time.Second)
		if got := strings.Count(log.String(), "WARN"); got != 2 {
			t.Errorf("%d warnings:\n%s", got, log.String())
		}
		if got := strings.Count(log.String(), "INFO"); got != 1 { // wait logs nothing more
			t.Errorf("saved again %d times:\n%s", got, log.String())
		}
	})
}

// The saver receives every disc of a match, including the last one.
func TestSaveWholeMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(slowDisk)
		saver := newSaver(d, slog.New(slog.DiscardHandler))
		l, done := play(t, t.Context(), saver)
		synctest.Wait()
		for _, col := range []int{0, 1, 0, 1, 0, 1, 0} {
			if _, err := l.Do(t.Context(), game.Column{Col: col}, game.Source{}); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
		<-done
		saver.wait(time.Second)
		want := []string{"save x-1  ", "save x-1  1", "save x-1  12", "save x-1  121", "save x-1  1212",
			"save x-1  12121", "save x-1  121212", "save x-1  1212121", "over x-1  1212121"}
		if !slices.Equal(d.kept, want) {
			t.Errorf("kept %q, want %q", d.kept, want)
		}
	})
}

// play plays a match to one point. The channel is closed when the match is over.
func play(t *testing.T, ctx context.Context, saver *Saver) (*session.Local, <-chan struct{}) {
	t.Helper()
	config := game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Run: "x", Keeps: true}
	state, err := game.New(config, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	l, done := session.New(state, session.Options{Keeper: saver}), make(chan struct{})
	go func() {
		defer close(done)
		_, _ = l.Run(ctx)
	}()
	return l, done
}

// A save is answered once it has been synced. The next save is written before that, so on a slow
// disk no save waits until the previous one has synced the folder.
func TestSaverAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &slowDisk{slow: time.Second}
		s := newSaver(d, slog.New(slog.DiscardHandler))
		began := time.Now()
		s.Save(save(t, "a", "1"))
		time.Sleep(time.Second)
		s.Save(save(t, "a", "121"))
		if a := <-s.Saved(); a != (game.Saved{ID: 2}) || time.Since(began) != 2*time.Second {
			t.Errorf("%v is answered after %v", a, time.Since(began))
		}
		synctest.Wait()
		if want := "save a  121"; d.last() != want {
			t.Errorf("kept %q", d.kept)
		}
		if a := <-s.Saved(); a != (game.Saved{ID: 4}) || time.Since(began) != 3*time.Second {
			t.Errorf("%v is answered after %v", a, time.Since(began))
		}
		d.fail(errors.New("full"))
		s.Save(save(t, "a", "1212"))
		if a := <-s.Saved(); a != (game.Saved{ID: 5, Failed: true}) { // the game continues
			t.Errorf("%v is answered", a)
		}
		s.wait(time.Minute)
	})
}

// If a match ends before its last save begins, that save is answered too. Without an answer, discs
// would be shown as unsaved until the next match.
func TestSaverAnswersReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &slowDisk{slow: time.Minute}
		s := newSaver(d, slog.New(slog.DiscardHandler))
		const moves = "4444443333331"
		for i := range atOnce + 2 { // more than are written at the same time
			s.Save(save(t, "a", moves[:i]))
			synctest.Wait()
		}
		s.Finish(record(t, "a", moves), true)
		time.Sleep(2*d.slow - time.Second)
		select {
		case a := <-s.Saved():
			t.Errorf("%v is answered before it is saved", a)
		default:
		}
		time.Sleep(10 * d.slow)
		if a := <-s.Saved(); a != (game.Saved{ID: atOnce + 2}) {
			t.Errorf("%v is answered", a)
		}
		s.wait(time.Hour)
	})
}

// Whenever the program is killed, every disc that has landed is saved, as long as the disk answers
// within the second that a turn waits for it. On a slower disk the game waits one second per disc,
// and one warning is logged.
func TestSaveLandedDiscs(t *testing.T) {
	for _, slow := range []time.Duration{0, 100 * time.Millisecond, 300 * time.Millisecond, 900 * time.Millisecond, 5 * time.Second} {
		t.Run(slow.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				d := &slowDisk{slow: slow}
				saver := newSaver(d, slog.New(slog.NewTextHandler(&log, nil)))
				ctx, cancel := context.WithCancel(t.Context())
				l, ended := play(t, ctx, saver)
				moves, began := "112233121", time.Now()
				for played := ""; ; time.Sleep(10 * time.Millisecond) {
					v, err := l.Do(ctx, game.Tick{}, game.Source{})
					if err != nil {
						t.Fatal(err)
					}
					if v.Phase != game.Aim {
						continue
					}
					if slow < time.Second && played != "" && d.last() != "save x-1  "+played {
						t.Errorf("%s is played, %q is saved", played, d.last())
						break
					}
					if played == moves {
						break
					}
					played = moves[:len(played)+1]
					if _, err := l.Do(ctx, game.Column{Col: int(played[len(played)-1] - '1')}, game.Source{}); err != nil {
						t.Fatal(err)
					}
				}
				took := time.Since(began)
				if most := time.Duration(len(moves)) * 1300 * time.Millisecond; took > most {
					t.Errorf("the discs took %v, want %v at most", took, most)
				}
				if slow == 0 && took > 2500*time.Millisecond {
					t.Errorf("a quick disk delays the game by %v", took)
				}
				if n := strings.Count(log.String(), "the disk is slow"); n > 1 || n == 0 && slow > time.Second || n > 0 && slow < 500*time.Millisecond {
					t.Errorf("%d times: %s", n, log.String())
				}
				cancel()
				<-ended
				saver.wait(time.Minute)
			})
		})
	}
}

// A client that ends matches faster than the disk saves them has to wait. No match is lost, and
// only a few are kept in memory.
func TestSaverRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &slowDisk{slow: 100 * time.Millisecond}
		s := newSaver(d, slog.New(slog.DiscardHandler))
		began := time.Now()
		const matches = 100
		for i := range matches {
			if err := s.Room(t.Context(), game.End{}); err != nil {
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
			time.Sleep(time.Millisecond)
		}
		if after := time.Since(last); after > time.Second {
			t.Errorf("%v until a match that begins then is saved, %v after the first", after, time.Since(began))
		}
		if n := strings.Count(strings.Join(d.kept, "\n"), "abandoned"); n != matches {
			t.Errorf("%d matches are over", n)
		}
		s.wait(time.Hour)

		s = newSaver(&slowDisk{slow: time.Hour}, slog.New(slog.DiscardHandler)) // the disk hangs
		for i := range maxLate + 20 {
			if i < manyOver {
				if err := s.Room(t.Context(), game.End{}); err != nil {
					t.Fatal(err)
				}
			}
			s.Finish(record(t, fmt.Sprint("late-", i), "1"), true)
			synctest.Wait()
		}
		if n := len(s.over); n != maxLate {
			t.Errorf("%d wait", n)
		}
		began = time.Now()
		if err := s.Room(t.Context(), game.End{}); err != game.ErrBusy || time.Since(began) != roomTime {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		s.wait(10000 * time.Hour)
	})
}

func (d *slowDisk) last() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.kept[len(d.kept)-1]
}

func (d *slowDisk) many() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.kept)
}

// OpenSaver waits for a disk that hangs until the context is done.
func TestOpenSaverStuckDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := make(chan struct{})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
		defer cancel()
		_, err := openSaver(ctx, func() (*Store, error) {
			<-hangs
			return nil, io.EOF
		}, slog.New(slog.DiscardHandler))
		if err == nil || err.Error() != "enough" {
			t.Error(err)
		}
		close(hangs)
	})
}

// Only events that may end a match wait for room.
func TestRoomEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSaver(&slowDisk{slow: time.Hour}, slog.New(slog.DiscardHandler))
		for i := range manyOver {
			s.Finish(record(t, fmt.Sprint(i), "1"), true)
		}
		for _, ev := range []game.Event{game.Start{}, game.End{}, game.Tick{}, game.Column{}} {
			want := error(nil)
			switch ev.(type) {
			case game.Start, game.End:
				want = game.ErrBusy
			}
			if err := s.Room(t.Context(), ev); err != want {
				t.Errorf("%T: %v", ev, err)
			}
		}
		s.wait(100 * time.Hour)
	})
}

// A new match replaces the saved one when its first disc is dropped. That disc is written while the
// saved match is being finished, and takes effect after that.
func TestDisplace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &slowDisk{slow: time.Second}
		s := newSaver(d, slog.New(slog.DiscardHandler))
		s.Left = record(t, "old", "12")
		s.Displace()
		if s.Left.ID != "" {
			t.Error("there is still a match to resume")
		}
		s.Save(save(t, "new", ""))
		time.Sleep(2 * time.Second)
		if s.GaveUp() {
			t.Error("the match is given up before the first disc")
		}
		began := time.Now()
		s.Save(save(t, "new", "4"))
		if !s.GaveUp() {
			t.Error("the match is not given up with the first disc")
		}
		for d.many() < 2 {
			time.Sleep(10 * time.Millisecond)
		}
		if took := time.Since(began); took > 1100*time.Millisecond {
			t.Errorf("it is saved after %v", took)
		}
		s.Save(save(t, "new", "44"))
		s.wait(time.Minute)
		if want := []string{"abandoned old  12", "save new  4", "save new  44"}; !slices.Equal(d.kept, want) {
			t.Errorf("kept %q, want %q", d.kept, want)
		}
	})
}

// If two programs use one folder, only the first one's running match is saved.
func TestKeptElsewhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks here")
	}
	dir := t.TempDir()
	var savers []*Saver
	for i, id := range []string{"one", "two"} {
		s, err := OpenSaver(t.Context(), dir, quiet)
		if err != nil {
			t.Fatal(err)
		}
		s.Save(save(t, id, "1"))
		if a := <-s.Saved(); a.Failed || s.HeldElsewhere != (i == 1) {
			t.Errorf("%s: %v, held elsewhere: %v", id, a, s.HeldElsewhere)
		}
		savers = append(savers, s)
	}
	for i, s := range savers {
		if kept := s.Close(); kept != (i == 0) {
			t.Errorf("match %d is kept: %v", i+1, kept)
		}
	}
}

// Without a folder, a game runs and nothing is saved.
func TestNowhere(t *testing.T) {
	s, err := OpenSaver(t.Context(), "", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.Finish(record(t, "a", "1212121"), false)
	s.Save(save(t, "b", "1"))
	if a := <-s.Saved(); a != (game.Saved{ID: 2}) {
		t.Errorf("%v is answered", a)
	}
	for e := range s.Matches(0) {
		t.Errorf("%v is over", e.ID)
	}
	if s.Close() {
		t.Error("something is saved")
	}
}

// If a match cannot be entered into the history, the saves that wait for it fail. Later saves do
// not fail, but try to enter it again.
func TestSaverAfterFailedFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &slowDisk{slow: time.Second}
		s := newSaver(d, slog.New(slog.DiscardHandler))
		d.fail(errors.New("full"))
		s.Finish(record(t, "a", "1212121"), false)
		s.Save(save(t, "b", ""))
		if a := <-s.Saved(); a != (game.Saved{ID: 1, Failed: true}) {
			t.Errorf("%v is answered", a)
		}
		d.fail(nil)
		s.Save(save(t, "b", "4"))
		if a := <-s.Saved(); a != (game.Saved{ID: 2}) {
			t.Errorf("then %v is answered", a)
		}
		s.wait(time.Minute)
	})
}
