package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// In a terminal, the help of every command fits the terminal's width. Only commands to copy and the
// example of a configuration file stay whole.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	for _, cmd := range newRoot().Commands() {
		s := open(t, nil, "c4hat", "help", cmd.Name())
		if status := s.status(t); status != 0 {
			t.Errorf("%s: exit status %d", cmd.Name(), status)
		}
		for line := range strings.Lines(s.text()) {
			line = strings.TrimRight(line, "\r\n")
			if utf8.RuneCountInString(line) > 80 && (!strings.HasPrefix(line, "  ") || strings.Contains(strings.TrimSpace(line), "  ")) {
				t.Errorf("%s: too long: %s", cmd.Name(), line)
			}
		}
	}
}
