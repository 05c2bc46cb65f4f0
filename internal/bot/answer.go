package bot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/quote"
)

// longest is how many bytes of a line are kept. An answer is one digit, but if a program prints
// another line by mistake, the error should show that line.
const longest = 128

// answer is a line without its newline, or the reason why there are no more lines: [io.EOF] at the
// end of the output.
type answer struct {
	text string
	more bool // the program has already written more
	err  error
}

// listen reads the program's answers until p is closed. It reads only one line ahead. A program
// that never stops writing therefore fills the pipe, and then has to wait.
func (p *Program) listen() {
	r := bufio.NewReaderSize(p.output, longest)
	for {
		a := read(r)
		select {
		case p.answers <- a:
		case <-p.closed:
			return
		}
		if a.err != nil {
			return
		}
	}
}

// read reads a line. The last line need not end with a newline.
func read(r *bufio.Reader) answer {
	text, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return answer{err: fmt.Errorf("wrote a line of more than %d bytes, which begins %s", longest, quote.Short(string(text)))}
	case err != nil && len(text) == 0:
		return answer{err: io.EOF} // whatever the reason
	}
	return answer{text: strings.TrimSpace(string(text)), more: r.Buffered() > 0}
}

// column returns the column of an answer, from 0, or an error if that column is full.
func column(text string, p board.Position) (int, error) {
	columns := p.Rules().Columns
	if len(text) != 1 || text[0] < '1' || text[0] >= '1'+byte(columns) {
		return 0, fmt.Errorf("answered %s, which is no column from 1 to %d", quote.Short(text), columns)
	}
	col := int(text[0] - '1')
	if !p.Legal(col) {
		return 0, fmt.Errorf("answered column %d, which is full", col+1)
	}
	return col, nil
}
