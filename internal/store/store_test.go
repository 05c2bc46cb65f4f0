package store

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/match"
)

// logged returns a logger and its output.
func logged() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, nil)), &b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func runAll(t testing.TB, s *folder, steps script) {
	t.Helper()
	for _, step := range steps {
		must(t, step.call(s))
	}
}

func TestRealDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	all := scripts(t)["short"]
	log, lines := logged()
	for i, step := range all {
		s := mustOpen(t, dir, log)
		if got := look(s); !got.equal(all.state(i)) {
			t.Fatalf("after %d steps there is\n%v, want\n%v", i, got, all.state(i))
		}
		must(t, step.call(s))
		must(t, s.close())
	}
	var finished []match.Finished
	for e, err := range History(dir) {
		must(t, err)
		if since := time.Since(e.Ended); since < -time.Second || since > time.Hour {
			t.Errorf("ended %v", e.Ended)
		}
		finished = append(finished, e)
	}
	if len(finished) != 2 || lines.Len() > 0 {
		t.Errorf("%d matches, log %q", len(finished), lines)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, historyName): 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
	files, _ := os.ReadDir(dir)
	if len(files) != 2 {
		t.Errorf("the folder has %v", files)
	}
}

// Open creates no folder.
func TestOpenMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	log, lines := logged()
	s := mustOpen(t, dir, log)
	if got := look(s); got.resumes || got.history != nil {
		t.Error(got)
	}
	must(t, s.close())
	if _, err := os.Stat(dir); err == nil || lines.Len() > 0 {
		t.Errorf("%v, log %q", err, lines)
	}
}

func TestTwoPrograms(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks here")
	}
	dir := t.TempDir()
	var one, two script
	one.play(t, match.Record{ID: "one"}, fourByFour, 1, 0, 0, "12")
	two.play(t, match.Record{ID: "two"}, fourByFour, 1, 0, 0, "3434")
	log, lines := logged()
	a, b := mustOpen(t, dir, quiet), mustOpen(t, dir, log)
	runAll(t, a, one[:2])
	runAll(t, b, two)
	if n := strings.Count(lines.String(), "another c4hat"); n != 1 {
		t.Errorf("logged %d times: %s", n, lines)
	}
	must(t, b.close())
	c := mustOpen(t, dir, quiet)
	if got := look(c); got.resumes || len(got.history) != 1 {
		t.Errorf("a third one finds %v", got)
	}
	must(t, a.close())
	must(t, c.put(two[0].match)) // a has ended, but c has not seen its match
	must(t, c.close())
	d := mustOpen(t, dir, quiet)
	if got := look(d); got.running != one[1].match || got.history[0].Record != two[len(two)-1].match {
		t.Errorf("after it there is %v", got)
	}
	must(t, d.close())
}

// Two programs start, one after the other, before the folder exists. The second one does not
// overwrite the match that the first one saved.
func TestFolderCreatedLate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "late")
	var one, two script
	one.play(t, match.Record{ID: "one"}, fourByFour, 1, 0, 0, "12")
	two.play(t, match.Record{ID: "two"}, fourByFour, 1, 0, 0, "34")
	log, lines := logged()
	a, b := mustOpen(t, dir, quiet), mustOpen(t, dir, log)
	runAll(t, a, one[:2])
	must(t, a.close())
	runAll(t, b, two)
	must(t, b.close())
	s := mustOpen(t, dir, quiet)
	if got := look(s); got.running != one[1].match || len(got.history) != 1 {
		t.Errorf("there is %v; %s", got, lines)
	}
	must(t, s.close())
}

func TestSaveUnchanged(t *testing.T) {
	d := newFakeDisk()
	s, _ := start(d)
	m := scripts(t)["short"][0].match
	must(t, s.put(m))
	d.after = func(op string) { t.Error(op) }
	must(t, s.put(m))
}

// A line changes match.json's size only where a block is full, and whenever the power is cut, the match
// resumes with the line or without it. A journal that has become too long is written anew.
func TestBlocks(t *testing.T) {
	d := newFakeDisk()
	s, _ := start(d)
	moves, name := [2]string{"1", "12"}, dir+"/"+matchName
	must(t, s.put(record(t, "a", moves[1])))
	grown := 0
	for i := range 2 * maxJournal / len("1+2 01234567\n") {
		before := d.names[name]
		must(t, s.save(record(t, "a", moves[i%2])))
		n := d.names[name]
		switch len(n.now) - len(before.safe) {
		case 0:
		case fileBlock:
			grown++
		default:
			if n == before || len(n.now) != fileBlock {
				t.Fatalf("%d lines: the size was %d, and is %d", i, len(before.safe), len(n.now))
			}
		}
		if i%100 == 0 || n == before && len(n.now) > len(n.safe) {
			for left := range d.cut() {
				if got := found(left); got != "match a["+moves[i%2]+"]" && got != "match a["+moves[1-i%2]+"]" {
					t.Fatalf("%d lines: after a power cut there is %s", i, got)
				}
			}
		}
		must(t, s.syncAll())
	}
	if grown < maxJournal/fileBlock {
		t.Errorf("the file grew %d times", grown)
	}
}
