package cli

import (
	"io"
	"strings"
	"testing"
)

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
		if len(text) > 1<<20 {
			t.Skip("a longer text shows nothing more")
		}
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
