package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/match"
)

// dir is a folder that does not exist, and neither does its parent: the store must create both.
const dir = "/var/c4hat"

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// logged returns a logger and its output.
func logged() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, nil)), &b
}

var must = try.Must

// On a real disk, the program ends after each step.
func TestRealDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	log, lines := logged()
	all := scripts(t)["short"]
	for i, step := range all {
		want := all.state(i)
		left, ok := Left(dir)
		p := start(osDisk{}, dir, log)
		if got := p.look(); all.find(got, i, i) < 0 || left != want.running || ok != (left.ID != "") || lines.Len() > 0 {
			t.Fatalf("after %d steps there is\n%v, want\n%v; left is %v; log %s", i, got, want, left, lines)
		}
		must(t, p.call(step))
		p.folder.release()
	}
}

// c4hat 0.3 was stopped in mid-match.
func TestOld(t *testing.T) {
	old := `{"version":1,"id":"x-1","board":"7x6","connect":4,"points":2,"first":"alternate","rounds":["4455"]}`
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, oldName), []byte(old+"  \t \t\t \n"), 0o600))
	p := start(osDisk{}, dir, quiet)
	left, ok := Left(dir)
	if !ok || left != p.left || left.ID != "x-1" || left.Game.String() != "4455" || p.folder.has(oldName) {
		t.Errorf("%v is left, %t", left, ok)
	}
}

// A folder that is plugged in later, or exchanged, has a match, which is not replaced. What is over is entered there.
func TestPluggedInLater(t *testing.T) {
	for _, later := range []bool{true, false} {
		top := t.TempDir()
		dir, other, one := filepath.Join(top, "late"), filepath.Join(top, "other"), step{match: record(t, "one", "12")}
		if later {
			must(t, os.WriteFile(dir, nil, 0o600))
		}
		late := start(osDisk{}, dir, quiet)
		if err := late.call(step{match: record(t, "two", "34")}); (err != nil) != later {
			t.Error(err)
		}
		played(t, osDisk{}, other, script{one})
		must(t, os.Rename(dir, filepath.Join(top, "aside")))
		must(t, os.Rename(other, dir))
		for _, finish := range []bool{false, false, true} {
			if err := late.call(step{match: record(t, "two", "343"), finish: finish}); err != errOther {
				t.Error(err)
			}
		}
		if left, ok := Left(dir); !ok || left != one.match || len(late.look().history) != 1 {
			t.Errorf("%t: %v is left, %t, %v", later, left, ok, late.look())
		}
	}
}

// Further damaged matches get further names, and none of them resumes. A folder is no match, and without a match the
// history is not needed.
func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	impossible := record(t, "x", "12").Document()
	impossible.Opening = 3
	for name, line := range map[string][]byte{"": []byte("no JSON\n"), "2": encode(impossible), "3": []byte("\x00{}\n")} {
		must(t, os.WriteFile(filepath.Join(dir, matchName), line, 0o600))
		left, ok := Left(dir)
		p := start(osDisk{}, dir, quiet)
		p.folder.release()
		if ok || left.ID != "" || p.left.ID != "" {
			t.Errorf("%s: %v resumes", name, p.left)
		}
	}
	for _, name := range []string{damagedName, damagedName + "2", damagedName + "3"} {
		_, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
	}
	must(t, os.Mkdir(filepath.Join(dir, historyName), 0o700))
	played(t, osDisk{}, dir, nil)
	must(t, os.Mkdir(filepath.Join(dir, matchName), 0o700))
	if p := start(osDisk{}, dir, quiet); p.unsaved == nil || !strings.Contains(p.unsaved.Error(), "stays unchanged") {
		t.Error(p.unsaved)
	}
}

// The last matches are read from the end of a history, and damage is named.
func TestHistory(t *testing.T) {
	dir := t.TempDir()
	data := append(bytes.Repeat([]byte("x"), 1<<20), '\n') // a line that is far too long
	for n := range 5000 {
		line := encode(match.Finish(record(t, fmt.Sprint("m", n), "44"), noon()).Document())
		if data = append(data, line...); n == 4000 || n == 4997 {
			data = append(data, "damaged\n"...)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, historyName), data, 0o600))
	for last, want := range map[int]string{1: "m4999", 3: "0 m4998 m4999", 0: "1 4003 5001"} {
		var got []string
		matches := 0
		for m, err := range history(osDisk{}, dir, last) {
			matches++
			if d, bad := errors.AsType[match.Damage](err); bad {
				got = append(got, fmt.Sprint(d.Number))
				if len(d.Error()) > 500 || last == 0 && !strings.Contains(d.Error(), fmt.Sprintf(", line %d: ", d.Number)) {
					t.Error(err)
				}
			} else if must(t, err); last > 0 {
				got = append(got, m.ID)
			}
		}
		if strings.Join(got, " ") != want || last == 0 && matches != 5003 {
			t.Errorf("of the last %d: %d matches, %s", last, matches, got)
		}
	}
}
