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

// played plays a script's first steps on a disk, and returns what was saved and what is over.
func played(t *testing.T, d *fakeDisk, s script) (was []match.Record, all []match.Finished) {
	p, _ := begin(d)
	for _, step := range s {
		must(t, p.call(step))
		if was = append(was, step.match); step.finish && step.match.Begun() {
			all = append(all, match.Finish(step.match, noon()))
		}
	}
	p.folder.release()
	return was, all
}

// Whichever byte of match.jsonl is flipped or missing, the program resumes the same match, perhaps as
// it was before the last disc, or sets it aside. It says so in one line, unless only whole lines
// are missing: then nothing is there to notice.
func TestFlippedMatch(t *testing.T) {
	s := scripts(t)["long"]
	clean, name := newFakeDisk(), dir+"/"+matchName
	was, _ := played(t, clean, s[:slices.IndexFunc(s, func(s step) bool { return s.finish })])
	content, last := clean.content(name), was[len(was)-1]
	damaged(content, func(what string, at int, data []byte) {
		disk := clean.clone()
		disk.set(name, data)
		log, lines := logged()
		p := start(disk, dir, log)
		said, found := strings.Count(lines.String(), "\n"), slices.Index(was, p.left)
		whole := what == "cut" && bytes.HasSuffix(data, []byte("\n"))
		switch {
		case p.left.ID == "" && (!disk.has(dir+"/"+damagedName) || said != 1):
			t.Fatalf("%s at %d: nothing resumes, set aside is %s", what, at, lines)
		case p.left.ID == "":
		case found < 0:
			t.Fatalf("%s at %d: another match, %v", what, at, p.left)
		case said > 1 || said == 0 && p.left != last && !whole:
			t.Fatalf("%s at %d: %v resumes, and %d lines are logged: %s", what, at, p.left.Rounds(), said, lines)
		case what == "flipped" && found < len(was)-3: // instead of a newline it makes two lines one
			t.Fatalf("flipped at %d: several discs are lost", at)
		}
	})
}

// Whichever byte of the history is flipped or missing, each match is read as it was or reported as
// damaged. A cut at the end of a line is no damage. The next match is entered, and none is lost by it.
func TestFlippedHistory(t *testing.T) {
	s := scripts(t)["long"]
	clean, name := newFakeDisk(), dir+"/"+historyName
	_, all := played(t, clean, s)
	next := match.Finish(record(t, "next", "44"), noon())
	damaged(clean.content(name), func(what string, at int, data []byte) {
		disk := clean.clone()
		disk.set(name, data)
		count := func() (found, bad int) {
			for e, err := range history(disk, dir, 0) {
				if err != nil {
					bad++
				} else if found++; e != next && !slices.Contains(all, e) {
					t.Fatalf("%s at %d: another match, %v", what, at, e)
				}
			}
			return found, bad
		}
		found, bad := count()
		if whole := what == "cut" && (at == 0 || bytes.HasSuffix(bytes.TrimSpace(data), []byte(`"}`))); found < len(all) && bad == 0 && !whole {
			t.Fatalf("%s at %d: %d matches, and no damage:\n%s", what, at, found, data)
		}
		p := start(disk, dir, quiet)
		p.over = append(p.over, next)
		must(t, p.flush(match.Record{}))
		if now, stillBad := count(); now <= found || now+stillBad != found+bad+1 && len(data)-bytes.LastIndexByte(data, '\n') > 30 {
			t.Fatalf("%s at %d: of %d matches and %d damaged ones, %d and %d are left after another one", what, at, found, bad, now, stillBad)
		}
	})
}
