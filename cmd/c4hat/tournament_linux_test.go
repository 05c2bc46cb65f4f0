package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/cli"
)

// After Ctrl-C, even while a program thinks, the results so far are printed, and no process is left.
func TestTournamentInterrupted(t *testing.T) {
	t.Parallel()
	p := newPuppet(t)
	record := filepath.Join(t.TempDir(), "games.jsonl")
	c := start(t, nil, "c4hat", "tournament", "novice", "easy", "puppet="+p.path, "--games", "20", "--seed", "1", "--opening-plies", "14", "--move-time", "0", "--record", record)
	games := func() int {
		text, _ := os.ReadFile(record)
		return strings.Count(string(text), "\n")
	}
	eventually(t, func() bool { return games() == 1 && p.processes() > 0 }, func() string { return c.errs.String() })
	_ = c.Process.Signal(syscall.SIGINT)
	_ = c.Wait()
	if got := c.ProcessState.ExitCode(); got != cli.ExitInterrupted || c.errs.String() != "stopped after 1 of 60 games\n" {
		t.Errorf("exit status %d\n%s", got, c.errs.String())
	}
	if !regexp.MustCompile(`(?m)^easy +1 `).MatchString(c.out.String()) || !strings.Contains(c.out.String(), "\npuppet ") {
		t.Error(c.out.String())
	}
	if n := p.processes(); n != 0 {
		t.Errorf("%d processes are left of the program", n)
	}
}
