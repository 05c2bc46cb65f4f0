package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// cutSize is how many bytes of a line are kept in memory: enough to see that the line is too long.
const cutSize = maxSize + 1

// liner reads lines of any length. It keeps at most the first cutSize bytes of a line.
type liner struct {
	r    *bufio.Reader
	line []byte
	size int64 // number of bytes read so far
	open bool  // the last line that was read has no newline
}

func newLiner(r io.Reader) *liner { return &liner{r: bufio.NewReaderSize(r, block)} }

// next reads a line, without its newline; at the end it returns io.EOF.
func (l *liner) next() error {
	l.line = l.line[:0]
	for start := l.size; ; {
		part, err := l.r.ReadSlice('\n')
		l.size += int64(len(part))
		part = bytes.TrimSuffix(part, []byte("\n"))
		l.line = append(l.line, part[:min(len(part), cutSize-len(l.line))]...)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && l.size > start:
			l.open = true
			return nil
		default:
			return err
		}
	}
}

const block = 64 << 10

// backliner reads the lines of a file from the end to the beginning. Like a liner, it keeps at most
// cutSize bytes of a line.
type backliner struct {
	r    io.ReaderAt
	at   int64  // where the line begins
	line []byte // without its newline

	read int64  // where the part of the file begins that has been read
	held []byte // what has been read of the file before the line
}

func newBackliner(r io.ReaderAt, size int64) *backliner {
	return &backliner{r: r, at: size + 1, read: size}
}

// next reads the previous line; at the beginning of the file it returns io.EOF. The first call
// reads what follows the last newline, which may be nothing.
func (l *backliner) next() error {
	if l.at == 0 {
		return io.EOF
	}
	for searched := 0; ; {
		i := bytes.LastIndexByte(l.held[:len(l.held)-searched], '\n')
		if i >= 0 || l.read == 0 {
			l.at = l.read + int64(i+1)
			l.line, l.held = l.held[i+1:], l.held[:max(i, 0)]
			l.line = l.line[:min(len(l.line), cutSize)]
			return nil
		}
		l.held = l.held[:min(len(l.held), cutSize)]
		searched = len(l.held)
		n := min(block, l.read)
		b := make([]byte, int(n)+searched)
		if _, err := io.ReadFull(io.NewSectionReader(l.r, l.read-n, n), b[:n]); err != nil {
			return fmt.Errorf("read backwards: %v", err) // not io.EOF, which means the beginning
		}
		copy(b[n:], l.held)
		l.held, l.read = b, l.read-n
	}
}
