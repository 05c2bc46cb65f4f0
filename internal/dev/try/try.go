// Package try is for what must succeed before a test can begin.
package try

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode"
)

// Must ends the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// OneLine ends the test unless a text is one short, printable line.
func OneLine(t testing.TB, text string) {
	t.Helper()
	if text == "" || len(text) > 900 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Fatalf("not one short line: %.1000q", text)
	}
}

// Tool returns the path of a program that the test needs. Without it the test is skipped or, with CI set,
// fails; see .ci/run.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
	return path
}
