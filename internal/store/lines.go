package store

import (
	"bufio"
	"bytes"
	"errors"
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

// theEnd returns up to most bytes at the end of a file.
func theEnd(f file, size, most int64) ([]byte, error) {
	data := make([]byte, min(size, most))
	if _, err := f.ReadAt(data, size-int64(len(data))); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}
