package store

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// logged is a log to look into.
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
		s := Open(dir, log)
		if got := look(s); !got.equal(all.state(i)) {
			t.Fatalf("after %d steps there is\n%v, want\n%v", i, got, all.state(i))
		}
		must(t, step.call(s))
		must(t, s.Close())
	}
	var finished []Entry
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
		t.Errorf("left are %v", files)
	}
}

// Looking makes no folder.
func TestNothingKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	log, lines := logged()
	s := Open(dir, log)
	if got := look(s); got.resumes || got.history != nil {
		t.Error(got)
	}
	must(t, s.Close())
	if _, err := os.Stat(dir); err == nil || lines.Len() > 0 {
		t.Errorf("%v, log %q", err, lines)
	}
}

func TestTwoInOneFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks here")
	}
	dir := t.TempDir()
	var one, two script
	one.play(t, Match{ID: "one"}, fourByFour, 1, 0, 0, "12")
	two.play(t, Match{ID: "two"}, fourByFour, 1, 0, 0, "3434")
	log, lines := logged()
	a, b := Open(dir, quiet), Open(dir, log)
	runAll(t, a, one[:2])
	runAll(t, b, two)
	if n := strings.Count(lines.String(), "another program"); n != 1 {
		t.Errorf("said %d times: %s", n, lines)
	}
	must(t, b.Close())
	c := Open(dir, quiet)
	if got := look(c); got.resumes || len(got.history) != 1 {
		t.Errorf("a third one finds %v", got)
	}
	must(t, a.Close())
	must(t, c.Save(two[0].match)) // a is gone, but c has not seen its match
	must(t, c.Close())
	d := Open(dir, quiet)
	if got := look(d); got.running != one[1].match || got.history[0].Match != two[len(two)-1].match {
		t.Errorf("after it there is %v", got)
	}
	must(t, d.Close())
}

// Two programs begin in a folder that is not there yet, one after the other.
func TestFolderComesLate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "late")
	var one, two script
	one.play(t, Match{ID: "one"}, fourByFour, 1, 0, 0, "12")
	two.play(t, Match{ID: "two"}, fourByFour, 1, 0, 0, "34")
	log, lines := logged()
	a, b := Open(dir, quiet), Open(dir, log)
	runAll(t, a, one[:2])
	must(t, a.Close())
	runAll(t, b, two)
	must(t, b.Close())
	s := Open(dir, quiet)
	if got := look(s); got.running != one[1].match || len(got.history) != 1 {
		t.Errorf("there is %v; %s", got, lines)
	}
	must(t, s.Close())
}

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

func TestLongLines(t *testing.T) {
	const most = maxSize
	l := newLiner(strings.NewReader(strings.Repeat("a", most) + "\n" + strings.Repeat("b", 5*most) + "\n\nc"))
	for _, want := range []struct {
		size       int
		long, open bool
	}{{most, false, false}, {0, true, false}, {0, false, false}, {1, false, true}} {
		if err := l.next(); err != nil || l.long != want.long || !l.long && len(l.line) != want.size || l.open != want.open {
			t.Errorf("%d bytes, long %v, open %v, %v; want %v", len(l.line), l.long, l.open, err, want)
		}
	}
	if err := l.next(); err != io.EOF || cap(l.line) > 2*most {
		t.Errorf("%d bytes are held, %v", cap(l.line), err)
	}
}

func TestSameMatchIsNotWrittenAgain(t *testing.T) {
	d := newFakeDisk()
	s, _ := start(d)
	m := scripts(t)["short"][0].match
	must(t, s.Save(m))
	d.after = func(op string) { t.Error(op) }
	must(t, s.Save(m))
}

func TestDamagedMatches(t *testing.T) {
	script := scripts(t)["short"][:6]
	good, err := encodeMatch(script[5].match)
	must(t, err)
	for name, data := range map[string][]byte{
		"empty":             {},
		"zeros":             make([]byte, len(good)),
		"torn":              good[:len(good)/2],
		"zeros at the end":  append(bytes.Clone(good[:20]), make([]byte, 80)...),
		"zeros after it":    append(bytes.Clone(good), 0),
		"null":              []byte("null\n"),
		"twice":             append(bytes.Clone(good), good...),
		"of another age":    bytes.Replace(good, []byte(`"version":1`), []byte(`"version":2`), 1),
		"without a version": bytes.Replace(good, []byte(`"version":1,`), nil, 1),
		"impossible":        bytes.Replace(good, []byte(`["`), []byte(`["9`), 1),
		"too long":          append(bytes.Clone(good), bytes.Repeat([]byte{' '}, maxSize)...),
		"nested":            bytes.Repeat([]byte{'['}, maxSize),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, matchName), data, 0o600))
			must(t, os.WriteFile(filepath.Join(dir, damagedName), []byte("older"), 0o600))
			left := append(bytes.Clone(good), bytes.Repeat([]byte{'x'}, 1000)...)
			must(t, os.WriteFile(filepath.Join(dir, newName), left, 0o600))
			log, lines := logged()
			s := Open(dir, log)
			if m, ok := s.Running(); ok {
				t.Error(m)
			}
			if n := strings.Count(lines.String(), "\n"); n != 1 || !strings.Contains(lines.String(), "damaged") {
				t.Errorf("%d lines: %s", n, lines)
			}
			aside, err := os.ReadFile(filepath.Join(dir, damagedName))
			if err != nil || !bytes.Equal(aside, data) {
				t.Errorf("aside are %d bytes, %v", len(aside), err)
			}
			runAll(t, s, script[:1])
			must(t, s.Close())
			s = Open(dir, quiet)
			if got := look(s); !got.equal(script.state(1)) {
				t.Error(got)
			}
			must(t, s.Close())
		})
	}
}

func TestDamagedHistory(t *testing.T) {
	dir := t.TempDir()
	var two []string
	for _, step := range scripts(t)["short"] {
		if step.finish {
			line, err := encodeEntry(Entry{Match: step.match, Abandoned: step.abandoned, Ended: noon()})
			must(t, err)
			two = append(two, string(line))
		}
	}
	// The long line has a whole match at its end, where a reader that gave up too
	// late or began anew too early would find it.
	long := strings.Repeat("x", 3*maxSize) + strings.Replace(two[0], `"b"`, `"x"`, 1)
	text := two[0] + "\n" + "torn" + two[1] + strings.Repeat("\x00", 50) + "\n" + long + two[1] + `{"version":1,"id"`
	must(t, os.WriteFile(filepath.Join(dir, historyName), []byte(text), 0o600))
	log, lines := logged()
	s := Open(dir, log)
	for range 2 {
		var ids string
		for e := range s.History() {
			ids += e.ID
		}
		if ids != "ba" {
			t.Errorf("the matches are %q", ids)
		}
	}
	if n := strings.Count(lines.String(), "\n"); n != 1 || !strings.Contains(lines.String(), "line 2") {
		t.Errorf("%d lines: %s", n, lines)
	}
	var bad []string
	for _, err := range History(dir) {
		if err != nil {
			bad = append(bad, err.Error()[strings.Index(err.Error(), "line"):][:7])
		}
	}
	if got := strings.Join(bad, ""); got != "line 2:line 3:line 4:line 5:" {
		t.Errorf("bad are %v", bad)
	}
	for range History(dir) {
		break // and no more
	}
	for range s.History() {
		break
	}
	steps := scripts(t)["short"]
	runAll(t, s, steps)
	must(t, s.Close())
	data, _ := os.ReadFile(filepath.Join(dir, historyName))
	if string(data) != text && string(data) != text+"\n" {
		t.Errorf("after matches that were in it there are %d bytes, not %d", len(data), len(text))
	}
}

// A history of one line without its newline is a history, and stays one.
func TestWholeTornLine(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, historyName), []byte(goodEntry), 0o600))
	e, err := decodeEntry([]byte(goodEntry))
	must(t, err)
	s := Open(dir, quiet)
	if got := look(s); len(got.history) != 1 {
		t.Error(got)
	}
	must(t, s.Finish(e.Match, false))
	must(t, s.Close())
	data, err := os.ReadFile(filepath.Join(dir, historyName))
	if string(data) != goodEntry+"\n" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestUnreadableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	log, lines := logged()
	s := Open(file, log) // a file, which stops root too
	if got := look(s); got.resumes || !strings.Contains(lines.String(), "cannot be read") {
		t.Errorf("%v, log %s", got, lines)
	}
	for _, step := range scripts(t)["short"] {
		if err := step.call(s); err == nil || !strings.HasPrefix(err.Error(), "store: ") {
			t.Error(err)
		}
	}
	if s.Close() == nil {
		t.Error("matches are lost without a word")
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	steps := scripts(t)["short"]
	s := Open(dir, quiet)
	runAll(t, s, steps[:3])
	must(t, s.Close())
	must(t, os.Chmod(dir, 0o500))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if os.WriteFile(filepath.Join(dir, "x"), nil, 0o600) == nil {
		t.Skip("root may write anywhere")
	}
	s = Open(dir, quiet)
	if got := look(s); !got.equal(steps.state(3)) {
		t.Error(got)
	}
	if s.Save(steps[3].match) == nil {
		t.Error("saved")
	}
	must(t, os.Chmod(dir, 0o700))
	runAll(t, s, steps[3:])
	must(t, s.Close())
}

func BenchmarkSave(b *testing.B) {
	for name, d := range map[string]func() (disk, string){
		"disk":   func() (disk, string) { return osDisk{}, b.TempDir() },
		"memory": func() (disk, string) { return newFakeDisk(), dir },
	} {
		b.Run(name, func(b *testing.B) {
			d, dir := d()
			s := open(dir, quiet, d, noon)
			steps := scripts(b)["long"][:20]
			for i := 0; b.Loop(); i++ {
				must(b, steps[i%len(steps)].call(s))
			}
		})
	}
}

func BenchmarkHistory(b *testing.B) {
	const entries = 100_000 // of years
	var text bytes.Buffer
	steps := scripts(b)["long"]
	for i := 0; i < entries; {
		for _, step := range steps {
			if step.finish {
				i++
				step.match.ID = fmt.Sprintf("20261120-%06d", i)
				line, err := encodeEntry(Entry{Match: step.match, Abandoned: step.abandoned, Ended: noon()})
				must(b, err)
				text.Write(line)
			}
		}
	}
	dir := b.TempDir()
	must(b, os.WriteFile(filepath.Join(dir, historyName), text.Bytes(), 0o600))
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			n := 0
			for _, err := range History(dir) {
				must(b, err)
				n++
			}
			if n != entries {
				b.Fatal(n)
			}
		}
	})
	b.Run("finish", func(b *testing.B) {
		s := Open(dir, quiet)
		for i := 0; b.Loop(); i++ {
			m := steps[0].match
			m.ID = fmt.Sprint("new-", i)
			must(b, s.Finish(m, true))
		}
		must(b, s.Close())
	})
}
