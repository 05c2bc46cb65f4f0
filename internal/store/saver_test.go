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
)

// saverOn returns a saver on a disk of which a sync takes some time, once the folder is there.
func saverOn(t *testing.T, log *slog.Logger, slow time.Duration) (*fakeDisk, *Saver) {
	t.Helper()
	d := newFakeDisk()
	played(t, d, dir, nil)
	s, err := openSaver(t.Context(), &folder{dir: dir, log: log, disk: d})
	must(t, err)
	d.slow = slow // the saver waits for its first match
	return d, s
}

// found says in a few words what the next program finds after this one was killed now.
func found(d *fakeDisk) string {
	_, st := begin(d.clone())
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

// Finished matches and the latest state of the running match are saved in order. No call waits, Close loses nothing
// unless the disk takes too long, and that is said once.
func TestSaver(t *testing.T) {
	for _, slow := range []time.Duration{0, 100 * time.Millisecond, 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			log, lines := logged()
			d, s := saverOn(t, log, slow)
			began := time.Now()
			for _, moves := range []string{"1", "12", "121", "1212", "12121"} {
				s.Save(save(t, "a", moves))
				synctest.Wait()
			}
			s.Finish(record(t, "a", "1212121"))
			s.Save(save(t, "b", "4"))
			s.Finish(record(t, "b", "44"))
			s.Save(save(t, "c", "5"))
			s.Save(save(t, "c", "56"))
			want := "match c[56], a[1212121], b[44]"
			if slow > time.Second { // what is over is not saved after it, and without a disc it is only forgotten
				s.Save(save(t, "d", ""))
				s.Finish(record(t, "d", ""))
				want = "no match, a[1212121], b[44]"
			}
			if time.Since(began) != 0 {
				t.Errorf("it took %v", time.Since(began))
			}
			if closed := s.Close(); closed != (slow < time.Second) {
				t.Errorf("on a disk of %v, closed is %v", slow, closed)
			}
			<-s.done
			for left := range d.cut() {
				if got := found(left); got != want {
					t.Errorf("saved are %s, want %s", got, want)
				}
			}
			if n := strings.Count(lines.String(), "the disk is slow"); (n == 1) != (slow > time.Second) || n > 1 {
				t.Errorf("on a disk of %v, logged is %s", slow, lines)
			}
		})
	}
}

// While the disk is full, one warning is logged, and the last save is tried again each second, until it is saved.
func TestTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, lines := logged()
		d, s := saverOn(t, log, 0)
		full := func(err error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.fault = func(string) error { return err }
		}
		for range 2 {
			full(syscall.ENOSPC)
			s.Save(save(t, "a", "1"))
			s.Finish(record(t, "b", "12"))
			s.Save(save(t, "c", "12"))
			synctest.Wait()
			if a := <-s.Saved(); a != (game.Saved{ID: 3, Failed: true}) {
				t.Errorf("on a full disk, %v", a)
			}
			time.Sleep(time.Hour)
			full(nil)
			<-s.Saved() // of the last attempt
			began := time.Now()
			if a := <-s.Saved(); a != (game.Saved{ID: 3}) || time.Since(began) > time.Second || found(d) != "match c[12], b[12]" {
				t.Errorf("%v, %s, after %v", a, found(d), time.Since(began))
			}
		}
		full(syscall.ENOSPC)
		s.Save(save(t, "c", "1212"))
		if s.Close() {
			t.Error("a full disk has saved everything")
		}
		if warned, again := strings.Count(lines.String(), "WARN"), strings.Count(lines.String(), "INFO"); warned != 3 || again != 2 {
			t.Errorf("%d warnings, and saved again %d times:\n%s", warned, again, lines)
		}
	})
}

// stuckDisk hangs whatever is asked of it.
type stuckDisk struct{ *fakeDisk }

func (stuckDisk) read(string, int64) ([]byte, int64, error) {
	time.Sleep(time.Hour)
	return nil, 0, io.EOF
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

// If two programs use one folder, only the first one's running match is saved. Both enter what is over. Without a
// folder nothing is saved.
func TestTwoPrograms(t *testing.T) {
	dir := t.TempDir()
	var savers []*Saver
	for i, dir := range []string{dir, dir, ""} {
		s, err := OpenSaver(t.Context(), dir, quiet)
		must(t, err)
		id := strconv.Itoa(i)
		s.Save(save(t, id, "1"))
		if a := <-s.Saved(); a.Failed != (i > 0) || errors.Is(s.Unsaved, ErrOpen) != (i == 1) {
			t.Errorf("%d: %v, %v", i, a, s.Unsaved)
		}
		s.Finish(record(t, id+"-before", "12"))
		savers = append(savers, s)
	}
	for i, s := range savers {
		if kept := s.Close(); kept != (i == 0) || s.Close() != kept {
			t.Errorf("match %d is kept: %v", i, kept)
		}
	}
	if st := start(osDisk{}, dir, quiet).look(); st.running.ID != "0" || len(st.history) != 2 {
		t.Error(st)
	}
}

// The menu starts at the level that was last played, even if two people have played since.
func TestLastLevel(t *testing.T) {
	_, s := saverOn(t, quiet, 0)
	defer s.Close()
	for i, level := range []match.Level{match.Hard, match.Easy, 0} {
		r := record(t, strconv.Itoa(i), "1212121")
		if r.Level = level; level > 0 {
			r.Computer = board.Yellow
		}
		s.Finish(r)
	}
	s.Save(save(t, "left", "1"))
	for a := (game.Saved{}); a.ID == 0; a = <-s.Saved() {
	}
	if c := s.Config(game.Config{}); c.LastLevel != match.Easy || c.Last.ID != "2" {
		t.Errorf("the last level is %v, the last match %q", c.LastLevel, c.Last.ID)
	}
	s.Left.Level = match.Novice
	if c := s.Config(game.Config{}); c.LastLevel != match.Novice {
		t.Errorf("a match at level novice waits, and the last level is %v", c.LastLevel)
	}
}
