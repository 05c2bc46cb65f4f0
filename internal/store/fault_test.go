package store

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/match"
)

// errStop makes a write stop in the middle.
var errStop = errors.New("stop in the middle")

// fault fails many operations of the disk, after n others.
type fault struct {
	n, many int
	err     error
}

// on lets a disk fail. reached reports whether an operation has failed.
func (f fault) on(d *fakeDisk) (reached func() bool) {
	i := 0
	d.fault = func(op string) error {
		if (op == "short write") != (f.err == errStop) {
			return nil
		}
		if i++; i > f.n && i <= f.n+f.many {
			return f.err
		}
		return nil
	}
	return func() bool { return i > f.n }
}

// Each operation in turn fails, alone or with many after it, as on a disk that is full for a while, from an empty
// folder on or at a start with any match to resume. The game continues, a call that returns nil keeps its promise, and
// once the disk works again nothing is missing or duplicated.
func TestFaults(t *testing.T) {
	s := scripts(t)["short"]
	for _, err := range []error{syscall.EIO, errStop} { // the store treats all errors alike
		for _, many := range []int{1, 2, 40, 1000} {
			if testing.Short() && many > 1 {
				continue
			}
			t.Run(fmt.Sprintf("%v %d times", err, many), func(t *testing.T) {
				t.Parallel()
				for at := range s {
					d := newFakeDisk()
					played(t, d, dir, s[:at])
					for n := 0; n < 12 || at == 0 && many < 1000; n++ {
						if f := (fault{n, many, err}); !f.faulty(t, s, d.clone(), at) {
							break
						}
					}
				}
			})
		}
	}
}

// faulty runs the rest of a script on a disk that fails. The start finds the match or, if that cannot be read, says so
// and changes nothing.
func (f fault) faulty(t *testing.T, script script, d *fakeDisk, at int) (reached bool) {
	t.Helper()
	before := programs(d)
	failed := f.on(d)
	p := start(d, dir, quiet)
	if p.left != script.state(at).running {
		d.fault = nil
		if _, got := begin(d.clone()); p.left.ID != "" || p.unsaved == nil || script.find(got, at, at) < 0 || programs(d) != before {
			t.Fatalf("%+v: after %v there is\n%v\n%s", f, p.unsaved, got, d)
		}
		return failed()
	}
	sure := at // steps that are on the disk
	for i := at; i < len(script); i++ {
		err := p.call(script[i])
		if err != nil && i%2 == 0 { // after the other steps, the next one makes up for it
			err = p.folder.write(script.state(i + 1).running)
		}
		if errors.Is(err, errOther) { // the folder has a match that could not be read
			continue
		}
		if err == nil {
			sure = i + 1
		}
		killed := d.clone()
		if _, got := begin(killed); script.find(got, sure, i+1) < 0 {
			t.Fatalf("%+v: after step %d, %v, there is\n%v", f, i, err, got)
		}
		if f.many > 1 {
			continue
		}
		for left := range killed.cut() { // a power cut after the program's end
			if _, got := begin(left); script.find(got, sure, i+1) < 0 {
				t.Fatalf("%+v: step %d, %v, end and power cut leave\n%v\n%s", f, i, err, got, left)
			}
		}
	}
	d.fault = nil
	must(t, p.folder.write(match.Record{}))
	for left := range d.cut() {
		if _, got := begin(left); script.find(got, len(script), len(script)) < 0 {
			t.Fatalf("%+v: at the end there is\n%v\n%s", f, got, left)
		}
	}
	return failed()
}

// programs returns the part of a disk that programs see.
func programs(d *fakeDisk) string {
	now, _, _ := strings.Cut(d.String(), "on the disk:")
	return now
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
				d.safe = d.now.clone()
			}
			left := s.state(i + 1).running
			if p.call(step) != nil {
				must(t, p.folder.write(left))
			}
			for cut := range d.cut() {
				if _, got := begin(cut); left.ID != "" && got.running != left {
					t.Fatalf("removed at %d, after %d there is %v", at, i, got)
				}
			}
		}
	}
}

// From a read-only disk a match resumes.
func TestReadOnly(t *testing.T) {
	d := newFakeDisk()
	s := script{step{match: record(t, "a", "1")}}
	played(t, d, dir, s)
	d.fault = func(op string) error {
		if op == "create" || op == "read" {
			return nil
		}
		return syscall.EROFS
	}
	if p, got := begin(d); s.find(got, 1, 1) < 0 || !errors.Is(p.unsaved, syscall.EROFS) {
		t.Errorf("%v resumes, %v", got, p.unsaved)
	}
}
