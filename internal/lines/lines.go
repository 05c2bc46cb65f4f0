// Package lines reads a program's standard input.
package lines

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// longest is the longest line that is kept; more of it is read and dropped.
const longest = 1024

const mark = "\ufeff"

// Line is a line of input with its end, if it has one, or the error that came
// instead.
type Line struct {
	Text string
	Cut  bool // it was longer
	Err  error
}

// Read reads lines as they are asked for, in a goroutine of its own: a read of a
// terminal cannot be taken back, so a program that is stopped leaves it. A line's
// first 1024 bytes are kept. After an error nothing more comes. A byte order mark,
// with which some editors begin a file, is left out.
func Read(ctx context.Context, in io.Reader) <-chan Line {
	lines := make(chan Line)
	go func() {
		r := bufio.NewReaderSize(in, longest)
		for first := true; ; first = false {
			l := read(r)
			if first && strings.HasPrefix(l.Text, mark) {
				if l.Text = l.Text[len(mark):]; l.Text == "" {
					l = read(r)
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

// read reads one line. What stands after the last newline is a line too.
func read(r *bufio.Reader) Line {
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
