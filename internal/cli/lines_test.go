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

// pieces reads a text in small pieces, as a pipe or a terminal may.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

// FuzzReadLines checks that the lines are those of the text, whatever the size of the pieces, and that a
// long line is cut.
func FuzzReadLines(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string, times, size uint8) {
		text = strings.Repeat(text, int(times)+1)
		text = text[:min(len(text), 1<<20)]
		input := ReadLines(t.Context(), &pieces{text, int(size) + 1})
		first := true
		for want := range strings.Lines(text) {
			cut := len(want) > longestLine || len(want) == longestLine && !strings.HasSuffix(want, "\n") // the rest of the line may follow
			want = want[:min(len(want), longestLine)]
			if first {
				want = strings.TrimPrefix(want, byteOrderMark)
			}
			first = false
			if want == "" {
				continue // there is only a byte order mark
			}
			if l := <-input; l.Err != nil || l.Cut != cut || l.Text != want {
				t.Fatalf("%.50q, cut %v, %v; want %.50q, cut %v", l.Text, l.Cut, l.Err, want, cut)
			}
		}
		if l := <-input; l.Err != io.EOF || l.Text != "" {
			t.Fatalf("the end is %q, %v", l.Text, l.Err)
		}
	})
}
