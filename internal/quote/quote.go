// Package quote quotes foreign text for errors.
package quote

import "fmt"

const longest = 64

// Short quotes a text and cuts it after 64 bytes, so that it fits on a line and can be
// printed.
func Short(s string) string {
	if len(s) > longest {
		return fmt.Sprintf("%q and so on", s[:longest])
	}
	return fmt.Sprintf("%q", s)
}
