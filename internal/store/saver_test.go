package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/session"
)

// slowDisk returns a disk in memory on which a sync takes some time. The folder is there.
func slowDisk(t *testing.T, slow time.Duration) *fakeDisk {
	t.Helper()
	d := newFakeDisk()
	must(t, d.mkdirAll(dir))
	must(t, d.syncDir("/"))
	must(t, d.syncDir("/var"))
	d.slow = slow
	return d
}

func saverOn(t *testing.T, d *fakeDisk, log io.Writer) *Saver {
	t.Helper()
	l := slog.New(slog.NewTextHandler(log, nil))
	s, err := openSaver(t.Context(), func() (*folder, error) { return open(dir, l, d, noon) }, l)
	must(t, err)
	return s
}

// found says in a few words what the next program finds after this one was killed now.
func found(d *fakeDisk) string {
	d = d.clone()
	d.slow = 0
	_, st := start(d)
	return st.String()
}

func record(t *testing.T, id, moves string) match.Record {
	t.Helper()
	m, g, err := board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{moves})
	must(t, err)
	return match.Record{ID: id, Match: m, Game: g}
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
		d := slowDisk(t, time.Second)
		s := saverOn(t, d, io.Discard)
		began := time.Now()
		for _, moves := range []string{"1", "12", "121", "1212", "12121"} {
			s.Save(save(t, "a", moves))
			synctest.Wait()
		}
		s.Finish(record(t, "a", "1212121"), true)
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
		for left := range d.cut() {
			if got, want := found(left), "match c[56], a[1212121] true, b[44] true"; got != want {
				t.Errorf("saved are %s, want %s", got, want)
			}
		}
	})
}

func TestSaverLogsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		d := slowDisk(t, 0)
		s := saverOn(t, d, &log)
		synctest.Wait()
		for i, err := range []error{syscall.ENOSPC, syscall.ENOSPC, nil, nil, syscall.EROFS} {
			d.fault = func(string) error { return err }
			s.Save(save(t, "a", "12121"[:i]))
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

// A disk that has answered in time is not called slow, however long a player thinks then.
func TestSlowIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := saverOn(t, slowDisk(t, 100*time.Millisecond), &log)
		s.Save(save(t, "a", "4"))
		time.Sleep(time.Minute)
		if s.wait(time.Second); log.Len() > 0 {
			t.Error(log.String())
		}
	})
}

// play plays a match to one point. The channel is closed when the match is over.
func play(t *testing.T, ctx context.Context, saver *Saver) (*session.Local, <-chan struct{}) {
	t.Helper()
	config := game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Run: "x", Keeps: true}
	state, err := game.New(config, time.Now())
	must(t, err)
	l, done := session.New(state, session.Options{Keeper: saver}), make(chan struct{})
	go func() {
		defer close(done)
		_, _ = l.Run(ctx)
	}()
	return l, done
}

// A save is answered once it has been synced. The next save is written before that, so it survives
// the end of the program.
func TestSaverAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := slowDisk(t, time.Second)
		s := saverOn(t, d, io.Discard)
		s.Save(save(t, "a", ""))
		if a := <-s.Saved(); a != (game.Saved{ID: 1}) {
			t.Errorf("%v is answered", a)
		}
		began := time.Now()
		s.Save(save(t, "a", "1"))
		time.Sleep(time.Second / 2)
		s.Save(save(t, "a", "121"))
		time.Sleep(time.Second/2 + 1)
		if got := found(d); got != "match a[121]" {
			t.Error("after the first sync there is", got)
		}
		if a := <-s.Saved(); a != (game.Saved{ID: 2}) {
			t.Errorf("%v is answered after the first sync", a)
		}
		if a := <-s.Saved(); a != (game.Saved{ID: 4}) || time.Since(began) != 2*time.Second {
			t.Errorf("%v is answered after %v", a, time.Since(began))
		}
		d.fault = func(string) error { return syscall.ENOSPC }
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
		d := slowDisk(t, time.Minute)
		s := saverOn(t, d, io.Discard)
		s.Save(save(t, "a", "4"))
		synctest.Wait() // this one is being written
		s.Save(save(t, "a", "44"))
		s.Finish(record(t, "a", "444"), true)
		if a := <-s.Saved(); a != (game.Saved{ID: 3}) || found(d) != "no match, a[444] true" {
			t.Errorf("%v is answered, and there is %s", a, found(d))
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
				d := slowDisk(t, slow)
				saver := saverOn(t, d, &log)
				ctx, cancel := context.WithCancel(t.Context())
				l, ended := play(t, ctx, saver)
				moves, began := "112233121", time.Now()
				for played := ""; ; time.Sleep(10 * time.Millisecond) {
					v, err := l.Do(ctx, game.Tick{}, game.Source{})
					must(t, err)
					if v.Phase != game.Aim {
						continue
					}
					if got := found(d); slow < time.Second && played != "" && got != "match x-1["+played+"]" {
						t.Errorf("%s is played, and there is %s", played, got)
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
				if n := strings.Count(log.String(), "the disk is slow"); n > 1 || n == 0 && slow > time.Second || n > 0 && slow < 300*time.Millisecond {
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
		d := slowDisk(t, 100*time.Millisecond)
		s := saverOn(t, d, io.Discard)
		const matches = 50
		for i := range matches {
			must(t, s.Room(t.Context(), game.End{}))
			s.Finish(record(t, fmt.Sprint(i), "1"), true)
			s.Save(save(t, fmt.Sprint(i+1), ""))
			s.mu.Lock()
			if n := len(s.todo.over) + s.keeping; n > manyOver {
				t.Errorf("%d wait", n)
			}
			s.mu.Unlock()
		}
		last := time.Now()
		s.Save(save(t, "honest", "123"))
		for !strings.HasPrefix(found(d), "match honest[123]") {
			time.Sleep(time.Millisecond)
		}
		if after := time.Since(last); after > time.Second {
			t.Errorf("%v until a match that begins then is saved", after)
		}
		if n := strings.Count(found(d), ","); n != matches {
			t.Errorf("%d matches are over", n)
		}
		s.wait(time.Hour)

		s = saverOn(t, slowDisk(t, time.Hour), io.Discard) // the disk hangs
		synctest.Wait()
		for i := range maxLate + 20 {
			if i < manyOver {
				must(t, s.Room(t.Context(), game.End{}))
			}
			s.Finish(record(t, fmt.Sprint("late-", i), "1"), true)
			synctest.Wait()
		}
		if n := len(s.todo.over); n != maxLate {
			t.Errorf("%d wait", n)
		}
		for _, ev := range []game.Event{game.Start{}, game.End{}, game.Tick{}, game.Column{}} {
			began, want, after := time.Now(), error(nil), time.Duration(0)
			switch ev.(type) {
			case game.Start, game.End:
				want, after = game.ErrBusy, roomTime
			}
			if err := s.Room(t.Context(), ev); err != want || time.Since(began) != after {
				t.Errorf("%T: %v after %v", ev, err, time.Since(began))
			}
		}
		s.wait(10000 * time.Hour)
	})
}

// OpenSaver waits for a disk that hangs until the context is done.
func TestOpenSaverStuckDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := make(chan struct{})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
		defer cancel()
		_, err := openSaver(ctx, func() (*folder, error) {
			<-hangs
			return nil, io.EOF
		}, quiet)
		if err == nil || err.Error() != "enough" {
			t.Error(err)
		}
		close(hangs)
	})
}

// A match that waited is given up with the first disc of a new one. That disc is written while the
// other match enters the history, so it is saved before a second has passed, also if it lands later.
func TestGivenUpForAnother(t *testing.T) {
	for _, later := range []time.Duration{0, 300 * time.Millisecond, 800 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			d := slowDisk(t, 0)
			before, _ := start(d)
			must(t, before.finish(record(t, "older", "1"), true)) // the history is not new
			must(t, before.put(record(t, "old", "12")))
			must(t, before.close())
			d.slow = 900 * time.Millisecond
			s := saverOn(t, d, io.Discard)
			s.Finish(s.Left, true)
			synctest.Wait()
			time.Sleep(later)
			s.Save(save(t, "new", "4"))
			time.Sleep(time.Second)
			if got := found(d); got != "match new[4], older[1] true, old[12] true" {
				t.Errorf("a second after a first disc %v later there is %s", later, got)
			}
			s.Save(save(t, "new", "44"))
			s.wait(time.Minute)
			if got := found(d); got != "match new[44], older[1] true, old[12] true" {
				t.Error("in the end there is", got)
			}
		})
	}
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
		must(t, err)
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
	s, err := OpenSaver(t.Context(), "", quiet)
	must(t, err)
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

// If a match cannot be entered into the history, the save after it fails, and does not replace that
// match. A later save tries again.
func TestSaverAfterFailedFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := slowDisk(t, time.Second)
		s := saverOn(t, d, io.Discard)
		s.Save(save(t, "a", "12"))
		<-s.Saved()
		d.fault = func(op string) error {
			if op == "stat" { // only the history is asked for its size
				return syscall.EIO
			}
			return nil
		}
		s.Finish(record(t, "a", "12"), true)
		s.Save(save(t, "b", ""))
		if a := <-s.Saved(); a != (game.Saved{ID: 1, Failed: true}) {
			t.Errorf("%v is answered", a)
		}
		d.fault = nil
		if got := found(d); got != "match a[12]" {
			t.Error("there is", got)
		}
		s.Save(save(t, "b", "4"))
		if a := <-s.Saved(); a != (game.Saved{ID: 2}) || found(d) != "match b[4], a[12] true" {
			t.Errorf("then %v is answered, and there is %s", a, found(d))
		}
		s.wait(time.Minute)
	})
}

// The menu starts at the level that was last played, even if two people have played since.
func TestLastLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := slowDisk(t, 0)
		s := saverOn(t, d, io.Discard)
		for i, level := range []levels.Level{levels.Hard, levels.Easy, 0} {
			r := record(t, strconv.Itoa(i), "1212121")
			if r.Level = level; level > 0 {
				r.Computer = board.Yellow
			}
			s.Finish(r, true)
		}
		s.Close()
		s = saverOn(t, d, io.Discard)
		defer s.Close()
		if c := s.Config(game.Config{}); c.LastLevel != levels.Easy || c.Last.ID != "2" {
			t.Errorf("the last level is %v, the last match %q", c.LastLevel, c.Last.ID)
		}
		s.Left.Level = levels.Novice
		if c := s.Config(game.Config{}); c.LastLevel != levels.Novice {
			t.Errorf("a match at level novice waits, and the last level is %v", c.LastLevel)
		}
	})
}
