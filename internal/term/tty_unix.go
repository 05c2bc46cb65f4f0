//go:build unix

package term

import "github.com/gdamore/tcell/v3"

func newScreen() (tcell.Screen, error) {
	tty, err := tcell.NewDevTty()
	if err != nil {
		return nil, err
	}
	return tcell.NewTerminfoScreenFromTty(&cleanTty{Tty: tty}, plain...)
}

// cleanTty is a terminal whose input is made safe for tcell. tcell loops forever on a byte that is
// not UTF-8 (a Latin-1 key, line noise). It also takes Alt-] and the like for the start of a
// message from the terminal, and discards all input up to the message's end. No key is lost,
// because all keys of the game are ASCII. No message is lost either, because the program sends no
// query with such an answer.
type cleanTty struct {
	tcell.Tty
	escape bool // the last byte kept is ESC
}

// Read reads input and cleans it. It may return no bytes.
func (t *cleanTty) Read(p []byte) (int, error) {
	n, err := t.Tty.Read(p)
	return t.clean(p[:n]), err
}

// clean removes unsafe bytes in place and returns how many are left. It ignores the bytes that it
// has removed: noise, or a second ESC that is removed, does not separate an ESC from the byte that
// follows.
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
