package term

import "github.com/gdamore/tcell/v2"

// cleanTty is a terminal whose input is made safe for tcell, which loops for ever
// over a byte that is no UTF-8 (a Latin-1 key, noise on a line), and takes Alt-]
// and the like for the start of a message from the terminal, to be swallowed until
// its end. No key of ours is affected: they are all ASCII, and we ask the terminal
// nothing that it would answer so.
type cleanTty struct {
	tcell.Tty
	escape bool // the last byte that has passed was ESC
}

// Read reads what is left of the terminal's input, perhaps nothing.
func (t *cleanTty) Read(p []byte) (int, error) {
	n, err := t.Tty.Read(p)
	return t.clean(p[:n]), err
}

// clean takes out what must not pass, in place, and gives what is left. What stands
// next to each other afterwards counts: noise between an ESC and what follows it, or
// a second ESC that went, do not part them.
func (t *cleanTty) clean(p []byte) int {
	kept, before := 0, t.escape
	for _, c := range p {
		switch {
		case c >= 0x80:
		case t.escape && (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_'): // ECMA-48, OSC DCS SOS PM APC
			if kept > 0 {
				kept-- // the ESC
				t.escape = kept > 0 && p[kept-1] == 0x1b || kept == 0 && before
			}
		default:
			p[kept] = c
			kept++
			t.escape = c == 0x1b
		}
	}
	return kept
}
