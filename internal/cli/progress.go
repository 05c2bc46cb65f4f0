package cli

import (
	"fmt"
	"io"
	"time"
)

// Progress is a line on a terminal that shows the progress of a long command. It appears after a
// second and is rewritten at most five times a second. A nil Progress shows nothing.
type Progress struct {
	out     io.Writer
	started time.Time
	shown   time.Time // zero while the line is empty
}

// NewProgress returns a Progress that writes to errs, or nil if errs is not a terminal.
func NewProgress(errs io.Writer) *Progress {
	if !IsScreen(errs) {
		return nil
	}
	return &Progress{out: errs, started: time.Now()}
}

// eraseLine moves the cursor to the start of the line and clears it.
const eraseLine = "\r\x1b[K"

// Show shows a text, unless it is too early to show or to replace the line.
func (p *Progress) Show(format string, args ...any) {
	if p == nil {
		return
	}
	now := time.Now()
	if now.Sub(p.started) < time.Second || now.Sub(p.shown) < time.Second/5 {
		return
	}
	p.shown = now
	fmt.Fprint(p.out, eraseLine)
	fmt.Fprintf(p.out, format, args...)
}

// Clear removes the line. Call it before other output and at the end.
func (p *Progress) Clear() {
	if p != nil && !p.shown.IsZero() {
		p.shown = time.Time{}
		fmt.Fprint(p.out, eraseLine)
	}
}
