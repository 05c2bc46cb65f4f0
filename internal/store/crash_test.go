package store

import (
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"
)

// dir is a folder that the store has to make, and the one above it too.
const dir = "/var/c4hat"

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// begin opens a folder in which nothing can be wrong.
func begin(dir string, d disk, now func() time.Time) *Store {
	s, err := open(dir, quiet, d, now)
	if err != nil {
		panic(err)
	}
	return s
}

func mustOpen(t testing.TB, dir string, log *slog.Logger) *Store {
	t.Helper()
	s, err := Open(dir, log)
	must(t, err)
	return s
}

// start is the program's start on a disk.
func start(d *fakeDisk) (*Store, state) {
	s := begin(dir, d, noon)
	return s, look(s)
}

func look(s *Store) (st state) {
	st.running, st.resumes = s.Running()
	for e := range s.Matches(0) {
		e.Ended = time.Time{}
		st.history = append(st.history, e)
	}
	return st
}

// crasher cuts a script at every operation of the disk.
type crasher struct {
	t      *testing.T
	script script
	seen   map[string]int  // disks that were tried, and with how many ends to come
	cuts   int             // all of them
	gone   map[string]bool // disks from which the script was gone on with to its end
}

// A power cut, or the end of the program, at any moment costs no more than the
// disc in the air. Not a sample of the moments: all of them, each with all that the
// disk may have kept and lost by then; and then all moments of the start after it,
// and of the next moves.
func TestCrash(t *testing.T) {
	for name, s := range scripts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name != "short" {
				t.Skip("takes seconds")
			}
			c := &crasher{t: t, script: s, seen: map[string]int{}, gone: map[string]bool{}}
			ends := 2
			if name == "short" && !testing.Short() {
				ends = 3
			}
			c.run(newFakeDisk(), 0, 0, ends)
			t.Logf("%d steps, %d disks, %d different ones", len(s), c.cuts, len(c.seen))
		})
	}
}

// run starts the program on a disk, looks what it finds, and goes on from there to
// the end of the script. Before, at least lo steps of it were done, and hi of them
// begun. The program is ended so many times on its way, also while it starts again.
func (c *crasher) run(d *fakeDisk, lo, hi, ends int) {
	c.t.Helper()
	begun := hi
	if ends > 0 {
		d.after = func(op string) {
			c.end(d.clone(), lo, begun, ends-1)
			for left := range d.cut() {
				c.end(left, lo, begun, ends-1)
			}
		}
	}
	before := d.String()
	s, got := start(d)
	found := lo
	for !got.equal(c.script.state(found)) {
		if found++; found > hi {
			c.t.Fatalf("after %d to %d steps the program finds\n%v\non the disk\n%s", lo, hi, got, before)
		}
	}
	if d.has(dir + "/" + damagedName) {
		c.t.Fatalf("after %d to %d steps the match is damaged:\n%s", lo, hi, before)
	}
	again := len(c.seen) > 0
	for i := found; i < len(c.script); i++ {
		begun = i + 1
		if err := c.script[i].call(s); err != nil {
			c.t.Fatalf("step %d: %v", i, err)
		}
		lo = begun
		if again && i >= found+1 { // what comes from here on is like the first run
			d.after = nil
			key := fmt.Sprintf("%d %s", i, d)
			if c.gone[key] {
				return
			}
			c.gone[key] = true
		}
	}
	if err := s.Close(); err != nil {
		c.t.Fatal(err)
	}
	d.after = nil
	want := c.script.state(len(c.script))
	for left := range d.cut() {
		if _, got := start(left); !got.equal(want) {
			c.t.Fatalf("at the end the program finds\n%v, want\n%v\non the disk\n%s", got, want, left)
		}
	}
}

// end is the end of the program: what it leaves is what the next one finds.
func (c *crasher) end(left *fakeDisk, lo, hi, ends int) {
	c.cuts++
	key := fmt.Sprintf("%d %d %s", lo, hi, left)
	if tried, ok := c.seen[key]; ok && tried >= ends {
		return
	}
	c.seen[key] = ends
	c.run(left, lo, hi, ends)
}
