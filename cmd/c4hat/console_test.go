package main

import (
	"os"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/hat"
)

// The udev rule names the HAT's devices as the drivers do, and runs a command that exists. Its labels
// exist too.
func TestRules(t *testing.T) {
	b, err := os.ReadFile("../../systemd/60-c4hat.rules")
	must(t, err)
	rules := string(b)
	for _, part := range []string{`"` + hat.MatrixName + `"`, `"` + hat.JoystickName + `"`, "'c4hat console'"} {
		if !strings.Contains(rules, part) {
			t.Errorf("no rule has %s", part)
		}
	}
	for _, part := range strings.Split(rules, `GOTO="`)[1:] {
		if label, _, _ := strings.Cut(part, `"`); !strings.Contains(rules, `LABEL="`+label+`"`) {
			t.Errorf("there is no label %s", label)
		}
	}
	if cmd, _, err := newRoot().Find([]string{"console"}); err != nil || cmd.Name() != "console" {
		t.Error("there is no command console")
	}
}
