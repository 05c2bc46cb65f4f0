package store

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/session"
)

// slowDisk returns a disk on which a sync takes some time. The folder is there.
func slowDisk(t *testing.T, slow time.Duration) *fakeDisk {
	t.Helper()
	d := newFakeDisk()
	must(t, d.mkdirAll(dir))
	must(t, syncDir(d, "/"))
	must(t, syncDir(d, "/var"))
	d.slow = slow
	return d
}

func saverOn(t *testing.T, d *fakeDisk, log *slog.Logger) *Saver {
	t.Helper()
	s, err := openSaver(t.Context(), &folder{dir: dir, log: log, disk: d})
	must(t, err)
	return s
}

// found says in a few words what the next program finds after this one was killed now.
func found(d *fakeDisk) string {
	d = d.clone()
	d.slow = 0
	_, st := begin(d)
	return st.String()
}

func record(t testing.TB, id, moves string) match.Record {
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
// Close loses nothing unless the disk takes too long.
func TestSaver(t *testing.T) {
	for _, slow := range []time.Duration{0, 100 * time.Millisecond, 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			d := slowDisk(t, slow)
			s := saverOn(t, d, quiet)
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
			if closed := s.Close(); closed != (slow < time.Second) {
				t.Errorf("on a disk of %v, closed is %v", slow, closed)
			}
			<-s.done
			for left := range d.cut() {
				if got, want := found(left), "match c[56], a[1212121], b[44]"; got != want {
					t.Errorf("saved are %s, want %s", got, want)
				}
			}
		})
	}
}

// While the disk is full, one warning is logged, and the last save is tried again each second, until it is saved.
func TestTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, lines := logged()
		d := slowDisk(t, 0)
		full := func(is bool) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.fault = nil; is {
				d.fault = func(string) error { return syscall.ENOSPC }
			}
		}
		s := saverOn(t, d, log)
		for range 2 {
			full(true)
			s.Save(save(t, "a", "1"))
			s.Finish(record(t, "b", "12"), true)
			s.Save(save(t, "c", "12"))
			synctest.Wait()
			if a := <-s.Saved(); a != (game.Saved{ID: 3, Failed: true}) {
				t.Errorf("on a full disk, %v", a)
			}
			time.Sleep(time.Hour)
			full(false)
			<-s.Saved() // of the last attempt
			began := time.Now()
			if a := <-s.Saved(); a != (game.Saved{ID: 3}) || time.Since(began) > time.Second || found(d) != "match c[12], b[12]" {
				t.Errorf("%v, %s, after %v", a, found(d), time.Since(began))
			}
		}
		full(true)
		s.Save(save(t, "c", "1212"))
		if s.Close() {
			t.Error("a full disk has saved everything")
		}
		if warned, again := strings.Count(lines.String(), "WARN"), strings.Count(lines.String(), "INFO"); warned != 3 || again != 2 {
			t.Errorf("%d warnings, and saved again %d times:\n%s", warned, again, lines)
		}
	})
}

// From a read-only disk a match resumes.
func TestReadOnly(t *testing.T) {
	d := slowDisk(t, 0)
	p, _ := begin(d)
	must(t, p.flush(record(t, "a", "1")))
	d = d.clone()
	d.fault = func(op string) error {
		if op == "open" || op == "read" {
			return nil
		}
		return syscall.EROFS
	}
	if p, _ = begin(d); p.left != record(t, "a", "1") || !errors.Is(p.unsaved, syscall.EROFS) {
		t.Errorf("%v resumes, %v", p.left, p.unsaved)
	}
}

// Whenever the program is killed, every disc that has landed is saved, as long as the disk answers
// within the second that a turn waits for it. On a slower disk the game waits one second per disc,
// and one warning is logged.
func TestSaveLandedDiscs(t *testing.T) {
	for _, slow := range []time.Duration{0, 100 * time.Millisecond, 300 * time.Millisecond, 900 * time.Millisecond, 5 * time.Second} {
		t.Run(slow.String(), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { saveLanded(t, slow) }) })
	}
}

func saveLanded(t *testing.T, slow time.Duration) {
	log, lines := logged()
	d := slowDisk(t, 0)
	saver := saverOn(t, d, log)
	d.setSlow(slow)
	if slow == 900*time.Millisecond {
		d.setSlow(0) // the first disc starts the file, with two syncs: longer than a turn waits
	}
	ctx, cancel := context.WithCancel(t.Context())
	config := game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Run: "x", Keeps: true}
	state, err := game.New(config, time.Now())
	must(t, err)
	l := session.New(state, session.Options{Keeper: saver})
	here := l.As(game.Source{})
	_, stop := l.Start(ctx)
	const second = 300 * time.Millisecond
	moves, began := "112233121", time.Now()
	for played := ""; ; time.Sleep(10 * time.Millisecond) {
		v, err := here.Do(ctx, game.Tick{})
		must(t, err)
		if v.Phase != game.Aim {
			continue
		}
		if got := found(d); slow < time.Second && played != "" && got != "match x-1["+played+"]" {
			t.Errorf("%s is played, and there is %s", played, got)
			break
		}
		if played != "" {
			d.setSlow(slow)
		}
		if played == moves {
			break
		}
		played = moves[:len(played)+1]
		time.Sleep(second) // sooner, it may be a second tap
		_, err = here.Do(ctx, game.Column{Col: int(played[len(played)-1] - '1')})
		must(t, err)
	}
	took := time.Since(began) - time.Duration(len(moves))*second
	t.Logf("a disc takes %v on average", took/time.Duration(len(moves)))
	if most := time.Duration(len(moves)) * 1300 * time.Millisecond; took > most || slow == 0 && took > 2500*time.Millisecond {
		t.Errorf("the discs took %v", took)
	}
	if n := strings.Count(lines.String(), "the disk is slow"); n > 1 || n == 0 && slow > time.Second || n > 0 && slow < 900*time.Millisecond {
		t.Errorf("%d times: %s", n, lines)
	}
	cancel()
	_, _ = stop()
	saver.Close()
	<-saver.done
}

// stuckDisk hangs whatever is asked of it.
type stuckDisk struct{ *fakeDisk }

func (stuckDisk) open(string, int) (file, error) {
	time.Sleep(time.Hour)
	return nil, io.EOF
}

func TestOpenSaverStuckDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
		defer cancel()
		_, err := openSaver(ctx, &folder{dir: dir, log: quiet, disk: stuckDisk{newFakeDisk()}})
		if err == nil || err.Error() != "enough" {
			t.Error(err)
		}
		time.Sleep(100 * time.Hour)
	})
}

// If two programs use one folder, only the first one's running match is saved. Both enter what is over.
func TestTwoPrograms(t *testing.T) {
	dir := t.TempDir()
	var savers []*Saver
	for i, id := range []string{"one", "two"} {
		s, err := OpenSaver(t.Context(), dir, quiet)
		must(t, err)
		s.Save(save(t, id, "1"))
		if a := <-s.Saved(); a.Failed != (i == 1) || errors.Is(s.Unsaved, ErrOpen) != a.Failed {
			t.Errorf("%s: %v, %v", id, a, s.Unsaved)
		}
		s.Finish(record(t, id+"-before", "12"), true)
		savers = append(savers, s)
	}
	for i, s := range savers {
		if kept := s.Close(); kept != (i == 0) {
			t.Errorf("match %d is kept: %v", i+1, kept)
		}
	}
	p := start(osDisk{}, dir, quiet)
	if st := p.look(); st.running.ID != "one" || len(st.history) != 2 {
		t.Error(st)
	}
}

// Without a folder, a game runs and nothing is saved.
func TestNowhere(t *testing.T) {
	s, err := OpenSaver(t.Context(), "", quiet)
	must(t, err)
	s.Finish(record(t, "a", "1212121"), false)
	s.Save(save(t, "b", "1"))
	if a := <-s.Saved(); a != (game.Saved{ID: 2, Failed: true}) {
		t.Errorf("%v is answered", a)
	}
	for e := range s.Matches(0) {
		t.Errorf("%v is over", e.ID)
	}
	if s.Close() {
		t.Error("something is saved")
	}
}

// The menu starts at the level that was last played, even if two people have played since.
func TestLastLevel(t *testing.T) {
	d := slowDisk(t, 0)
	s := saverOn(t, d, quiet)
	for i, level := range []match.Level{match.Hard, match.Easy, 0} {
		r := record(t, strconv.Itoa(i), "1212121")
		if r.Level = level; level > 0 {
			r.Computer = board.Yellow
		}
		s.Finish(r, true)
	}
	s.Close()
	s = saverOn(t, d, quiet)
	defer s.Close()
	if c := s.Config(game.Config{}); c.LastLevel != match.Easy || c.Last.ID != "2" {
		t.Errorf("the last level is %v, the last match %q", c.LastLevel, c.Last.ID)
	}
	s.Left.Level = match.Novice
	if c := s.Config(game.Config{}); c.LastLevel != match.Novice {
		t.Errorf("a match at level novice waits, and the last level is %v", c.LastLevel)
	}
}
