package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/cli"
)

var overlayLine = regexp.MustCompile(`(?m)^ *d *t *o *v *e *r *l *a *y *= *r *p *i *- *s *e *n *s *e`)

// FuzzDoctor: whatever a machine's files say, the doctor's report is lines for
// people, each look told once, and the same for programs.
func FuzzDoctor(f *testing.F) {
	b := newBed(f) // its files are written anew, which is quicker than all of them
	b.deny("/dev/fb1")
	f.Fuzz(func(t *testing.T, groups, config, modules, name, product, processes string) {
		b.t = t
		b.put("/etc/group", groups)
		b.put("/boot/firmware/config.txt", config)
		b.put("/proc/modules", modules)
		b.put("/sys/class/graphics/fb0/name", name)
		b.put("/proc/device-tree/hat/product", product)
		b.put("/sys/fs/cgroup/system.slice/c4hat.service/cgroup.procs", processes)
		facts := b.examine()
		if want := overlayLine.MatchString(config); facts.loads != want {
			t.Errorf("config.txt loads the overlay: %v, want %v", facts.loads, want)
		}
		found := diagnose(looks(), facts)
		var text bytes.Buffer
		if err := writeReport(&text, found, style{good: "good", note: "note", bad: "BAD "}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text.String(), "\n"); n > 2*len(looks())+1 {
			t.Errorf("%d lines:\n%s", n, text.String())
		}
		for line := range strings.Lines(text.String()) {
			if strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\x1b\r\n\x00\u009b") {
				t.Errorf("%q", line)
			}
		}
		text.Reset()
		var again report
		if err := cli.WriteJSON(&text, report{true, found}); err != nil || json.Unmarshal(text.Bytes(), &again) != nil || len(again.Findings) != len(found) {
			t.Errorf("%v\n%s", err, text.String())
		}
	})
}
