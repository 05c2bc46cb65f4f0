package plain

import (
	"bufio"
	"context"
	"io"
)

// longest is the longest line that is kept; more of it is read and dropped.
const longest = 1024

// line is a line of input without its end, or the error that came instead.
type line struct {
	text string
	err  error
}

// readLines reads lines as they are asked for, in a goroutine of its own: a read
// of a terminal cannot be taken back, so a program that is stopped leaves it.
func readLines(ctx context.Context, in io.Reader) <-chan line {
	lines := make(chan line)
	go func() {
		r := bufio.NewReaderSize(in, longest)
		for {
			l := readLine(r)
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
			if l.err != nil {
				return
			}
		}
	}()
	return lines
}

// readLine reads one line. What stands after the last newline is a line too.
func readLine(r *bufio.Reader) line {
	text, err := r.ReadSlice('\n')
	kept := string(text)
	for err == bufio.ErrBufferFull {
		_, err = r.ReadSlice('\n')
	}
	if err == io.EOF && kept != "" {
		err = nil
	}
	return line{kept, err}
}
