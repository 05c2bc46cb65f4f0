package store

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
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

// On a real disk, the program ends after each step.
func TestRealDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	log, lines := logged()
	if _, ok := Left(dir); ok {
		t.Error("a match is left in no folder")
	}
	all := scripts(t)["short"]
	for i, step := range all {
		p, err := start(osDisk{}, dir, log)
		must(t, err)
		if got := p.look(); !got.equal(all.state(i)) {
			t.Fatalf("after %d steps there is\n%v, want\n%v", i, got, all.state(i))
		}
		must(t, p.call(step))
		if left, ok := Left(dir); ok == step.finish || ok && left != step.match {
			t.Fatalf("after %d steps, left is %v, %t", i+1, left, ok)
		}
		p.folder.release()
	}
	n := 0
	for range History(dir) {
		n++
	}
	if n != 2 || lines.Len() > 0 {
		t.Errorf("%d matches, log %q", n, lines)
	}
}

// c4hat 0.3 was stopped in mid-match.
func TestOld(t *testing.T) {
	const document = `"id":"x-1","board":"7x6","connect":4,"points":2,"first":"alternate","rounds":[%q]}`
	sealed := []byte(fmt.Sprintf(`{"version":1,`+document, "4455"))
	for bit, sum := 0, crc32.Checksum(sealed, crc32.MakeTable(crc32.Castagnoli)); bit < 32; bit++ {
		sealed = append(sealed, " \t"[sum>>bit&1])
	}
	for old, want := range map[string]string{
		string(sealed) + "\n":                              "4455",
		fmt.Sprintf(`{"version":1,`+document+"\n", "4455"): "4455",
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, oldName), []byte(old), 0o600))
		p, err := start(osDisk{}, dir, quiet)
		must(t, err)
		if got := p.left.Game.String(); got != want || p.left.ID != "x-1" {
			t.Errorf("%s resumes as %q, want %q", old, got, want)
		}
		if left, ok := Left(dir); !ok || left != p.left || !errors.Is(p.folder.look(oldName), fs.ErrNotExist) {
			t.Errorf("%v is left, %t", left, ok)
		}
	}
	damaged(append(sealed, '\n'), func(what string, at int, data []byte) {
		if r, _, err := decodeMatch(data); err == nil && r.Game.String() != "4455" {
			t.Fatalf("%s at %d: %s is read as %v", what, at, data, r)
		}
	})
}

// A folder that is plugged in later, or exchanged, has a match, which is not replaced. What is over is entered there.
func TestPluggedInLater(t *testing.T) {
	for _, when := range []string{"later", "exchanged"} {
		top := t.TempDir()
		dir, aside, other := filepath.Join(top, "late"), filepath.Join(top, "aside"), filepath.Join(top, "other")
		if when == "later" {
			must(t, os.WriteFile(dir, nil, 0o600))
		}
		log, lines := logged()
		late, err := start(osDisk{}, dir, log)
		must(t, err)
		if err := late.call(step{match: record(t, "two", "34")}); (err != nil) != (when == "later") {
			t.Error(err)
		}
		before, err := start(osDisk{}, other, quiet)
		must(t, err)
		must(t, before.call(step{match: record(t, "one", "12")}))
		before.folder.release()
		must(t, os.Rename(dir, aside))
		must(t, os.Rename(other, dir))
		_ = late.call(step{match: record(t, "two", "343")}) // the first call may fail
		for range 2 {
			must(t, late.call(step{match: record(t, "two", "343")}))
		}
		must(t, late.call(step{match: record(t, "two", "343"), finish: true, abandoned: true}))
		left, ok := Left(dir)
		if st := late.look(); !ok || left != record(t, "one", "12") || len(st.history) != 1 || strings.Count(lines.String(), "\n") != 1 {
			t.Errorf("%s: %v is left, %t, %v; log %s", when, left, ok, st, lines)
		}
	}
}

// Further damaged matches get further names. Pipes and folders are no matches, and nothing waits for them.
func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{damagedName, damagedName + "2", damagedName + "3"} {
		must(t, os.WriteFile(filepath.Join(dir, matchName), []byte(name), 0o600))
		p, err := start(osDisk{}, dir, quiet)
		must(t, err)
		if data, err := os.ReadFile(filepath.Join(dir, name)); string(data) != name {
			t.Errorf("%s is %q, %v", name, data, err)
		}
		p.folder.release()
	}
	must(t, os.Mkdir(filepath.Join(dir, matchName), 0o700))
	if _, err := start(osDisk{}, dir, quiet); err == nil || !strings.Contains(err.Error(), "stays unchanged") {
		t.Error(err)
	}
}

// The last matches are read from the end of a history, and damage is named.
func TestHistory(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, historyName)
	line := func(n int) []byte {
		l, err := encode(match.Finish(record(t, fmt.Sprint("m", n), "44"), true, time.Now()).Document())
		must(t, err)
		return l
	}
	data := append(bytes.Repeat([]byte("x"), 1<<20), '\n') // a line that is far too long
	for n := range 5000 {
		if data = append(data, line(n)...); n == 4000 || n == 4997 {
			data = append(data, "damaged\n"...)
		}
	}
	must(t, os.WriteFile(name, data, 0o600))
	for last, want := range map[int]string{1: "m4999 ", 3: "bad0 m4998 m4999 ", 0: "bad1 bad4003 bad5001 "} {
		got, matches := "", 0
		for e, err := range history(osDisk{}, dir, last) {
			d, bad := err.(match.Damage)
			switch {
			case bad:
				got += fmt.Sprintf("bad%d ", d.Number)
				if len(d.Error()) > 500 || last == 0 && !strings.Contains(d.Error(), fmt.Sprintf(", line %d: ", d.Number)) {
					t.Error(d)
				}
			case err != nil:
				t.Fatal(err)
			case last > 0:
				got += e.ID + " "
			default:
				matches++
			}
		}
		if got != want || last == 0 && matches != 5000 {
			t.Errorf("of the last %d: %d matches, %s", last, matches, got)
		}
	}
}

func FuzzRunning(f *testing.F) {
	f.Add([]byte(`{"version":2,"id":"a"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, _, err := decodeMatch(data)
		if err != nil {
			if _, ok := err.(match.Damage); !ok {
				t.Error(err)
			}
			return
		}
		line, err := encode(r.Document())
		must(t, err)
		if again, size, err := decodeMatch(line); again != r || size != len(line) || err != nil {
			t.Errorf("%v is read again as %v, %d, %v", r, again, size, err)
		}
	})
}

func FuzzHistory(f *testing.F) {
	f.Add([]byte(`{"version":1,"id":"a"}` + "\n\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, historyName), data, 0o600))
		p, err := start(osDisk{}, dir, quiet)
		must(t, err)
		before := p.look().history
		must(t, p.call(step{match: record(t, "fuzz", "1"), finish: true, abandoned: true}))
		after := p.look().history
		if len(after) != len(before)+1 && !bytes.Contains(data, []byte("fuzz")) {
			t.Errorf("%d matches, then %d", len(before), len(after))
		}
	})
}

// BenchmarkStart opens a folder with a hundred thousand matches.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	f, err := os.Create(filepath.Join(dir, historyName))
	must(b, err)
	var s script
	s.play(b, match.Record{ID: "z"}, fourByFour, 1, 0, 0, "12")
	for n := range 100_000 {
		r := s[1].match
		r.ID = fmt.Sprint("m", n)
		line, _ := encode(match.Finish(r, true, noon()).Document())
		_, _ = f.Write(line)
	}
	f.Close()
	for b.Loop() {
		s, err := OpenSaver(b.Context(), dir, quiet)
		must(b, err)
		s.Close()
	}
}
