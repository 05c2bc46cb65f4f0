package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/match"
)

// A match that two programs finish is in the history only once.
func TestFinishTwice(t *testing.T) {
	dir := t.TempDir()
	s := scripts(t)["short"]
	a, b := mustOpen(t, dir, quiet), mustOpen(t, dir, quiet)
	runAll(t, a, s)
	for _, step := range s {
		if step.finish {
			must(t, b.finish(step.match, step.abandoned))
			must(t, a.finish(step.match, step.abandoned))
			must(t, a.put(step.match))
		}
	}
	if got := look(a); len(got.history) != 2 {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(dir, matchName)); err == nil {
		t.Error("a finished match is still the running one")
	}
	must(t, b.close())
	must(t, a.close())
}

// Finish never removes a saved match with a different ID.
func TestFinishAnother(t *testing.T) {
	d := newFakeDisk()
	s, _ := start(d)
	var one, two script
	one.play(t, match.Record{ID: "one"}, fourByFour, 1, 0, 0, "12")
	two.play(t, match.Record{ID: "two"}, fourByFour, 1, 0, 0, "34")
	must(t, s.put(one[0].match))
	must(t, s.put(two[0].match))
	must(t, one[len(one)-1].call(s))
	if _, got := start(d.clone()); got.running != two[0].match || len(got.history) != 1 {
		t.Error(got)
	}
	// Nor is it removed after a failed removal of the earlier match.
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
	must(t, s.put(m))
	must(t, two[len(two)-1].call(s))
	if _, got := start(d.clone()); got.running != m || len(got.history) != 2 {
		t.Error(got)
	}
}

// A finished match waits while another program appends to the history.
func TestHistoryLocked(t *testing.T) {
	d := newFakeDisk()
	s, _ := start(d)
	all := scripts(t)["short"]
	must(t, s.put(all[1].match))
	other, err := d.open(dir+"/"+historyName, os.O_CREATE)
	must(t, err)
	must(t, other.lock(false))
	if s.finish(all[1].match, true) == nil || len(d.names[dir+"/"+historyName].now) > 0 {
		t.Error("appended")
	}
	must(t, other.Close())
	must(t, s.close())
	if _, got := start(d); len(got.history) != 1 || got.resumes {
		t.Error(got)
	}
}

// A match that is abandoned while the winning disc falls is recorded as won. The clock shows 1970,
// as on a Pi without a battery.
func TestAbandonWon(t *testing.T) {
	d := newFakeDisk()
	s := begin(dir, d, func() time.Time { return time.Unix(100, 0) })
	for _, step := range scripts(t)["short"] {
		if step.finish {
			must(t, s.finish(step.match, true))
			break
		}
	}
	for e := range s.matches(0) {
		if e.Abandoned || !e.Ended.IsZero() {
			t.Error(e)
		}
	}
	line := d.names[dir+"/"+historyName].now
	if !bytes.Contains(line, []byte(`"result":"red"`)) || bytes.Contains(line, []byte("ended")) {
		t.Errorf("%s", line)
	}
}

// A match without a disc is not in the history, and is not resumed.
func TestFinishWithoutADisc(t *testing.T) {
	d := newFakeDisk()
	s, _ := start(d)
	var one, two script
	one.play(t, match.Record{ID: "one", Opening: 2}, fourByFour, 1, 0, 0, "12")
	two.play(t, match.Record{ID: "two"}, fourByFour, 1, 0, 0, "1<")
	runAll(t, s, two[:2])
	runAll(t, s, two[2:])
	if _, got := start(d.clone()); got.resumes || got.history != nil {
		t.Error(got)
	}
	must(t, s.put(two[1].match)) // the match is over
	runAll(t, s, one[:1])
	m := two[0].match
	m.ID = "three" // never saved
	must(t, s.finish(m, true))
	if _, got := start(d.clone()); got.running != one[0].match || got.history != nil {
		t.Error(got)
	}
	must(t, one[1].call(s))
	for left := range d.cut() {
		if _, got := start(left); got.resumes || got.history != nil {
			t.Error(got)
		}
	}
}

// Matches(n) yields the last n matches of the history, and does not read the lines far before them.
func TestLast(t *testing.T) {
	d := newFakeDisk()
	must(t, d.mkdir("/var"))
	must(t, d.mkdir(dir))
	f, err := d.open(dir+"/"+historyName, os.O_WRONLY|os.O_CREATE)
	must(t, err)
	write := func(text string) {
		t.Helper()
		_, err := f.Write([]byte(text))
		must(t, err)
	}
	entry := func(i int) string { return strings.Replace(goodEntry, `"a"`, fmt.Sprintf(`"m-%d"`, i), 1) + "\n" }
	for i := range 1000 {
		if i == 600 {
			write(strings.Repeat("x", 3*maxSize) + entry(0)) // one line
		}
		if i%100 == 0 {
			write("torn" + entry(i) + "\n")
		}
		write(entry(i))
	}
	write(`{"version":1,"id"`)
	var whole []match.Finished
	for e, err := range history(d, dir, 0) {
		if err == nil {
			whole = append(whole, e)
		}
	}
	if len(whole) != 1000 {
		t.Fatal(len(whole))
	}
	s := begin(dir, d, noon)
	for _, n := range []int{1, 2, 10, 399, 400, 401, 999, 1000, 1001, 5000} {
		reads := 0
		d.fault = func(op string) error {
			if op == "read" {
				reads++
			}
			return nil
		}
		got := slices.Collect(s.matches(n))
		if want := whole[max(len(whole)-n, 0):]; !slices.Equal(got, want) {
			t.Errorf("the last %d are %d", n, len(got))
		}
		if n <= 10 && reads > 4 {
			t.Errorf("%d reads for the last %d", reads, n)
		}
	}
	reads := 0
	d.fault = func(op string) error {
		if reads++; op == "read" && reads > 60 {
			return syscall.EIO
		}
		return nil
	}
	m := whole[0].Record
	m.ID = "new"
	must(t, s.finish(m, false))
	if got := slices.Collect(s.matches(1)); len(got) != 1 || got[0].ID != "new" {
		t.Error(got)
	}
}

// A match whose entry could not be completed is entered again. What another program has entered
// meanwhile stays.
func TestFinishAgainAfterAnother(t *testing.T) {
	d := newFakeDisk()
	s, _ := start(d)
	r := record(t, "a", "1212121").Count()
	must(t, s.put(record(t, "a", "12")))
	d.fault = func(op string) error {
		if op == "sync" || op == "truncate" {
			return syscall.EIO
		}
		return nil
	}
	if s.finish(r, true) == nil {
		t.Fatal("finished")
	}
	d.fault = nil
	other, err := encodeFinished(match.Finish(record(t, "b", "12"), true, time.Unix(0, 0)))
	must(t, err)
	h := d.names[dir+"/"+historyName]
	h.now = slices.Concat(h.now, other)
	must(t, s.finish(r, true))
	if got := look(s); len(got.history) != 2 || got.history[1].ID != "b" {
		t.Error(got)
	}
}
