package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/solver"
)

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// Progress is for who waits: nothing in the first second, then now and again.
func TestProgressOfASolution(t *testing.T) {
	synctest.Test(t, testProgress)
}

func testProgress(t *testing.T) {
	var errs bytes.Buffer
	var q question
	var first atomic.Pointer[question]
	first.Store(&q)
	c := calculator{errs: &errs, first: &first, question: &q, position: "44", started: time.Now().Add(-time.Second / 2)}
	c.progress(solver.Progress{Column: -1, Low: -3, High: 5, Nodes: 12_400_000})
	if errs.Len() > 0 {
		t.Errorf("too early: %q", &errs)
	}
	c.started = c.started.Add(-3500 * time.Millisecond)
	c.progress(solver.Progress{Column: -1, Low: -3, High: 5, Nodes: 12_400_000})
	if got, want := errs.String(), eraseLine+"44: score -3 to 5, 12 million positions, 4 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	errs.Reset()
	c.progress(solver.Progress{Column: -1})
	if errs.Len() > 0 {
		t.Errorf("too often: %q", &errs)
	}
	c.shown = c.shown.Add(-time.Minute)
	first.Store(new(question))
	c.progress(solver.Progress{Column: -1})
	if errs.Len() > 0 {
		t.Errorf("of a position that others come before: %q", &errs)
	}
	first.Store(&q)
	c.progress(solver.Progress{Column: 2, Low: -2, High: -1, Nodes: 99_600_000})
	if got, want := errs.String(), eraseLine+"44: column 3 -2 to -1, 100 million positions, 4 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An answer does not wait for the next one, which may take minutes.
func TestAnswersAreNotHeldBack(t *testing.T) {
	read, out := pipe(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int, 1)
	args := []string{"solve", "--no-book", "--columns", "112233", "-"} // half a minute
	go func() { done <- run(ctx, args, os.Stdin, out, out) }()
	answers := bufio.NewReader(read)
	if got, err := answers.ReadString('\n'); err != nil || !strings.HasPrefix(got, "112233 18 ") {
		t.Errorf("%q, %v", got, err)
	}
	cancel()
	<-done
	out.Close()
	if rest, err := io.ReadAll(answers); err != nil || strings.Contains(string(rest), "- 1 ") {
		t.Errorf("with the first answer comes the next: %q, %v", rest, err)
	}
}

// What is answered is written before more is waited for, in order with what is
// refused.
func TestSolutionsStream(t *testing.T) {
	in, feed := pipe(t)
	read, out := pipe(t)
	done := make(chan int, 1)
	go func() {
		done <- run(t.Context(), []string{"solve", "--table", "1"}, in, out, out)
		out.Close()
	}()
	answers := bufio.NewReader(read)
	for _, step := range []struct{ line, want string }{
		{"112233\n", "112233 18 "},
		{"\n9\n", "line 3: move 1, '9': there is no such column"},
		{"  112233  \n", "112233 18 "},
	} {
		if _, err := feed.WriteString(step.line); err != nil {
			t.Fatal(err)
		}
		got, err := answers.ReadString('\n')
		if err != nil || !strings.HasPrefix(got, step.want) {
			t.Errorf("%q: %q, %v, want %q", step.line, got, err, step.want)
		}
	}
	feed.Close()
	if status := <-done; status != exitFailed {
		t.Errorf("exit status %d, want %d", status, exitFailed)
	}
}

// Threads change neither the answers nor their order.
func TestThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	var input strings.Builder
	for range 300 {
		for range 10 + r.IntN(25) {
			input.WriteByte('1' + byte(r.IntN(7)))
		}
		input.WriteByte('\n')
	}
	var want, wanted string
	for _, threads := range []string{"1", "2", "7"} {
		in, feed := pipe(t)
		go func() {
			_, _ = feed.WriteString(input.String())
			feed.Close()
		}()
		var out, errs bytes.Buffer
		run(t.Context(), []string{"solve", "--fresh", "--table", "1", "--threads", threads}, in, &out, &errs)
		got := regexp.MustCompile(`(?m) \d+$`).ReplaceAllString(out.String(), "") // the time it took
		if want == "" {
			want, wanted = got, errs.String()
		}
		if got == "" || got != want || errs.Len() == 0 || errs.String() != wanted {
			t.Errorf("%s threads: not what one thread says", threads)
		}
	}
}
