package main

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/command/cli"
)

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// The answer to a line is written before the next line is read, and so is an error.
func TestSolveStream(t *testing.T) {
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
	if status := <-done; status != cli.ExitFailed {
		t.Errorf("exit status %d, want %d", status, cli.ExitFailed)
	}
}

// The number of threads changes neither the answers nor their order.
func TestSolveThreads(t *testing.T) {
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
		got := regexp.MustCompile(`(?m) \d+$`).ReplaceAllString(out.String(), "") // the time is left out
		if want == "" {
			want, wanted = got, errs.String()
		}
		if got == "" || got != want || errs.Len() == 0 || errs.String() != wanted {
			t.Errorf("%s threads: other answers than with one", threads)
		}
	}
}
