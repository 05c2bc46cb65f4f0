package quote

import (
	"strings"
	"testing"
)

func TestShort(t *testing.T) {
	full := strings.Repeat("x", longest)
	for text, want := range map[string]string{
		"":            `""`,
		"a\n\x1b[m":   `"a\n\x1b[m"`,
		full:          `"` + full + `"`,
		full + "\x1b": `"` + full + `" and so on`,
	} {
		if got := Short(text); got != want {
			t.Errorf("%q is quoted as %s, want %s", text, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	if got := Clean("a\x1b[2Jé\n\tb\u202e"); got != "a?[2Jé b?" {
		t.Errorf("%q", got)
	}
}
