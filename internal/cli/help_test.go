package cli

import "testing"

func TestFit(t *testing.T) {
	const text = `Play a match for two, or against the computer,
in this terminal.

Usage:
  c4hat play [flags]

Examples:
  c4hat play                choose a match in the menu of the terminal
  printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play

Flags:
      --vs-cpu              play against the computer
      --first red|yellow    who starts each round of the match that is played
`
	for width, want := range map[int]string{
		60: `Play a match for two, or against the computer, in this
terminal.

Usage:
  c4hat play [flags]

Examples:
  c4hat play                choose a match in the menu of
                            the terminal
  printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play

Flags:
      --vs-cpu              play against the computer
      --first red|yellow    who starts each round of the
                            match that is played
`,
		40: `Play a match for two, or against the
computer, in this terminal.

Usage:
  c4hat play [flags]

Examples:
  c4hat play
          choose a match in the menu of
          the terminal
  printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play

Flags:
      --vs-cpu
          play against the computer
      --first red|yellow
          who starts each round of the
          match that is played
`,
	} {
		if got := fit(text, width); got != want {
			t.Errorf("in %d columns:\n%s\nwant:\n%s", width, got, want)
		}
	}
}
