package cli

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// longestLine is how many bytes of a line are kept. A line of a tournament's record has up to 4 kB of what
// a program wrote, and JSON may need six bytes for one.
const longestLine = 32 << 10

const byteOrderMark = "\ufeff"

// Line is a line of input with its newline, if it has one, or an error.
type Line struct {
	Text string
	Cut  bool // whether the line was longer than Text
	Err  error
}

// ReadLines reads lines in a separate goroutine, one at a time. A read from a terminal cannot be
// cancelled, so the goroutine may still be waiting for input when the program ends. Only the first
// 32 kB of a line are kept. After an error nothing more is sent. A byte order mark at the
// start, which some editors write, is removed.
func ReadLines(ctx context.Context, in io.Reader) <-chan Line {
	lines := make(chan Line)
	go func() {
		r := bufio.NewReaderSize(in, longestLine)
		for first := true; ; first = false {
			l := readLine(r)
			if first && strings.HasPrefix(l.Text, byteOrderMark) {
				if l.Text = l.Text[len(byteOrderMark):]; l.Text == "" {
					l = readLine(r)
				}
			}
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
			if l.Err != nil {
				return
			}
		}
	}()
	return lines
}

// readLine reads one line. Text after the last newline is a line too.
func readLine(r *bufio.Reader) Line {
	text, err := r.ReadSlice('\n')
	kept, cut := string(text), false
	for err == bufio.ErrBufferFull {
		cut = true
		_, err = r.ReadSlice('\n')
	}
	if err == io.EOF && kept != "" {
		err = nil
	}
	return Line{kept, cut, err}
}
