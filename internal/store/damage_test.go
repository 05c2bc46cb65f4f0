package store

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/match"
)

func TestLongLines(t *testing.T) {
	const most = maxSize
	l := newLiner(strings.NewReader(strings.Repeat("a", most) + "\n" + strings.Repeat("b", 5*most) + "\n\nc"))
	for _, want := range []struct {
		size int
		open bool
	}{{most, false}, {most + 1, false}, {0, false}, {1, true}} {
		if err := l.next(); err != nil || len(l.line) != want.size || l.open != want.open {
			t.Errorf("%d bytes, open %v, %v; want %v", len(l.line), l.open, err, want)
		}
	}
	if err := l.next(); err != io.EOF || cap(l.line) > 2*most {
		t.Errorf("%d bytes are held, %v", cap(l.line), err)
	}
}

func TestDamagedMatches(t *testing.T) {
	script := scripts(t)["short"][:6]
	good, err := encodeMatch(script[5].match)
	must(t, err)
	good = bytes.TrimRight(good, "\x00")
	for name, data := range map[string][]byte{
		"empty":             {},
		"zeros":             make([]byte, len(good)),
		"torn":              good[:len(good)/2],
		"first line torn":   good[:len(good)-3],
		"zeros at the end":  append(bytes.Clone(good[:20]), make([]byte, 80)...),
		"null":              []byte("null\n"),
		"twice":             append(bytes.Clone(good), good...),
		"of another age":    bytes.Replace(good, []byte(`"version":2`), []byte(`"version":3`), 1),
		"without a version": bytes.Replace(good, []byte(`"version":2,`), nil, 1),
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
			s := mustOpen(t, dir, log)
			if m, ok := s.resumes(); ok {
				t.Error(m)
			}
			if n := strings.Count(lines.String(), "\n"); n != 1 || !strings.Contains(lines.String(), "damaged") {
				t.Errorf("%d lines: %s", n, lines)
			}
			aside, err := os.ReadFile(filepath.Join(dir, damagedName+"2"))
			if err != nil || !bytes.Equal(aside, data) {
				t.Errorf("aside are %d bytes, %v", len(aside), err)
			}
			if older, err := os.ReadFile(filepath.Join(dir, damagedName)); string(older) != "older" {
				t.Errorf("an older damaged match is now %q, %v", older, err)
			}
			runAll(t, s, script[:1])
			must(t, s.close())
			s = mustOpen(t, dir, quiet)
			if got := look(s); !got.equal(script.state(1)) {
				t.Error(got)
			}
			must(t, s.close())
		})
	}
}

// After an orderly end match.json is a line of JSON of version 1, which c4hat 0.1 and 0.2 read as well. A
// flipped bit changes nothing, or is found.
func TestClosedMatch(t *testing.T) {
	dir := t.TempDir()
	steps := scripts(t)["short"][:6]
	s := mustOpen(t, dir, quiet)
	runAll(t, s, steps)
	must(t, s.close())
	data, err := os.ReadFile(filepath.Join(dir, matchName))
	must(t, err)
	var line struct {
		Version int
		ID      string
	}
	if err := json.Unmarshal(data, &line); err != nil || line.Version != 1 || line.ID != steps[5].match.ID || bytes.IndexByte(data, '\n') != len(data)-1 {
		t.Errorf("%q: %v", data, err)
	}
	for bit := range 8 * len(data) {
		flipped := bytes.Clone(data)
		flipped[bit/8] ^= 1 << (bit % 8)
		if m, _, err := decodeMatch(flipped); err == nil && m != steps[5].match {
			t.Errorf("%q is read as %v", flipped, m)
		}
	}
}

// An older version treats a newer version's match as damaged. After an update the match resumes,
// unless another match has been saved by then.
func TestSetAsideByAnOlderVersion(t *testing.T) {
	script := scripts(t)["short"][:6]
	aside, err := encodeMatch(script[5].match)
	must(t, err)
	later := script[5].match
	later.ID = "later"
	running, err := encodeMatch(later)
	must(t, err)
	for name, test := range map[string]struct {
		running []byte
		want    match.Record
	}{"no other match": {nil, script[5].match}, "another match": {running, later}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, damagedName), aside, 0o600))
			if test.running != nil {
				must(t, os.WriteFile(filepath.Join(dir, matchName), test.running, 0o600))
			}
			s := mustOpen(t, dir, quiet)
			if m, _ := s.resumes(); m != test.want {
				t.Errorf("resumes %v, want %v", m, test.want)
			}
			must(t, s.close())
			if _, err := os.Stat(filepath.Join(dir, damagedName)); (err == nil) != (test.running != nil) {
				t.Error("set aside: ", err)
			}
			s = mustOpen(t, dir, quiet)
			if m, _ := s.resumes(); m != test.want {
				t.Errorf("then resumes %v, want %v", m, test.want)
			}
			must(t, s.close())
		})
	}
}

func TestDamagedHistory(t *testing.T) {
	dir := t.TempDir()
	var two []string
	for _, step := range scripts(t)["short"] {
		if step.finish {
			line, err := encodeFinished(match.Finished{Record: step.match, Abandoned: step.abandoned, Ended: noon()})
			must(t, err)
			two = append(two, string(line))
		}
	}
	// The long line ends with a complete match. A reader that continues in the middle of the line
	// would find it.
	long := strings.Repeat("x", 3*maxSize) + strings.Replace(two[0], `"b"`, `"x"`, 1)
	text := two[0] + "\n" + "torn" + two[1] + strings.Repeat("\x00", 50) + "\n" + long + two[1] + `{"version":1,"id"`
	must(t, os.WriteFile(filepath.Join(dir, historyName), []byte(text), 0o600))
	log, lines := logged()
	s := mustOpen(t, dir, log)
	saver := newSaver(s, match.Record{}, log)
	saver.wait(time.Minute)
	for range 2 {
		var ids string
		for e := range saver.Matches(0) {
			ids += e.ID
		}
		if ids != "ba" {
			t.Errorf("the matches are %q", ids)
		}
	}
	if n := strings.Count(lines.String(), "\n"); n != 1 || !strings.Contains(lines.String(), "line 3") {
		t.Errorf("%d lines: %s", n, lines)
	}
	var bad []string
	for _, err := range History(dir) {
		if err != nil {
			bad = append(bad, err.Error()[strings.Index(err.Error(), "line"):][:7])
		}
	}
	if got := strings.Join(bad, ""); got != "line 3:line 4:line 5:line 7:" {
		t.Errorf("bad are %v", bad)
	}
	for range History(dir) {
		break // a caller may stop early
	}
	for range s.matches(0) {
		break
	}
	for _, step := range scripts(t)["short"] {
		if step.match.ID == "a" { // this match is near the end of the history
			must(t, step.call(s))
		}
	}
	must(t, s.close())
	data, _ := os.ReadFile(filepath.Join(dir, historyName))
	if string(data) != text && string(data) != text+"\n" {
		t.Errorf("after finishing known matches there are %d bytes, not %d", len(data), len(text))
	}
}

// A history of one line without a newline is valid, and stays valid.
func TestWholeTornLine(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, historyName), []byte(goodEntry), 0o600))
	e, err := decodeFinished([]byte(goodEntry))
	must(t, err)
	s := mustOpen(t, dir, quiet)
	if got := look(s); len(got.history) != 1 {
		t.Error(got)
	}
	must(t, s.finish(e.Record, false))
	must(t, s.close())
	data, err := os.ReadFile(filepath.Join(dir, historyName))
	if string(data) != goodEntry+"\n" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestUnreadableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	s := mustOpen(t, file, quiet) // a file instead of a folder, even for root
	if got := look(s); got.resumes {
		t.Error(got)
	}
	for _, step := range scripts(t)["short"] {
		if err := step.call(s); err == nil || !strings.HasPrefix(err.Error(), "store: ") {
			t.Error(err)
		}
	}
	if s.close() == nil {
		t.Error("matches are lost without an error")
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	steps := scripts(t)["short"]
	s := mustOpen(t, dir, quiet)
	runAll(t, s, steps[:3])
	must(t, s.close())
	must(t, os.Chmod(dir, 0o500))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if os.WriteFile(filepath.Join(dir, "x"), nil, 0o600) == nil {
		t.Skip("root may write anywhere")
	}
	s = mustOpen(t, dir, quiet)
	if got := look(s); !got.equal(steps.state(3)) {
		t.Error(got)
	}
	if s.put(steps[3].match) == nil {
		t.Error("saved")
	}
	must(t, os.Chmod(dir, 0o700))
	runAll(t, s, steps[3:])
	must(t, s.close())
}
