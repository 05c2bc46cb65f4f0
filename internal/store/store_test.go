package store

import (
	"bytes"
	"fmt"
	"hash/crc32"
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
		f, err := open(dir, log, osDisk{})
		must(t, err)
		if got := look(f); !got.equal(all.state(i)) {
			t.Fatalf("after %d steps there is\n%v, want\n%v", i, got, all.state(i))
		}
		p := program{Saver{folder: f}}
		must(t, p.call(step))
		if left, ok := Left(dir); ok == step.finish || ok && left != step.match {
			t.Fatalf("after %d steps, left is %v, %t", i+1, left, ok)
		}
		f.release()
	}
	if n := len(look(&folder{dir: dir, disk: osDisk{}}).history); n != 2 || lines.Len() > 0 {
		t.Errorf("%d matches, log %q", n, lines)
	}
}

// c4hat 0.3 was stopped, or killed, or the power was cut while it wrote a disc. A disc that is saved now starts a
// file of its own.
func TestOld(t *testing.T) {
	const document = `"id":"x-1","board":"7x6","connect":4,"points":2,"first":"alternate","rounds":[%q]}` + "\n"
	journal := func(changes ...string) string {
		data := []byte(fmt.Sprintf(`{"version":2,`+document, ""))
		for _, change := range changes {
			data = append(data, change+" "...)
			data = fmt.Appendf(data, "%08x\n", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
		}
		return string(data)
	}
	for old, want := range map[string]string{
		fmt.Sprintf(`{"version":1,`+document, "4455"):    "4455",
		journal("0+", "0+4", "1+4") + "\x00\x00\x00":     "44",
		journal("0+", "0+44", "1+5") + "2+":              "45",
		journal("0+", "0+44") + "2+5 \x00\x00\x00\x00\n": "44",
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, oldName), []byte(old), 0o600))
		f, err := open(dir, quiet, osDisk{})
		must(t, err)
		if got := f.left.Game.String(); got != want || f.left.ID != "x-1" {
			t.Errorf("%s resumes as %q, want %q", old, got, want)
		}
		r := f.left
		must(t, r.Game.Play(0))
		must(t, f.save(r))
		f.release()
		if left, ok := Left(dir); !ok || left != r || f.exists(oldName) {
			t.Errorf("%v is left, %t", left, ok)
		}
	}
	for _, whole := range []string{journal("0+", "0+44", "2+5"), strings.TrimSpace(fmt.Sprintf(`{"version":1,`+document, "44")) + strings.Repeat(" \t", 16)} {
		if r, _, err := decodeOld([]byte(strings.Replace(whole, "44", "54", 1))); err == nil {
			t.Errorf("%s is read as %v", whole, r.Game)
		}
	}
}

// A folder that is plugged in later has a match, which is not replaced.
func TestPluggedInLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "late")
	log, lines := logged()
	late, err := open(dir, log, osDisk{})
	must(t, err)
	before, err := open(dir, quiet, osDisk{})
	must(t, err)
	must(t, before.save(record(t, "one", "12")))
	before.release()
	for range 2 {
		must(t, late.save(record(t, "two", "3")))
	}
	if left, ok := Left(dir); !ok || left.ID != "one" || strings.Count(lines.String(), "\n") != 1 {
		t.Errorf("%v is left, %t; log %s", left, ok, lines)
	}
}

// Further damaged matches get further names. Pipes and folders are no matches, and nothing waits for them.
func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{damagedName, damagedName + "2", damagedName + "3"} {
		must(t, os.WriteFile(filepath.Join(dir, matchName), []byte(name), 0o600))
		f, err := open(dir, quiet, osDisk{})
		must(t, err)
		if data, err := os.ReadFile(filepath.Join(dir, name)); string(data) != name {
			t.Errorf("%s is %q, %v", name, data, err)
		}
		f.release()
	}
	must(t, os.Mkdir(filepath.Join(dir, matchName), 0o700))
	if _, err := open(dir, quiet, osDisk{}); err == nil || !strings.Contains(err.Error(), "stays unchanged") {
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
	data := append(bytes.Repeat([]byte("x"), 3*maxLine), '\n') // a line that is far too long
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
		for _, decode := range []func([]byte) (match.Record, bool, error){decodeMatch, decodeOld} {
			r, _, err := decode(data)
			if err != nil {
				if _, ok := err.(match.Damage); !ok {
					t.Error(err)
				}
				continue
			}
			line, err := encode(r.Document())
			must(t, err)
			if again, torn, err := decodeMatch(line); again != r || torn || err != nil {
				t.Errorf("%v is read again as %v, %t, %v", r, again, torn, err)
			}
		}
	})
}

func FuzzHistory(f *testing.F) {
	f.Add([]byte(`{"version":1,"id":"a"}` + "\n\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, historyName), data, 0o600))
		before := look(&folder{dir: dir, disk: osDisk{}}).history
		p := program{Saver{folder: &folder{dir: dir, disk: osDisk{}, log: quiet}}}
		must(t, p.call(step{match: record(t, "fuzz", "1"), finish: true, abandoned: true}))
		after := look(p.folder).history
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
