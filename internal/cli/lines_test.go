package cli

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReadLines(t *testing.T) {
	long := strings.Repeat("x", longestLine-1)
	input := "one\n\ntwo\r\n" + long + "\n" + long + "xx\nafter\n" + strings.Repeat(long, 5) + "\nlast"
	lines := ReadLines(t.Context(), strings.NewReader(input))
	for i, want := range []Line{
		{Text: "one\n"}, {Text: "\n"}, {Text: "two\r\n"},
		{Text: long + "\n"}, {Text: long + "x", Cut: true}, {Text: "after\n"},
		{Text: long + "x", Cut: true}, {Text: "last"}, {Err: io.EOF},
	} {
		if got := <-lines; got != want {
			t.Errorf("line %d: %.20q, cut %v, %v, want %.20q, cut %v, %v", i, got.Text, got.Cut, got.Err, want.Text, want.Cut, want.Err)
		}
	}
}

func TestReadLinesError(t *testing.T) {
	broken := errors.New("broken")
	lines := ReadLines(t.Context(), io.MultiReader(strings.NewReader("4\n44"), failing{broken}))
	if got := <-lines; got.Text != "4\n" || got.Err != nil {
		t.Error(got)
	}
	if got := <-lines; got.Err != broken {
		t.Error(got)
	}
}

// A byte order mark is removed at the start of the input only.
func TestByteOrderMark(t *testing.T) {
	lines := ReadLines(t.Context(), strings.NewReader(byteOrderMark+"44\n"+byteOrderMark+"45\n"))
	for _, want := range []string{"44\n", byteOrderMark + "45\n"} {
		if got := <-lines; got.Text != want || got.Err != nil {
			t.Errorf("%q, %v, want %q", got.Text, got.Err, want)
		}
	}
	lines = ReadLines(t.Context(), strings.NewReader(byteOrderMark))
	if got := <-lines; got.Text != "" || got.Err != io.EOF {
		t.Errorf("only a mark: %q, %v", got.Text, got.Err)
	}
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }
