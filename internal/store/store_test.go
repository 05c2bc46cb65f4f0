package store

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
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

func runAll(t testing.TB, s *Store, steps script) {
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
		must(t, s.Close())
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
	must(t, s.Close())
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
	one.play(t, game.Record{ID: "one"}, fourByFour, 1, 0, 0, "12")
	two.play(t, game.Record{ID: "two"}, fourByFour, 1, 0, 0, "3434")
	log, lines := logged()
	a, b := mustOpen(t, dir, quiet), mustOpen(t, dir, log)
	runAll(t, a, one[:2])
	runAll(t, b, two)
	if n := strings.Count(lines.String(), "another program"); n != 1 {
		t.Errorf("logged %d times: %s", n, lines)
	}
	must(t, b.Close())
	c := mustOpen(t, dir, quiet)
	if got := look(c); got.resumes || len(got.history) != 1 {
		t.Errorf("a third one finds %v", got)
	}
	must(t, a.Close())
	must(t, c.Save(two[0].match)) // a has ended, but c has not seen its match
	must(t, c.Close())
	d := mustOpen(t, dir, quiet)
	if got := look(d); got.running != one[1].match || got.history[0].Record != two[len(two)-1].match {
		t.Errorf("after it there is %v", got)
	}
	must(t, d.Close())
}

// Two programs start, one after the other, before the folder exists. The second one does not
// overwrite the match that the first one saved.
func TestFolderCreatedLate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "late")
	var one, two script
	one.play(t, game.Record{ID: "one"}, fourByFour, 1, 0, 0, "12")
	two.play(t, game.Record{ID: "two"}, fourByFour, 1, 0, 0, "34")
	log, lines := logged()
	a, b := mustOpen(t, dir, quiet), mustOpen(t, dir, log)
	runAll(t, a, one[:2])
	must(t, a.Close())
	runAll(t, b, two)
	must(t, b.Close())
	s := mustOpen(t, dir, quiet)
	if got := look(s); got.running != one[1].match || len(got.history) != 1 {
		t.Errorf("there is %v; %s", got, lines)
	}
	must(t, s.Close())
}

func TestSaveUnchanged(t *testing.T) {
	d := newFakeDisk()
	s, _ := start(d)
	m := scripts(t)["short"][0].match
	must(t, s.Save(m))
	d.after = func(op string) { t.Error(op) }
	must(t, s.Save(m))
}

// Of two concurrent saves, the one that began last wins, whichever the disk completes first. No
// save remains after the end of its match.
func TestConcurrentSaves(t *testing.T) {
	var all script
	all.play(t, game.Record{ID: "one"}, fourByFour, 1, 0, 0, "1234")
	now := make(chan struct{})
	close(now)
	for _, first := range []int{0, 1} {
		d := newFakeDisk()
		s, _ := start(d)
		must(t, all[0].call(s))
		ends := []func() error{s.Begin(all[1].match, now), s.Begin(all[2].match, now)}
		must(t, ends[first]())
		if m, ok := begin(dir, d.clone(), noon).Running(); !ok || m != all[1+first].match {
			t.Errorf("one is written: %v", m)
		}
		must(t, ends[1-first]())
		must(t, s.Sync())
		for left := range d.cut() {
			if _, got := start(left); got.running != all[2].match || left.has(dir+"/"+newName) || left.has(dir+"/"+newName+"2") {
				t.Errorf("%v\n%s", got, left)
			}
		}
		if must(t, s.Save(all[1].match)); first == 0 { // a disc was taken back
			must(t, s.Save(all[2].match))
		}
		end := s.Begin(all[3].match, now)
		must(t, s.Finish(all[2].match, true))
		must(t, end())
		must(t, s.Close())
		for left := range d.cut() {
			if _, got := start(left); got.resumes || len(got.history) != 1 {
				t.Errorf("%v\n%s", got, left)
			}
		}
	}
}

// A Sync returns only after a concurrent Sync that was called earlier, because the earlier one may
// be syncing the changes of both.
func TestConcurrentSyncs(t *testing.T) {
	d := newFakeDisk()
	s, _ := start(d)
	must(t, s.Save(scripts(t)["short"][0].match))
	syncing, slow := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var synced atomic.Bool
	d.fault = func(op string) error {
		if op == "syncDir" {
			once.Do(func() {
				close(syncing)
				<-slow
				synced.Store(true)
			})
		}
		return nil
	}
	var both sync.WaitGroup
	both.Go(func() {
		if err := s.Sync(); err != nil {
			t.Error(err)
		}
	})
	<-syncing
	started := make(chan struct{})
	both.Go(func() {
		close(started)
		if err := s.Sync(); err != nil || !synced.Load() {
			t.Errorf("%v, synced: %v", err, synced.Load())
		}
	})
	<-started
	for range 1000 {
		runtime.Gosched()
	}
	close(slow)
	both.Wait()
}
