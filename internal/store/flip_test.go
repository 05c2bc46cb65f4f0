package store

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/match"
)

// damaged yields data with each byte in turn changed in several ways, and cut off before each byte.
func damaged(data []byte, yield func(what string, at int, data []byte)) {
	for at := range data {
		for _, c := range []byte{data[at] ^ 1, data[at] ^ 2, data[at] ^ 0x80, 0, '\n', ' ', '\t', '"', '0', '3', '/', '+'} {
			if c != data[at] {
				d := bytes.Clone(data)
				d[at] = c
				yield("flipped", at, d)
			}
		}
		yield("cut", at, data[:at])
	}
}

// Whichever byte of match.json is flipped or missing, the program resumes the same match, perhaps as
// it was before the last disc, or sets it aside. It says so in one line, unless only whole lines
// are missing: then nothing is there to notice.
func TestFlippedMatch(t *testing.T) {
	s := scripts(t)["long"]
	steps := slices.IndexFunc(s, func(s step) bool { return s.finish })
	d, _ := start(newFakeDisk())
	var was []match.Record
	for _, step := range s[:steps] {
		must(t, d.put(step.match))
		was = append(was, step.match)
	}
	name := dir + "/" + matchName
	content := d.disk.(*fakeDisk).names[name].now
	content = content[:len(bytes.TrimRight(content, "\x00"))+5] // of the zeros a few will do
	must(t, d.close())
	last := was[len(was)-1]
	damaged(content, func(what string, at int, data []byte) {
		disk := d.disk.(*fakeDisk).clone()
		disk.names[name].now, disk.names[name].safe = data, data
		log, lines := logged()
		f, err := open(dir, log, disk, noon)
		must(t, err)
		m, ok := f.resumes()
		n := strings.Count(lines.String(), "\n")
		lost := slices.Index(was, m)
		whole := what == "cut" && bytes.ContainsAny(content[max(at-1, 0):at+1], "\n")
		switch {
		case ok && lost < 0:
			t.Fatalf("%s at %d: another match, %v", what, at, m)
		case n > 1 || n == 0 && m != last && !whole:
			t.Fatalf("%s at %d: %v resumes, and %d lines are logged: %s", what, at, m.Rounds(), n, lines)
		case ok && what == "flipped" && lost < len(was)-3: // a zero in place of a newline makes two lines one
			t.Fatalf("flipped at %d: several discs are lost", at)
		case !ok && !disk.has(dir+"/"+damagedName):
			t.Fatalf("%s at %d: nothing resumes, and nothing is set aside", what, at)
		}
	})
}

// Whichever byte of the history is flipped or missing, each match is read as it was or reported as
// damaged. A cut at the end of a line is no damage.
func TestFlippedHistory(t *testing.T) {
	_, all := matches(t, 3)
	d := newFakeDisk()
	f, _ := start(d)
	for _, e := range all {
		must(t, f.finish(e.Record, e.Abandoned))
	}
	must(t, f.close())
	name := dir + "/" + historyName
	damaged(d.names[name].now, func(what string, at int, data []byte) {
		disk := d.clone()
		disk.names[name].now = data
		found, bad := 0, 0
		for e, err := range history(disk, dir, 0) {
			if err != nil {
				oneLine(t, err)
				bad++
			} else if found++; !slices.Contains(all, e) {
				t.Fatalf("%s at %d: another match, %v", what, at, e)
			}
		}
		if whole := what == "cut" && (at == 0 || bytes.HasSuffix(bytes.TrimSpace(data), []byte(`Z"}`))); found < len(all) && bad == 0 && !whole {
			t.Fatalf("%s at %d: %d matches, and no damage:\n%s", what, at, found, data)
		}
		for e, err := range history(disk, dir, 1) {
			if err == nil && !slices.Contains(all, e) {
				t.Fatalf("%s at %d: another last match, %v", what, at, e)
			}
		}
	})
}

// A very long history is shortened a few lines at a time: a save comes first, and the end of the
// program does not wait. The next program shortens it.
func TestTrimWaits(t *testing.T) {
	_, all := matches(t, 3)
	d := newFakeDisk()
	before, _ := start(d)
	must(t, before.finish(all[0].Record, all[0].Abandoned))
	must(t, before.close())
	line, err := encodeFinished(all[0])
	must(t, err)
	name := dir + "/" + historyName
	long := bytes.Repeat(line, 10*trimStep)
	d.names[name].now, d.names[name].safe = long, long
	f, _ := start(d)
	f.limit = 5000
	must(t, f.finish(all[1].Record, all[1].Abandoned))
	if f.trim(); !f.trims() {
		t.Fatal("everything is counted at once")
	}
	must(t, f.put(all[2].Record)) // between two steps
	must(t, f.close())
	if size := len(d.names[name].now); size < len(long) {
		t.Errorf("closed after shortening to %d bytes", size)
	}
	f, _ = start(d)
	f.limit = 5000
	must(t, f.finish(all[2].Record, all[2].Abandoned))
	for f.trims() {
		f.trim()
	}
	h := readTrimmed(t, d, dir)
	if n := h.dropped.Matches + len(h.kept); n != 10*trimStep+2 || h.dropped.Matches == 0 {
		t.Errorf("%d matches are dropped, %d kept", h.dropped.Matches, len(h.kept))
	}
}
