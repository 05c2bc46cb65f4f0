// Package golden compares the output of tests with files that people have reviewed.
package golden

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files; review the difference before you commit it")

// Check compares a text with a file line by line, or writes it there with -update.
func Check(t *testing.T, file, got string) {
	t.Helper()
	was, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if got == string(was) {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	is, want := strings.Split(got, "\n"), strings.Split(string(was), "\n")
	for i := range is {
		if i >= len(want) || is[i] != want[i] {
			t.Fatalf("%s:%d: is\n%s\nwant\n%s", file, i+1, around(is, i), around(want, i))
		}
	}
	t.Fatalf("%s: %d lines, want %d", file, len(is), len(want))
}

// around returns a line with some lines before and after it.
func around(lines []string, i int) string {
	return strings.Join(lines[max(0, min(i-8, len(lines))):min(len(lines), i+8)], "\n")
}
