package store

import (
	"fmt"
	"testing"
)

// crasher ends a script at every operation of the disk, by a power cut or by killing the program.
type crasher struct {
	t      *testing.T
	script script
	seen   map[string]int  // disks already tried, each with the number of further ends tried after it
	cuts   int             // number of all cuts
	gone   map[string]bool // disks on which the script was continued to its end
}

// If the power is cut or the program is killed at any moment, at most the disc in mid-air is lost.
// The test tries every moment with everything that the disk may have kept or lost, and then does
// the same during the next start and the next moves.
func TestCrash(t *testing.T) {
	for name, s := range scripts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ends := 1
			switch short := name == "short"; {
			case testing.Short() && !short:
				t.Skip("takes seconds")
			case short && !testing.Short():
				ends = 2
			}
			c := &crasher{t: t, script: s, seen: map[string]int{}, gone: map[string]bool{}}
			c.run(newFakeDisk(), 0, 0, ends)
			t.Logf("%d steps, %d disks, %d different ones", len(s), c.cuts, len(c.seen))
		})
	}
}

// run starts the program on a disk, checks what the program finds, and continues the script from
// there to its end. Before the start, at least lo steps of the script were completed and hi were
// begun. On the way it tries every moment to end the program, also during a start, up to ends times
// one after the other.
func (c *crasher) run(d *fakeDisk, lo, hi, ends int) {
	c.t.Helper()
	begun, again := hi, len(c.seen) > 0
	next := func(left *fakeDisk) { // the next program starts on the disk that this one left
		c.cuts++
		key := fmt.Sprintf("%d %d %s", lo, begun, left)
		if tried, ok := c.seen[key]; !ok || tried < ends-1 {
			c.seen[key] = ends - 1
			c.run(left, lo, begun, ends-1)
		}
	}
	if ends > 0 {
		d.after = func() {
			next(d.clone())
			for left := range d.cut() {
				next(left)
			}
		}
	}
	before := d.String()
	p, got := begin(d)
	found := c.script.find(got, lo, hi)
	if found < 0 || d.has(dir+"/"+damagedName) {
		c.t.Fatalf("after %d to %d steps the program finds\n%v\non the disk\n%s", lo, hi, got, before)
	}
	if found > 0 && !c.script[found-1].finish {
		lo = found // what a program resumes survives, even if the one before it was killed
	}
	for i := found; i < len(c.script); i++ {
		begun = i + 1
		if err := p.call(c.script[i]); err != nil {
			c.t.Fatalf("step %d: %v", i, err)
		}
		lo = begun
		if again && i > found { // from here on, this run does the same as the first run
			d.after = nil
			key := fmt.Sprintf("%d %s", i, d)
			if c.gone[key] {
				return
			}
			c.gone[key] = true
		}
	}
	p.folder.release()
	d.after = nil
	if p.look().damaged > 0 {
		c.t.Fatalf("a power cut leaves damage in the history on the disk\n%s", d)
	}
	for left := range d.cut() {
		if _, got := begin(left); c.script.find(got, lo, len(c.script)) < 0 {
			c.t.Fatalf("at the end the program finds\n%v\non the disk\n%s", got, left)
		}
	}
}
