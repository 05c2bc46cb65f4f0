package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/service/api"
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
	if !regexp.MustCompile(`(?m)^1 easy +1 `).MatchString(c.out.String()) || !strings.Contains(c.out.String(), " puppet ") {
		t.Error(c.out.String())
	}
	if n := p.processes(); n != 0 {
		t.Errorf("%d processes are left of the program", n)
	}
}

// A tournament that was killed goes on from its record, and ends as if it had not been killed.
func TestTournamentKilled(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "games.jsonl")
	args := []string{"c4hat", "tournament", "novice", "beginner", "easy", "--games", "200", "--opening-plies", "14", "--threads", "1"}
	stopped := start(t, nil, append(args, "--record", record)...)
	eventually(t, func() bool { text, _ := os.ReadFile(record); return strings.Count(string(text), "\n") > 3 }, func() string { return stopped.errs.String() })
	_ = stopped.Process.Kill()
	_ = stopped.Wait()
	text, _ := os.ReadFile(record)
	if err := os.WriteFile(record, text[:len(text)-7], 0o666); err != nil { // as after a power cut
		t.Fatal(err)
	}
	seed := regexp.MustCompile(`"seed":"(\d+)"`).FindStringSubmatch(string(text))[1]
	on, whole := start(t, nil, append(args, "--record", record)...), start(t, nil, append(args, "--seed", seed)...)
	if err := errors.Join(on.Wait(), whole.Wait()); err != nil || on.out.String() != whole.out.String() || !strings.Contains(on.errs.String(), ": going on after ") {
		t.Errorf("%v: %s\n%s\nnot\n%s", err, on.errs.String(), on.out.String(), whole.out.String())
	}
}

// The HAT shows a tournament's games, and at its end the standing; or the command says why not.
func TestTournamentOnHAT(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	c := start(t, nil, "c4hat", "tournament", "novice", "easy", "--games", "4", "--opening-plies", "14", "--on-hat", "--socket", d.socket)
	bars := func() bool { // the scores of two players
		leds := strings.Split(unpacked(d.leds(t)), "\n")
		return strings.Trim(leds[7][:2], ".") == leds[7][:2] && strings.Trim(strings.Join(leds, "")[:56], ".") != "" && leds[7][2:] == "......"
	}
	eventually(t, bars, func() string {
		return "the standing does not come:\n" + unpacked(d.leds(t)) + c.errs.String() + c.out.String()
	})
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, c.errs.String())
	}
	_, err := d.client.Start(t.Context(), api.MatchRequest{})
	must(t, err)
	c = start(t, nil, "c4hat", "tournament", "novice", "easy", "--games", "2", "--opening-plies", "14", "--on-hat", "--socket", d.socket)
	if err := c.Wait(); err != nil || !strings.Contains(c.errs.String(), "not shown: the HAT is in use") {
		t.Errorf("while a match is on the HAT: %v: %s", err, c.errs.String())
	}
}
