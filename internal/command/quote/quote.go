// Package quote makes foreign text safe to print on one line.
package quote

import (
	"fmt"
	"strings"
	"unicode"
)

const longest = 64

// Short returns a text in quotes, printable, and cut after 64 bytes so that it fits on a line.
func Short(s string) string {
	if len(s) > longest {
		return fmt.Sprintf("%q and so on", s[:longest])
	}
	return fmt.Sprintf("%q", s)
}

// Clean returns a text on one line: a space for each run of white space, and a question mark for each
// other character that cannot be printed, such as the escape that starts a terminal's commands.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}
