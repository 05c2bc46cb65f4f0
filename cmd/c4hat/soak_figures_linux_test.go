package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// figures are the resources of a process.
type figures struct {
	matches    int // matches played so far
	goroutines int
	files      int
	heap       uint64 // reachable bytes
	objects    uint64
	resident   int    // KiB
	stacks     string // stacks of the goroutines
	at         time.Time
}

func (f figures) String() string {
	return fmt.Sprintf("%d goroutines, %d files, %d KiB in %d objects, %d KiB resident, %.1f days",
		f.goroutines, f.files, f.heap>>10, f.objects, f.resident, f.at.Sub(bubble()).Hours()/24)
}

// bubble returns the time at which a testing/synctest bubble starts.
func bubble() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// measure returns the figures of this process.
func (s *soak) measure() figures {
	s.t.Helper()
	// runtime.NumGoroutine would also count goroutines that are ending, and the runtime's own.
	stacks := allStacks()
	f := figures{matches: s.played(), goroutines: strings.Count(stacks, "\n\ngoroutine ") + 1, stacks: stacks, at: time.Now()}
	for range 3 { // the second collection empties each sync.Pool
		debug.FreeOSMemory()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f.heap, f.objects = m.HeapAlloc, m.HeapObjects
	entries, err := os.ReadDir("/proc/self/fd")
	must(s.t, err)
	f.files = len(entries)
	status, err := os.ReadFile("/proc/self/status")
	must(s.t, err)
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmRSS: %d kB", &f.resident) // fails for all other lines
	}
	return f
}

// allStacks returns the stacks of all goroutines.
func allStacks() string {
	stacks := make([]byte, 1<<20)
	return string(stacks[:runtime.Stack(stacks, true)])
}

// The heap may grow by a constant, and by less than a word per match. The numbers of goroutines and
// files may not grow.
const (
	heapSlack   = 64 << 10
	heapAMatch  = 1
	objectSlack = 500
)

// check compares the figures with the first ones.
func (f figures) check(t *testing.T, first figures) {
	t.Helper()
	matches := uint64(f.matches - first.matches)
	if f.goroutines > first.goroutines {
		t.Errorf("%d goroutines, %d before:\n%s", f.goroutines, first.goroutines, f.stacks)
	}
	if f.files > first.files {
		t.Errorf("%d open files, %d before", f.files, first.files)
	}
	if most := first.heap + heapSlack + heapAMatch*matches; f.heap > most {
		t.Errorf("the heap has %d bytes, %d before", f.heap, first.heap)
	}
	if most := first.objects + objectSlack + matches/100; f.objects > most {
		t.Errorf("the heap has %d objects, %d before", f.objects, first.objects)
	}
}
