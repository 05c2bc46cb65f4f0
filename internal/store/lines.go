package store

import (
	"bufio"
	"errors"
	"io"
)

// liner reads lines of any length, and holds none of more than maxSize bytes.
type liner struct {
	r    *bufio.Reader
	line []byte
	size int64 // of what was read
	long bool  // the line had more than maxSize bytes
	open bool  // the line has no newline: it is the last one
}

func newLiner(r io.Reader) *liner { return &liner{r: bufio.NewReaderSize(r, 64<<10)} }

// next reads a line, without its newline; at the end io.EOF.
func (l *liner) next() error {
	l.line, l.long, l.open = l.line[:0], false, false
	for start := l.size; ; {
		part, err := l.r.ReadSlice('\n')
		l.size += int64(len(part))
		if err == nil {
			part = part[:len(part)-1]
		}
		if l.long = l.long || len(l.line)+len(part) > maxSize; !l.long {
			l.line = append(l.line, part...)
		}
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
