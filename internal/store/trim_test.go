package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

// trimmed is what a folder knows of finished matches: the totals of those that were dropped, and
// all the others.
type trimmed struct {
	dropped match.Totals
	kept    []match.Finished
}

func readTrimmed(t *testing.T, d disk, dir string) (h trimmed) {
	t.Helper()
	h.dropped = dropped(d, dir)
	for e, err := range history(d, dir, 0) {
		if errors.As(err, new(match.Damage)) {
			continue // a line whose end the power cut
		}
		must(t, err)
		h.kept = append(h.kept, e)
	}
	return h
}

// check compares a history with the matches that were finished. Up to lost of the last ones may be
// missing.
func (h trimmed) check(t *testing.T, all []match.Finished, lost int) {
	t.Helper()
	n := h.dropped.Matches + len(h.kept)
	if n > len(all) || n < len(all)-lost {
		t.Fatalf("%d matches are counted and %d are kept, of %d", h.dropped.Matches, len(h.kept), len(all))
	}
	var want match.Totals
	for _, e := range all[:h.dropped.Matches] {
		want.Add(e)
	}
	if fmt.Sprint(h.dropped) != fmt.Sprint(want) {
		t.Fatalf("dropped %+v, want %+v", h.dropped, want)
	}
	if !slices.Equal(h.kept, all[h.dropped.Matches:n]) {
		t.Fatalf("kept %v, want %v", h.kept, all[h.dropped.Matches:n])
	}
}

// matches returns finished matches of several kinds.
func matches(t *testing.T, n int) (steps script, all []match.Finished) {
	var s script
	for i := range n {
		kind := []match.Record{{}, {Computer: board.Yellow, Level: 2}, {Computer: board.Red, Level: 4}}[i%3]
		kind.ID = fmt.Sprintf("m-%d", i)
		s.play(t, kind, fourByFour, 1, board.FirstRed, 0, []string{"1213141", "1213142434", "12"}[i/3%3])
	}
	for _, step := range s {
		if step.finish {
			steps = append(steps, step)
			all = append(all, match.Finished{Record: step.match, Abandoned: step.abandoned, Ended: noon()})
		}
	}
	return steps, all
}

// The history stays short, and every result is counted. Whenever the power is cut, at most the
// match being entered is lost.
func TestTrim(t *testing.T) {
	steps, all := matches(t, 30)
	d := newFakeDisk()
	s, _ := start(d)
	s.limit = 2500
	trims, cuts := 0, 0
	for i, step := range steps {
		d.after = func(op string) {
			readTrimmed(t, d.clone(), dir).check(t, all[:i+1], 1)
			for left := range d.cut() {
				cuts++
				readTrimmed(t, left, dir).check(t, all[:i+1], 1)
			}
			if op == "rename" {
				trims++
			}
		}
		must(t, step.call(s))
		d.after = nil
		readTrimmed(t, d, dir).check(t, all[:i+1], 0)
		for left := range d.cut() {
			readTrimmed(t, left, dir).check(t, all[:i+1], 0)
		}
		if size := len(d.names[dir+"/"+historyName].now); int64(size) > s.limit {
			t.Errorf("%d bytes after %d matches", size, i+1)
		}
	}
	if trims < 2 {
		t.Errorf("trimmed %d times", trims)
	}
	t.Logf("%d cuts", cuts)
	if got := slices.Collect(s.matches(2)); len(got) != 2 || got[1].ID != "m-29" {
		t.Errorf("the last matches are %v", got)
	}
}

// If the history cannot be shortened, nothing is lost, and it is shortened later.
func TestTrimFails(t *testing.T) {
	steps, all := matches(t, 30)
	for _, failing := range []string{"rename", "short write", "syncDir"} {
		d := newFakeDisk()
		s, _ := start(d)
		s.limit = 2500
		for i, step := range steps {
			d.fault = nil
			if i%4 != 3 && i > 0 { // the first one creates the file
				d.fault = func(op string) error {
					if op == failing && d.has(dir+"/"+newHistoryName) || op == failing && failing == "rename" {
						return errBusy
					}
					return nil
				}
			}
			_ = step.call(s)
			d.fault = nil
			readTrimmed(t, d, dir).check(t, all[:i+1], 1)
		}
		must(t, s.close())
		readTrimmed(t, d, dir).check(t, all, 0)
		if d.has(dir + "/" + newHistoryName) {
			t.Errorf("%s: the file is left behind", failing)
		}
	}
}

// Nothing is lost if two programs enter matches into one history and both shorten it.
func TestTrimTwoPrograms(t *testing.T) {
	dir := t.TempDir()
	a, b := mustOpen(t, dir, quiet), mustOpen(t, dir, quiet)
	a.limit, b.limit = 2500, 2500
	a.now, b.now = noon, noon
	steps, all := matches(t, 40)
	done := make(chan error, 2)
	for p, s := range []*folder{a, b} {
		go func() {
			var err error
			for i, step := range steps {
				if i%2 == p && err == nil {
					err = step.call(s)
				}
			}
			done <- err
		}()
	}
	must(t, <-done)
	must(t, <-done)
	h := readTrimmed(t, osDisk{}, dir)
	if n := h.dropped.Matches + len(h.kept); n != len(all) || h.dropped.Matches == 0 {
		t.Errorf("%d matches are counted and %d are kept, of %d", h.dropped.Matches, len(h.kept), len(all))
	}
	must(t, a.close())
	must(t, b.close())
	if left, _ := filepath.Glob(dir + "/*.tmp*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func FuzzTotals(f *testing.F) {
	f.Add([]byte(`{"version":1,"dropped":{"matches":3,"abandoned":1,"two_players":{"red":1,"yellow":0},"computer":[{"level":1,"won":1,"lost":0}]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		totals := decodeTotals(line)
		if totals.Numbers() == 0 {
			return
		}
		again, err := seal(totalsLine{lineVersion, totals})
		must(t, err)
		if same := decodeTotals(again); fmt.Sprint(same) != fmt.Sprint(totals) {
			t.Errorf("%+v became %+v", totals, same)
		}
		if _, err := decodeFinished(line); err == nil {
			t.Error("it is a match as well")
		}
	})
}

// Totals count only in the first line: elsewhere they are damage.
func TestTotalsElsewhere(t *testing.T) {
	steps, _ := matches(t, 30)
	d := newFakeDisk()
	s, _ := start(d)
	s.limit = 2500
	for i, step := range steps {
		must(t, step.call(s))
		if i == len(steps)/10 {
			line, err := seal(totalsLine{lineVersion, match.Totals{Matches: 1000}})
			must(t, err)
			h := d.names[dir+"/"+historyName]
			h.now = slices.Concat(h.now, line)
		}
	}
	if got := dropped(d, dir); got.Matches == 0 || got.Matches > 30 || got.Damaged != 1 {
		t.Errorf("dropped %+v", got)
	}
}
