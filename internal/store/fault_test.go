package store

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/match"
)

// failing lets the next n operations of the disk succeed, and makes the many operations after them
// fail. reached reports whether one has failed.
func failing(d *fakeDisk, n, many int, err error) (reached func() bool) {
	short := err == errStop
	i := 0
	d.fault = func(op string) error {
		if (op == "short write") != short && (short || op == "short write") {
			return nil
		}
		i++
		if i > n && i <= n+many {
			return err
		}
		return nil
	}
	return func() bool { return i > n }
}

// errStop makes a write stop in the middle.
var errStop = fmt.Errorf("stop in the middle")

// Each operation in turn fails, alone or with many after it, as on a disk that is full for a while.
// The game continues, a call that returns nil keeps its promise, and once the disk works again
// nothing is missing or duplicated.
func TestFaults(t *testing.T) {
	s := scripts(t)["short"]
	for _, err := range []error{syscall.ENOSPC, syscall.EROFS, syscall.EIO, errStop} {
		for _, many := range []int{1, 2, 7, 40} {
			if many > 1 && err != syscall.EIO && err != errStop {
				continue // the store treats these errors alike
			}
			if testing.Short() && (many > 1 || err == syscall.ENOSPC || err == syscall.EROFS) {
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
// repeatedly. Either the match is found or the start fails; nothing is set aside.
func TestFaultsAtStart(t *testing.T) {
	s := scripts(t)["short"]
	for at := 1; at < len(s); at++ {
		d := newFakeDisk()
		before, _ := begin(d)
		for _, step := range s[:at] {
			must(t, before.call(step))
		}
		for _, err := range []error{syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.EACCES, syscall.ENOMEM, syscall.ENOSPC, syscall.EROFS} {
			for _, many := range []int{1, 2, 3, 7, 1000} {
				for n := range 12 {
					started := d.clone()
					failing(started, n, many, err)
					one, errOpen := start(started, dir, quiet)
					if was := s.state(at); errOpen == nil && was.resumes {
						if one.left != was.running {
							t.Fatalf("%v at operation %d, %d times: without an error, and without the match", err, n, many)
						}
					}
					if errOpen != nil && strings.Split(started.String(), "late:")[0] != strings.Split(d.String(), "late:")[0] {
						t.Fatalf("%v at operation %d, %d times: the start leaves\n%vof\n%v", err, n, many, started, d)
					}
					if err == syscall.EIO && many < 1000 {
						faulty(t, s, d.clone(), at, n, many, false, err)
					}
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
	s, err := start(d, dir, quiet)
	if err != nil { // the start failed, so it has changed nothing
		d.fault = nil
		if _, got := begin(d); !got.equal(was) || d.has(dir+"/"+damagedName) {
			t.Fatalf("operation %d: after %v there is\n%v, want\n%v", n, err, got, was)
		}
		return reached()
	}
	got := s.look()
	if got.resumes && got.running != was.running {
		t.Fatalf("operation %d: the program resumes\n%v, want\n%v", n, got, was)
	}
	possible := []match.Record{was.running}
	for i := at; i < len(script); i++ {
		err := s.call(script[i])
		if err != nil && repeat {
			err = s.call(script[i])
		}
		want := script.state(i + 1)
		possible = append(possible, want.running)
		killed := d.clone()
		_, got := begin(killed)
		switch {
		case s.folder.another: // the folder has a match that could not be read
		case err == nil:
			possible = possible[len(possible)-1:]
			if !got.equal(want) {
				t.Fatalf("operation %d: after step %d, without an error, there is\n%v, want\n%v", n, i, got, want)
			}
		case got.resumes && !slices.Contains(possible, got.running):
			t.Fatalf("operation %d: after step %d, %v, there is\n%v", n, i, err, got)
		}
		if many == 1 && !s.folder.another { // a power cut after the program's end
			for left := range killed.cut() {
				if _, got := begin(left); !got.equal(want) && (err == nil || !got.equal(script.state(i))) {
					t.Fatalf("operation %d: step %d, %v, end and power cut leave\n%v\n%s", n, i, err, got, left)
				}
			}
		}
		if many == 1 && d.has(dir+"/"+newName) {
			t.Fatalf("operation %d: step %d, %v, leaves a temporary file", n, i, err)
		}
	}
	d.fault = nil
	if err := s.flush(match.Record{}); err != nil {
		t.Fatalf("operation %d: at the end: %v", n, err)
	}
	want := script.state(len(script))
	d.late = slices.DeleteFunc(d.late, func(l naming) bool { return l.from+l.to == dir+"/"+newName }) // created and removed repeatedly
	for left := range d.cut() {
		if _, got := begin(left); !got.equal(want) {
			t.Fatalf("operation %d: at the end there is\n%v, want\n%v\n%s", n, got, want, left)
		}
	}
	return reached()
}

// If the folder is removed while the program is running, at most the next call fails.
func TestFolderRemoved(t *testing.T) {
	s := scripts(t)["short"]
	for at := range s {
		d := newFakeDisk()
		st, _ := begin(d)
		for i, step := range s {
			if i == at {
				for _, name := range []string{lockName, matchName, newName, historyName, historyLock} {
					delete(d.names, dir+"/"+name)
				}
				delete(d.names, dir)
			}
			if err := st.call(step); err != nil && i != at {
				t.Fatalf("removed at %d: step %d: %v", at, i, err)
			}
		}
		must(t, st.flush(match.Record{}))
	}
}
