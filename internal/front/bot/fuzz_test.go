package bot

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/c4hat/c4hat/board"
)

// FuzzAnswers checks that, whatever a program writes, its answers are legal columns or errors of
// one short line, and are those that splitting the text at its newlines gives.
func FuzzAnswers(f *testing.F) {
	for _, text := range []string{"4\n", " 4 \r\n", "4", "4\n5\n", "0\n9\n44\n", "\n", "", "\x1b[2J\n", strings.Repeat("x", 1000), strings.Repeat(" ", longest-1) + "4\n4\n", strings.Repeat(" ", longest) + "4\n"} {
		f.Add([]byte(text), "111111")
	}
	f.Fuzz(func(t *testing.T, text []byte, moves string) {
		g, _ := board.ParseGame(board.Standard, board.Red, moves)
		ctx, cancel := context.WithCancel(t.Context())
		w := answers{ctx: ctx, lines: make(chan answer)}
		wrote := make(chan struct{})
		go func() {
			defer close(wrote)
			for part := range slices.Chunk(text, 100) {
				_, _ = w.Write(part)
			}
		}()
		defer func() { cancel(); <-wrote }()
		for line := range bytes.Lines(text) {
			if len(line) <= longest && !bytes.HasSuffix(line, []byte("\n")) {
				return // it has not ended
			}
			a := <-w.lines
			position := g.Position()
			col, err := column(a.text, position)
			switch {
			case len(bytes.TrimSuffix(line, []byte("\n"))) > longest:
				if oneLine(t, err); err == nil {
					t.Fatalf("a line of %d bytes is column %d", len(line), col)
				}
				return
			case a.text != string(bytes.TrimSpace(line)):
				t.Fatalf("%q, want %q", a.text, line)
			case len(text) <= 100 && a.more == bytes.HasSuffix(text, line) && bytes.Count(text, line) == 1:
				t.Fatalf("%q in %q: %v", line, text, a.more)
			}
			switch {
			case err != nil:
				oneLine(t, err)
				if len(a.text) == 1 && a.text[0] >= '1' && position.Legal(int(a.text[0]-'1')) {
					t.Fatalf("%q is legal: %v", a.text, err)
				}
			case !position.Legal(col) || a.text != string(rune('1'+col)):
				t.Fatalf("%q is column %d", a.text, col)
			}
		}
	})
}

// oneLine checks that an error is one short line without control characters.
func oneLine(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); len(text) > 400 || strings.ContainsFunc(text, unicode.IsControl) {
		t.Fatalf("not one short line: %q", text)
	}
}

// FuzzTail checks that what is shown of standard error does not disturb a terminal.
func FuzzTail(f *testing.F) {
	f.Add([]byte("Traceback\n\tNameError: \x1b[1mno\n\n"))
	f.Add(bytes.Repeat([]byte("line\n"), keptMost))
	f.Fuzz(func(t *testing.T, text []byte) {
		var c tail
		for part := range bytes.SplitAfterSeq(text, []byte("\n")) {
			_, _ = c.Write(part)
		}
		shown := c.text()
		if len(shown) > 4*keptMost+10 || strings.ContainsFunc(shown, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Fatalf("%q", shown)
		}
		if last := c.lastLine(); strings.Contains(last, "\n") || !strings.Contains(shown, strings.TrimSuffix(last, "…")) {
			t.Fatalf("%q of %q", last, shown)
		}
	})
}
