package store

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Two programs were given the same match.
func TestNeverTwice(t *testing.T) {
	dir := t.TempDir()
	s := scripts(t)["short"]
	a, b := Open(dir, quiet), Open(dir, quiet)
	runAll(t, a, s)
	for _, step := range s {
		if step.finish {
			must(t, b.Finish(step.match, step.abandoned))
			must(t, a.Finish(step.match, step.abandoned))
			must(t, a.Save(step.match))
		}
	}
	if got := look(a); len(got.history) != 2 {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(dir, matchName)); err == nil {
		t.Error("a match that is over is kept")
	}
	must(t, b.Close())
	must(t, a.Close())
}

// A match of another ID is never removed.
func TestFinishAnother(t *testing.T) {
	d := newFakeDisk()
	s, _ := start(d)
	var one, two script
	one.play(t, Match{ID: "one"}, fourByFour, 1, 0, 0, "12")
	two.play(t, Match{ID: "two"}, fourByFour, 1, 0, 0, "34")
	must(t, s.Save(one[0].match))
	must(t, s.Save(two[0].match))
	must(t, one[len(one)-1].call(s))
	if _, got := start(d.clone()); got.running != two[0].match || len(got.history) != 1 {
		t.Error(got)
	}
	// Nor if one that should have been removed could not be.
	d.fault = func(op string) error {
		if op == "remove" {
			return syscall.EIO
		}
		return nil
	}
	if two[len(two)-1].call(s) == nil {
		t.Error("removed")
	}
	d.fault = nil
	m := two[0].match
	m.ID = "three"
	must(t, s.Save(m))
	must(t, two[len(two)-1].call(s))
	if _, got := start(d.clone()); got.running != m || len(got.history) != 2 {
		t.Error(got)
	}
}

// While another program appends, a match waits.
func TestHistoryIsLocked(t *testing.T) {
	d := newFakeDisk()
	s, _ := start(d)
	all := scripts(t)["short"]
	must(t, s.Save(all[0].match))
	other, err := d.open(dir+"/"+historyName, os.O_CREATE)
	must(t, err)
	must(t, other.lock(false))
	if s.Finish(all[0].match, true) == nil || len(d.names[dir+"/"+historyName].now) > 0 {
		t.Error("appended")
	}
	must(t, other.Close())
	must(t, s.Close())
	if _, got := start(d); len(got.history) != 1 || got.resumes {
		t.Error(got)
	}
}

// It is given up while the winning disc falls, by the clock of a Pi that has none.
func TestWonAndGivenUp(t *testing.T) {
	d := newFakeDisk()
	s := open(dir, quiet, d, func() time.Time { return time.Unix(100, 0) })
	for _, step := range scripts(t)["short"] {
		if step.finish {
			must(t, s.Finish(step.match, true))
			break
		}
	}
	for e := range s.History() {
		if e.Abandoned || !e.Ended.IsZero() {
			t.Error(e)
		}
	}
	line := d.names[dir+"/"+historyName].now
	if !bytes.Contains(line, []byte(`"result":"red"`)) || bytes.Contains(line, []byte("ended")) {
		t.Errorf("%s", line)
	}
}
