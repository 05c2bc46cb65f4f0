package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/match"
)

// errStop makes a write stop in the middle.
var errStop = errors.New("stop in the middle")

// failing lets the next n operations of the disk succeed, and makes the many operations after them
// fail. reached reports whether one has failed.
func failing(d *fakeDisk, n, many int, err error) (reached func() bool) {
	i := 0
	d.fault = func(op string) error {
		if (op == "short write") != (err == errStop) {
			return nil
		}
		if i++; i > n && i <= n+many {
			return err
		}
		return nil
	}
	return func() bool { return i > n }
}

// Each operation in turn fails, alone or with many after it, as on a disk that is full for a while.
// The game continues, a call that returns nil keeps its promise, and once the disk works again
// nothing is missing or duplicated.
func TestFaults(t *testing.T) {
	s := scripts(t)["short"]
	for _, err := range []error{syscall.EIO, errStop} { // the store treats all errors alike
		for _, many := range []int{1, 2, 7, 40} {
			if testing.Short() && many > 1 {
				continue
			}
			t.Run(fmt.Sprintf("%v %d times", err, many), func(t *testing.T) {
				t.Parallel()
				n := 0
				for faulty(t, s, newFakeDisk(), 0, n, many, false, err) {
					faulty(t, s, newFakeDisk(), 0, n, many, true, err)
					n++
				}
				t.Logf("%d operations", n)
			})
		}
	}
}

// At a start with a match to resume, each operation in turn fails with each error, once or
// repeatedly. Either the match is found or the start fails and changes nothing.
func TestFaultsAtStart(t *testing.T) {
	s := scripts(t)["short"]
	for at := 1; at < len(s); at++ {
		d := newFakeDisk()
		played(t, d, s[:at])
		for _, many := range []int{1, 2, 3, 7, 1000} {
			for n := range 12 {
				started := d.clone()
				failing(started, n, many, syscall.EIO)
				p := start(started, dir, quiet)
				found := p.left == s.state(at).running
				if !found && (p.left.ID != "" || p.unsaved == nil) {
					t.Fatalf("operation %d, %d times: without an error, and without the match", n, many)
				}
				if !found && strings.Split(started.String(), "on the disk:")[0] != strings.Split(d.String(), "on the disk:")[0] {
					t.Fatalf("operation %d, %d times: the start leaves\n%vof\n%v", n, many, started, d)
				}
				if many < 1000 {
					faulty(t, s, d.clone(), at, n, many, false, syscall.EIO)
				}
			}
		}
	}
}

// faulty runs the script with one failing operation, and some after it. A failed step is repeated
// at once, or the later steps make up for it.
func faulty(t *testing.T, script script, d *fakeDisk, at, n, many int, repeat bool, fault error) bool {
	t.Helper()
	was := script.state(at)
	reached := failing(d, n, many, fault)
	s := start(d, dir, quiet)
	if s.left != was.running {
		d.fault = nil
		if _, got := begin(d); !got.equal(was) || d.has(dir+"/"+damagedName) {
			t.Fatalf("operation %d: after %v there is\n%v, want\n%v", n, s.unsaved, got, was)
		}
		return reached()
	}
	possible := []match.Record{{}, was.running}
	for i := at; i < len(script); i++ {
		want := script.state(i + 1)
		err := s.call(script[i])
		if err != nil && repeat {
			err = s.flush(want.running)
		}
		possible = append(possible, want.running)
		killed := d.clone()
		_, got := begin(killed)
		switch {
		case errors.Is(err, errOther): // the folder has a match that could not be read
		case err == nil && !got.equal(want), !slices.Contains(possible, got.running):
			t.Fatalf("operation %d: after step %d, %v, there is\n%v, want\n%v", n, i, err, got, want)
		case err == nil:
			possible = []match.Record{{}, want.running}
		}
		if many > 1 || errors.Is(err, errOther) {
			continue
		}
		for left := range killed.cut() { // a power cut after the program's end
			if _, got := begin(left); !got.equal(want) && (err == nil || !got.equal(script.state(i))) {
				t.Fatalf("operation %d: step %d, %v, end and power cut leave\n%v\n%s", n, i, err, got, left)
			}
		}
	}
	d.fault = nil
	must(t, s.flush(match.Record{}))
	d.late = slices.DeleteFunc(d.late, func(o op) bool { return o.from+o.to == dir+"/"+newName })
	for left := range d.cut() {
		if _, got := begin(left); !got.equal(script.state(len(script))) {
			t.Fatalf("operation %d: at the end there is\n%v\n%s", n, got, left)
		}
	}
	return reached()
}

// If the folder is removed while the program is running, a save fails, and it is there again when that is tried again.
func TestFolderRemoved(t *testing.T) {
	s := scripts(t)["short"]
	for at := range s {
		d := newFakeDisk()
		p, _ := begin(d)
		for i, step := range s {
			if i == at {
				maps.DeleteFunc(d.now.names, func(name string, _ int) bool { return strings.HasPrefix(name, dir) })
			}
			left := s.state(i + 1).running
			err := p.call(step)
			if i == at && err != nil {
				err = p.flush(left)
			}
			must(t, err)
			if left.ID != "" {
				if _, got := begin(d.clone()); got.running != left {
					t.Fatalf("removed at %d, after %d there is %v", at, i, got)
				}
			}
		}
	}
}
