package cli

import (
	"errors"
	"io"
	"os"
	"testing"

	"github.com/spf13/cobra"
)

func TestFill(t *testing.T) {
	const text = `Play a match for two, or against the computer,
in this terminal.

Some examples:
  printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play
The end.`
	for width, want := range map[int]string{
		0: text,
		60: `Play a match for two, or against the computer, in this
terminal.

Some examples:
  printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play
The end.`,
		20: `Play a match for
two, or against the
computer, in this
terminal.

Some examples:
  printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play
The end.`,
	} {
		if got := Fill(text, width); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", width, got, want)
		}
	}
}

// An error of writing help is not lost.
func TestHelpFails(t *testing.T) {
	full, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, tt := range []struct {
		out    io.Writer
		failed bool
	}{{io.Discard, false}, {full, true}} {
		root := &cobra.Command{Use: "it", Short: "It", Run: func(*cobra.Command, []string) {}}
		failed := FitHelp(root)
		root.SetArgs([]string{"--help"})
		root.SetOut(tt.out)
		if err := errors.Join(root.Execute(), failed()); (err != nil) != tt.failed {
			t.Error(err)
		}
	}
}
