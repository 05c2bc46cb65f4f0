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
	clean := newFakeDisk()
	p, _ := begin(clean)
	var was []match.Record
	for _, step := range s[:steps] {
		must(t, p.call(step))
		was = append(was, step.match)
	}
	name := dir + "/" + matchName
	content := clean.names[name].now
	last := was[len(was)-1]
	damaged(content, func(what string, at int, data []byte) {
		disk := clean.clone()
		disk.names[name].now, disk.names[name].safe = data, data
		log, lines := logged()
		p, err := start(disk, dir, log)
		must(t, err)
		m, ok := p.left, p.left.ID != ""
		n := strings.Count(lines.String(), "\n")
		lost := slices.Index(was, m)
		whole := what == "cut" && bytes.ContainsAny(content[max(at-1, 0):at+1], "\n")
		switch {
		case ok && lost < 0:
			t.Fatalf("%s at %d: another match, %v", what, at, m)
		case n > 1 || n == 0 && m != last && !whole && what == "cut":
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
	s := scripts(t)["long"]
	d := newFakeDisk()
	p, _ := begin(d)
	var all []match.Finished
	for _, step := range s {
		if must(t, p.call(step)); step.finish && step.match.Begun() {
			all = append(all, match.Finish(step.match, step.abandoned, noon()))
		}
	}
	name := dir + "/" + historyName
	damaged(d.names[name].now, func(what string, at int, data []byte) {
		disk := d.clone()
		disk.names[name].now = data
		found, bad := 0, 0
		for e, err := range history(disk, dir, 0) {
			if err != nil {
				bad++
			} else if found++; !slices.Contains(all, e) {
				t.Fatalf("%s at %d: another match, %v", what, at, e)
			}
		}
		if whole := what == "cut" && (at == 0 || bytes.HasSuffix(bytes.TrimSpace(data), []byte(`"}`))); found < len(all) && bad == 0 && !whole {
			t.Fatalf("%s at %d: %d matches, and no damage:\n%s", what, at, found, data)
		}
		for e, err := range history(disk, dir, 1) {
			if err == nil && !slices.Contains(all, e) {
				t.Fatalf("%s at %d: another last match, %v", what, at, e)
			}
		}
	})
}
