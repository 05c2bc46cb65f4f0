package bot

import (
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
)

// The last keptMost bytes of a program's standard error are kept, and the first logMost are
// logged. Standard error is read to its end, so that a program never has to wait when it writes
// there.
const (
	keptMost = 4 << 10
	logMost  = 1 << 20
)

// complaints collects a program's standard error.
type complaints struct {
	from *os.File
	done chan struct{} // closed at the end of standard error

	mu   sync.Mutex
	log  io.Writer
	kept []byte
	cut  bool // kept lacks the start
}

func (c *complaints) collect() {
	defer close(c.done)
	part := make([]byte, keptMost)
	left := logMost
	for {
		n, err := c.from.Read(part)
		c.mu.Lock()
		if c.log != nil && left > 0 && n > 0 {
			_, _ = c.log.Write(part[:min(n, left)])
			if left -= n; left <= 0 {
				_, _ = io.WriteString(c.log, "\n(the rest was dropped)\n")
			}
		}
		c.keep(part[:n])
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (c *complaints) keep(part []byte) {
	c.kept = append(c.kept, part...)
	if more := len(c.kept) - keptMost; more > 0 {
		c.kept, c.cut = append(c.kept[:0], c.kept[more:]...), true
	}
}

// stop stops the reading. After stop has returned, the log is no longer used.
func (c *complaints) stop() {
	_ = c.from.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = nil
}

// text returns what was kept, without characters that would disturb a terminal. If the start was
// dropped, the text starts with an ellipsis and the first whole line.
func (c *complaints) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := string(c.kept)
	if c.cut {
		if _, rest, found := strings.Cut(text, "\n"); found {
			text = rest
		}
		text = "…\n" + text
	}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\t", "    "), "�")
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text), " \n")
}

// lastLine returns the last line, shortened. In most languages the last line of an error message
// says what went wrong.
func (c *complaints) lastLine() string {
	const most = 100
	text := c.text()
	line := []rune(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]))
	if len(line) > most {
		return string(line[:most]) + "…"
	}
	return string(line)
}
