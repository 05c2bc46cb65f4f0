package cli

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

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
