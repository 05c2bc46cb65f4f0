package store

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
)

// oneLine checks that an error is one short line for the log: a damaged file may have a line of a
// megabyte with anything in it.
func oneLine(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); strings.ContainsAny(text, "\n\r\x1b") || len(text) > 600 {
		t.Fatalf("not one short line: %.700q", text)
	}
}

func FuzzMatch(f *testing.F) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		data, _ := encodeMatch(randomMatch(random))
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, _, err := decodeMatch(data)
		if err != nil {
			oneLine(t, err)
			return
		}
		again, err := encodeMatch(m)
		must(t, err)
		if m2, torn, err := decodeMatch(again); err != nil || torn || m2 != m {
			t.Fatalf("%s is read as %v, %v", again, m2, err)
		}
	})
}

func FuzzEntry(f *testing.F) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		e := match.Finished{Record: randomMatch(random), Ended: noon()}
		e.Abandoned = e.Final().Winner() == board.Empty
		data, _ := encodeFinished(e)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := decodeFinished(line)
		if err != nil {
			oneLine(t, err)
			return
		}
		again, err := encodeFinished(e)
		must(t, err)
		if e2, err := decodeFinished(again); err != nil || e2 != e {
			t.Fatalf("%s is read as %v, %v", again, e2, err)
		}
	})
}

// FuzzHistory: whatever the history contains, its lines that are matches are read, and a
// finished match is added once.
func FuzzHistory(f *testing.F) {
	f.Fuzz(func(t *testing.T, before []byte) {
		d := newFakeDisk()
		for _, dir := range []string{"/var", dir} {
			must(t, d.mkdir(dir))
		}
		file, err := d.open(dir+"/"+historyName, os.O_RDWR|os.O_CREATE)
		if err == nil {
			_, err = file.Write(before)
		}
		must(t, err)
		read := func() (ids []string) {
			for e, err := range history(d, dir, 0) {
				if err != nil {
					oneLine(t, err)
					continue
				}
				ids = append(ids, e.ID)
			}
			return ids
		}
		var want []string
		for line := range bytes.SplitSeq(before, []byte("\n")) {
			if e, err := decodeFinished(line); err == nil {
				want = append(want, e.ID)
			}
		}
		if got := read(); !slices.Equal(got, want) {
			t.Fatalf("read %q, want %q", got, want)
		}
		m, g, err := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"1212121"})
		must(t, err)
		if !slices.Contains(want, "the-new-one") {
			want = append(want, "the-new-one")
		}
		for range 2 {
			s := begin(dir, d, noon)
			must(t, s.finish(match.Record{ID: "the-new-one", Match: m, Game: g}, false))
			must(t, s.close())
			if got := read(); !slices.Equal(got, want) {
				t.Fatalf("then read %q, want %q", got, want)
			}
		}
	})
}

// FuzzRunning: whatever match.json contains is resumed or set aside, and a new match is
// then saved as usual.
func FuzzRunning(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		d := newFakeDisk()
		for _, dir := range []string{"/var", dir} {
			must(t, d.mkdir(dir))
		}
		file, err := d.open(dir+"/"+matchName, os.O_RDWR|os.O_CREATE)
		if err == nil {
			_, err = file.Write(data)
		}
		must(t, err)
		left, _, wrong := decodeMatch(data)
		s := begin(dir, d, noon)
		m, ok := s.resumes()
		if ok != (wrong == nil) || ok && m != left || d.has(dir+"/"+damagedName) == ok {
			t.Fatalf("resumes %v, %v; the file: %v", m, ok, wrong)
		}
		next := randomMatch(rand.New(rand.NewPCG(uint64(len(data)), 0)))
		must(t, s.put(next))
		must(t, s.close())
		if m, ok := begin(dir, d, noon).resumes(); !ok || m != next {
			t.Fatalf("then resumes %v, %v, want %v", m, ok, next)
		}
	})
}
