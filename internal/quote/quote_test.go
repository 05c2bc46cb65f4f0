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
