package cli

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// In a journal, each line begins with its priority; for people, with its time.
func TestLog(t *testing.T) {
	t.Setenv("JOURNAL_STREAM", "8:1234")
	var out strings.Builder
	log := NewLog(&out)
	log.Info("the matrix is there", "device", "fb1")
	log.Warn("waiting", "reason", errors.New("gone\nfor good"))
	log.With("part", "stick").Error("stuck")
	log.Debug("not said")
	const want = `<6>msg="the matrix is there" device=fb1
<4>msg=waiting reason="gone\nfor good"
<3>msg=stuck part=stick
`
	if out.String() != want {
		t.Errorf("logged\n%swant\n%s", out.String(), want)
	}
	t.Setenv("JOURNAL_STREAM", "")
	out.Reset()
	NewLog(&out).Warn("waiting")
	if got := out.String(); !strings.HasPrefix(got, "time=") || !strings.HasSuffix(got, " level=WARN msg=waiting\n") {
		t.Error(got)
	}
}

// Progress starts after a second, and is then shown at intervals.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var errs bytes.Buffer
		p := &Progress{out: &errs, next: time.Now().Add(time.Second)}
		for i, wait := range []time.Duration{time.Second - 1, 1, time.Second/5 - 1, 1} {
			time.Sleep(wait)
			p.Show("%d of %d", 3, 4)
			if got, want := errs.String(), []string{"", eraseLine + "3 of 4"}[i%2]; got != want {
				t.Errorf("%q, want %q", got, want)
			}
			errs.Reset()
		}
		p.Clear()
		p.Clear()
		if errs.String() != eraseLine {
			t.Errorf("%q clears the line", &errs)
		}
		if p := NewProgress(&errs); p != nil { // not a terminal
			t.Error("progress in a file")
		}
	})
}

// Paragraphs are filled; indented lines stay whole.
func TestFill(t *testing.T) {
	const text = "Play a match for two, or against\nthe computer, here.\n\nExamples:\n  printf '4\\n3\\n4\\n3\\n4\\n' | c4hat play\nThe end."
	for width, want := range map[int]string{
		50: "Play a match for two, or against the computer,\nhere.\n\nExamples:\n  printf '4\\n3\\n4\\n3\\n4\\n' | c4hat play\nThe end.",
		20: "Play a match for\ntwo, or against the\ncomputer, here.\n\nExamples:\n  printf '4\\n3\\n4\\n3\\n4\\n' | c4hat play\nThe end.",
	} {
		if got := Fill(text, width); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", width, got, want)
		}
	}
}

// A byte order mark is removed at the start of the input only. A line that is too long ends the input, and an
// error comes after the last line.
func TestReadLines(t *testing.T) {
	broken := errors.New("broken")
	long := strings.Repeat("x", longestLine-2)
	for input, want := range map[string][]string{
		"one\n\ntwo\r\nlast":                            {"one", "", "two", "last", "EOF"},
		byteOrderMark + "44\n" + byteOrderMark + "45\n": {"44", byteOrderMark + "45", "EOF"},
		long + "\nafter":                                {long, "after", "EOF"},
		"a\n" + long + "xxx\nafter":                     {"a", "a line is longer than 32 kB"},
		"4\n44!":                                        {"4", "44", "broken"},
	} {
		text, fails := strings.CutSuffix(input, "!")
		in := io.Reader(strings.NewReader(text))
		if fails {
			in = io.MultiReader(in, iotest.ErrReader(broken))
		}
		lines := ReadLines(t.Context(), in)
		for _, want := range want {
			got := <-lines
			if text := got.Text; got.Err == nil && text != want || got.Err != nil && got.Err.Error() != want {
				t.Errorf("%.20q: %.20q, %v, want %.20q", input, text, got.Err, want)
			}
		}
	}
}

// FuzzReadLines checks that the lines are those of the text, however it arrives.
func FuzzReadLines(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string, times, slowly uint8) {
		text = strings.Repeat(text, int(times)+1)
		text = text[:min(len(text), longestLine-2)]
		in := io.Reader(strings.NewReader(text))
		if slowly%2 == 1 {
			in = iotest.OneByteReader(in)
		}
		input := ReadLines(t.Context(), in)
		rest := strings.TrimPrefix(text, byteOrderMark)
		if rest == "" && text != "" {
			rest = "\n"
		}
		for want := range strings.Lines(rest) {
			want = strings.TrimSuffix(strings.TrimSuffix(want, "\n"), "\r")
			if l := <-input; l.Err != nil || l.Text != want {
				t.Fatalf("%.50q, %v; want %.50q", l.Text, l.Err, want)
			}
		}
		if l := <-input; l.Err != io.EOF {
			t.Fatalf("the end is %q, %v", l.Text, l.Err)
		}
	})
}
