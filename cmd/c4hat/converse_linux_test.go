package main

import (
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/game"
)

// spoken is a c4hat play whose input and output are pipes, so that it plays as lines of text.
type spoken struct {
	*program
	in io.WriteCloser
	at int // end of the output that says has matched
}

func speak(t *testing.T, d *running, args ...string) *spoken {
	t.Helper()
	s := &spoken{}
	in, out := pipe(t)
	s.in = out
	s.program = startWith(t, in, nil, append([]string{"c4hat", "play", "--socket", d.socket}, args...)...)
	return s
}

// says waits for a text in the output after the last match.
func (s *spoken) says(t *testing.T, want string) {
	t.Helper()
	eventually(t, func() bool { return strings.Contains(s.out.String()[s.at:], want) }, func() string {
		return fmt.Sprintf("it does not say %q after %q:\n%s\n%s", want, s.out.String()[:s.at], s.out.String()[s.at:], s.errs.String())
	})
	s.at += strings.Index(s.out.String()[s.at:], want) + len(want)
}

func (s *spoken) types(t *testing.T, lines string) {
	t.Helper()
	if _, err := io.WriteString(s.in, lines); err != nil {
		t.Fatal(err)
	}
}

func (s *spoken) ends(t *testing.T, status int) {
	t.Helper()
	_ = s.Wait()
	if got := s.ProcessState.ExitCode(); got != status {
		t.Errorf("exit status %d, want %d:\n%s%s", got, status, s.out.String(), s.errs.String())
	}
}

// A match on the service's HAT can be played to its end in lines of text, while the joystick is
// used too.
func TestConverse(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	s := speak(t, d)
	s.says(t, "4 in a row on 7x6, first to 2 points.\nType a column, or ")
	s.says(t, "Round 1: red 0, yellow 0; red starts.\n")
	s.says(t, "\nred, column 1-7: ")
	s.types(t, "4\n")
	s.says(t, "\nred: column 4, row 1\nyellow, column 1-7: ")
	d.aims(t, "4")
	d.tap(t, keyEnter)
	s.says(t, "\nyellow: column 4, row 2\nred, column 1-7: ")
	s.types(t, "u\n")
	s.says(t, "\nTaken back: yellow, column 4, row 2.\nyellow, column 1-7: ")
	s.types(t, "u\nu\n")
	s.says(t, "Taken back: red, column 4, row 1.\nred, column 1-7: \nNothing to take back in this round yet.\nred, column 1-7: ")
	s.types(t, "u\n")
	s.says(t, "Nothing to take back in this round yet.\nred, column 1-7: ")
	s.types(t, "x\nc 4\n9\n")
	s.says(t, `"x" is not a column: type 1 to 7`)
	s.says(t, "Column 4 is empty.")
	s.says(t, "There is no column 9: choose another from 1 to 7.\nred, column 1-7: ")
	s.types(t, "?\n")
	s.says(t, "worth to red: column 4 wins with 21 more discs; columns 3 and 5 draw; columns 2 and 6 lose: yellow wins with 21 more yellow discs; ")
	s.says(t, "20 more yellow discs\nred, column 1-7: ")
	s.types(t, "?\n1\n1\n1\n1\n1\n1\n1\n")
	s.says(t, "20 more yellow discs\nred, column 1-7: ")
	s.says(t, "yellow: column 1, row 6\nred, column 1-7: \nColumn 1 is full: choose another from 1 to 7.\nred, column 1-7: ")

	d.tap(t, keyUp)
	s.says(t, "\nThe match is paused. Enter resumes it, q leaves: ")
	s.types(t, "\n")
	s.says(t, "\nred, column 1-7: ")
	s.types(t, "q\n")
	s.says(t, "\nthe match continues on the HAT: c4hat play --continue --socket "+d.socket+" joins it again\n")
	s.ends(t, 0)

	s = speak(t, d, "--continue")
	s.says(t, "The match goes on: red 0, yellow 0; 6 discs are on the board, the last one yellow, column 1, row 6; red to move.\n")
	d.until(t, "red's turn", func(v game.View) bool { return v.Phase == game.Aim })
	s.types(t, "2\n7\n2\n7\n2\n7\n2\n")
	s.says(t, "red's line: column 2, rows 1 to 4\nred wins the round (red 1, yellow 0)\nRound 2: red 1, yellow 0; ")
	if err := s.in.Close(); err != nil {
		t.Error(err)
	}
	s.ends(t, 1)
	if got := s.errs.String(); got != "c4hat: the input ended before the match was over; the match continues on the HAT: c4hat play --continue --socket "+d.socket+" joins it again\n" {
		t.Errorf("at the end of the input: %q", got)
	}

	s = speak(t, d, "--display", "plain")
	s.ends(t, 1)
	if got := s.errs.String(); !strings.HasPrefix(got, "c4hat: a match is under way (7x6, two players: red 1, yellow 0): join it with c4hat play --continue --display plain --socket "+d.socket+", watch it with c4hat watch --socket "+d.socket+", play beside it with --local, or ") {
		t.Errorf("a second match: %q", got)
	}
	s = speak(t, d, "--force", "--points", "1", "--forever")
	s.says(t, "The match that was under way on the HAT was given up (7x6, two players: red 1, yellow 0).\n")
	s.types(t, "1\n2\n1\n2\n1\n2\n1\n")
	s.says(t, "red wins the match 1-0\nAnother match? ")
	s.types(t, "c 1\n")
	s.says(t, "You are red; the computer is yellow, level novice.\n")
	s.types(t, "4\n")
	s.says(t, "yellow, the computer: column ")
	s.says(t, "your turn, column 1-7: ")
	s.types(t, "exit\n")
	s.ends(t, 0)

	s = speak(t, d, "--local", "--points", "1")
	if err := s.program.Wait(); err == nil || !strings.Contains(s.errs.String(), "--local plays without it") {
		t.Errorf("--local with --socket: %v, %s", err, s.errs.String())
	}
}

// A match in lines of text continues after the service is killed and restarted.
func TestConverseAcrossRestart(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	s := speak(t, d, "--show-board")
	s.says(t, "red, column 1-7: ")
	s.types(t, "3\n")
	s.says(t, "red: column 3, row 1\n1 2 3 4 5 6 7\n. . .")
	s.says(t, "yellow, column 1-7: ")
	d.kill(t)
	s.says(t, "\nThe service has stopped: waiting for it.\n")
	d.start(t)
	s.says(t, "The service is back.\n")
	s.says(t, "yellow, column 1-7: ")
	s.types(t, "3\n")
	s.says(t, "yellow: column 3, row 2\n")
	_ = s.Process.Signal(syscall.SIGINT)
	s.says(t, "the match continues on the HAT")
	s.ends(t, 0)
}

// A match that is piped into play is played on the HAT, and c4hat watch prints every disc but no
// board.
func TestWatchSpeech(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	watcher := start(t, nil, "c4hat", "watch", "--socket", d.socket)
	eventually(t, func() bool { return watcher.out.String() == "Nobody plays: a demo runs.\n" }, func() string {
		return watcher.out.String()
	})
	s := speak(t, d, "--points", "1")
	s.types(t, "1\n2\n1\n2\n1\n2\n1\n")
	s.ends(t, 0)
	if got := s.out.String(); !strings.HasSuffix(got, "\nred's line: column 1, rows 1 to 4\nred wins the round (red 1, yellow 0)\nred wins the match 1-0\n") {
		t.Errorf("the match ended with %q", got)
	}
	eventually(t, func() bool { return strings.HasSuffix(watcher.out.String(), "red wins the match 1-0\n") }, func() string {
		return watcher.out.String()
	})
	_ = watcher.Process.Signal(syscall.SIGINT)
	_ = watcher.Wait()
	const want = `Nobody plays: a demo runs.
4 in a row on 7x6, first to 1 point.
Round 1: red 0, yellow 0; red starts.
red: column 1, row 1
yellow: column 2, row 1
red: column 1, row 2
yellow: column 2, row 2
red: column 1, row 3
yellow: column 2, row 3
red: column 1, row 4
red's line: column 1, rows 1 to 4
red wins the round (red 1, yellow 0)
red wins the match 1-0
`
	if got := watcher.out.String(); got != want {
		t.Errorf("the watcher printed\n%s", got)
	}
}
