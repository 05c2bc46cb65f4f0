package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/dev/e2e/plan"
)

// event is what test2json prints about a test; see go doc test2json.
type event struct {
	Action string
	Test   string // "" for the binary as a whole
	Output string
}

// results are what a guest sends.
type results struct {
	events chan event // closed at the end
	end    string     // plan.Passed, or why not; "" if the guest sent none. Valid once events is closed
}

// convert turns the guest's output into events.
func convert(out io.Reader) (*results, error) {
	cmd := exec.Command("go", "tool", "test2json")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	converted, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("e2e: %w", err)
	}
	r := &results{events: make(chan event)}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		defer in.Close()
		r.copy(in, out)
	}()
	go func() {
		defer close(r.events)
		for d := json.NewDecoder(converted); ; {
			var e event
			if d.Decode(&e) != nil {
				break
			}
			r.events <- e
		}
		<-copied
		cmd.Wait()
	}()
	return r, nil
}

// copy forwards the guest's output, except for the line with its result.
func (r *results) copy(to io.Writer, from io.Reader) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if end, ok := strings.CutPrefix(line, plan.End); ok {
			r.end = strings.TrimSpace(end)
		} else {
			// Even if this fails, the guest's output must be read to the end.
			io.WriteString(to, line)
		}
		if err != nil {
			return
		}
	}
}

// verdict returns an error if the guest failed outside of the tests it reported: a run without any
// test must not look like success.
func (r *results) verdict(ran int) error {
	switch {
	case r.end == "":
		return errors.New("the guest crashed, or its init failed")
	case r.end != plan.Passed:
		return fmt.Errorf("the guest's test binary: %s", r.end)
	case ran == 0:
		return errors.New("the guest ran no test")
	}
	return nil
}

// report replays the guest test called name on t, and its subtests as subtests, while
// they run. The empty name stands for all tests. It returns how many subtests ran and
// were not skipped.
func report(t *testing.T, name string, events <-chan event) (ran int) {
	for e := range events {
		inner, within := e.Test, e.Test != ""
		if name != "" {
			inner, within = strings.CutPrefix(e.Test, name+"/")
		}
		switch {
		case e.Action == "run" && within && !strings.Contains(inner, "/"):
			t.Run(inner, func(t *testing.T) { ran += 1 + report(t, e.Test, events) })
		case e.Test != name:
			// The test is one that -run excludes on the host.
		case e.Action == "output":
			passOn(t.Output(), e.Output)
		case name == "":
			// This is the result of the whole test binary: plan.End says more.
		case e.Action == "pass":
			return ran
		case e.Action == "fail":
			t.Fail()
			return ran
		case e.Action == "skip":
			t.SkipNow()
		}
	}
	if name != "" {
		t.Error("the guest ended within this test")
	}
	return ran
}

// passOn prints a line of the guest's output, except for those that name tests and
// results: the host prints its own.
func passOn(w io.Writer, line string) {
	trimmed := strings.TrimSpace(line)
	if trimmed == "" || trimmed == "PASS" || trimmed == "FAIL" ||
		strings.HasPrefix(trimmed, "=== ") || strings.HasPrefix(trimmed, "--- ") {
		return
	}
	io.WriteString(w, line)
}
