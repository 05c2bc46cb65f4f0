package doctor

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/cli"
)

var overlayLine = regexp.MustCompile(`(?m)^ *d *t *o *v *e *r *l *a *y *= *r *p *i *- *s *e *n *s *e`)

// FuzzDoctor checks that for any contents of a machine's files the report is printable, has at most
// one finding per check, and says the same in JSON.
func FuzzDoctor(f *testing.F) {
	x := newFixture(f) // created once: only the files below change
	x.deny("/dev/fb1")
	f.Fuzz(func(t *testing.T, groups, config, modules, name, product, processes string) {
		x.t = t
		x.put("/etc/group", groups)
		x.put("/boot/firmware/config.txt", config)
		x.put("/proc/modules", modules)
		x.screens[0].Name = name
		x.put("/proc/device-tree/hat/product", product)
		x.put("/sys/fs/cgroup/system.slice/c4hat.service/cgroup.procs", processes)
		facts := x.facts()
		if want := overlayLine.MatchString(config); facts.overlay.configured != want {
			t.Errorf("config.txt loads the overlay: %v, want %v", facts.overlay.configured, want)
		}
		report := diagnose(checks(), facts)
		var text bytes.Buffer
		if err := report.Write(&text, false); err != nil && err != cli.ErrReported {
			t.Fatal(err)
		}
		if n := strings.Count(text.String(), "\n"); n > 2*len(checks())+1 {
			t.Errorf("%d lines:\n%s", n, text.String())
		}
		for line := range strings.Lines(text.String()) {
			if strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\x1b\r\n\x00\u009b") {
				t.Errorf("%q", line)
			}
		}
		text.Reset()
		var again struct{ Findings Report }
		if err := report.Write(&text, true); err != nil && err != cli.ErrReported || json.Unmarshal(text.Bytes(), &again) != nil || len(again.Findings) != len(report) {
			t.Errorf("%v\n%s", err, text.String())
		}
	})
}
