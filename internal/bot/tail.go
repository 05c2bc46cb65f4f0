package bot

import (
	"io"
	"strings"
	"sync"
	"unicode"

	"github.com/c4hat/c4hat/internal/cli"
)

// The last keptMost bytes of a program's standard error are kept, and the first logMost are logged.
const (
	keptMost = 4 << 10
	logMost  = 1 << 20
)

// tail takes a program's standard error. It always takes everything, so that the program never
// waits when it writes there.
type tail struct {
	mu     sync.Mutex
	log    io.Writer
	logged int
	kept   []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log != nil && t.logged < logMost {
		_, _ = t.log.Write(b[:min(len(b), logMost-t.logged)])
		if t.logged += len(b); t.logged >= logMost {
			_, _ = io.WriteString(t.log, "\n(the rest was dropped)\n")
		}
	}
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-keptMost):]
	return len(b), nil
}

// stop returns the text. After that, the log is no longer used.
func (t *tail) stop() string {
	t.mu.Lock()
	t.log = nil
	t.mu.Unlock()
	return t.text()
}

// text returns what was kept, without characters that would disturb a terminal.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(string(t.kept), "\t", "    ")), " \n")
}

// lastLine returns the last line, shortened. In most languages the last line of an error message
// says what went wrong.
func (t *tail) lastLine() string {
	text := t.text()
	return cli.Shorten(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]), 101)
}
