package store

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// damaged yields disks on which one byte of a file is flipped in several ways, or the file ends before it. whole
// reports whether only whole lines are missing: then nothing is there to notice.
func damaged(clean *fakeDisk, name string, yield func(d *fakeDisk, what string, whole bool)) {
	content := clean.content(name)
	with := func(what string, data []byte) {
		d := clean.clone()
		d.set(name, data)
		whole := what == "cut" && (len(data) == 0 || strings.HasSuffix(strings.TrimSpace(string(data)), `"}`))
		yield(d, what+" at "+string(data), whole)
	}
	for at := range content {
		for _, c := range []byte{content[at] ^ 1, content[at] ^ 2, content[at] ^ 0x80, 0, '\n', ' ', '"', '0', '3', '+'} {
			if c != content[at] {
				data := bytes.Clone(content)
				data[at] = c
				with("flipped", data)
			}
		}
		with("cut", content[:at])
	}
}

// Whichever byte of match.jsonl is flipped or missing, the program resumes the same match, perhaps as it was before
// the last disc, or sets it aside. It says so in one line.
func TestFlippedMatch(t *testing.T) {
	s := scripts(t)["long"]
	s = s[:slices.IndexFunc(s, func(s step) bool { return s.finish })]
	clean := newFakeDisk()
	played(t, clean, dir, s)
	damaged(clean, dir+"/"+matchName, func(d *fakeDisk, what string, whole bool) {
		log, lines := logged()
		left := start(d, dir, log).left
		said, found := strings.Count(lines.String(), "\n"), slices.Index(s, step{match: left})
		aside := left.ID == "" && d.has(dir+"/"+damagedName)
		torn := left.ID == "" && !strings.Contains(what, "}\n") // the first save was never answered
		if said > 1 || !aside && !torn && found < 0 || said == 0 && found < len(s)-1 && !whole {
			t.Fatalf("%s: %v resumes, set aside is %t, logged is %s", what, left, aside, lines)
		}
		if found >= 0 && found < len(s)-3 && strings.HasPrefix(what, "flipped") { // a newline is missing between two lines
			t.Fatalf("%s: several discs are lost", what)
		}
	})
}

// Whichever byte of the history is flipped or missing, each match is read as it was or reported as damaged. The next
// match is entered, and none is lost by it.
func TestFlippedHistory(t *testing.T) {
	clean, s := newFakeDisk(), scripts(t)["long"]
	played(t, clean, dir, s)
	all, next := s.state(len(s)).history, step{match: record(t, "next", "44"), finish: true}
	damaged(clean, dir+"/"+historyName, func(d *fakeDisk, what string, whole bool) {
		p, st := begin(d)
		before := st.history
		for _, m := range before {
			if !slices.Contains(all, m) {
				t.Fatalf("%s: another match, %v", what, m)
			}
		}
		if len(before) < len(all) && st.damaged == 0 && !whole {
			t.Fatalf("%s: %d matches, and no damage", what, len(before))
		}
		must(t, p.call(next))
		after := p.look().history // a zero instead of the last newline is mended
		if n := len(after) - 1; n < len(before) || !slices.Equal(after[:len(before)], before) || after[n].Record != next.match {
			t.Fatalf("%s: of %d matches, there are %d after another one", what, len(before), n)
		}
	})
}
