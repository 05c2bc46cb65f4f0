package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"
)

// The reports of common machines are as in testdata, one as JSON too. A report with a problem is an error.
func TestReports(t *testing.T) {
	for name, change := range map[string]string{
		"pi4": "", "laptop": "laptop", "headless": "headless", "no-overlay": "noOverlay; noEEPROM; onBus s",
		"new-user": "alone; remove /usr; user eve", // on a HAT without the service
		"mistaken": "devices /dev/fb7; mistake c.toml:1: a < b; read-only",
	} {
		t.Run(name, func(t *testing.T) {
			x := newFixture(t)
			x.change(change)
			var text, object strings.Builder
			report := diagnose(x.facts())
			err := report.Write(&text, false)
			if again := report.Write(&object, true); err != again || errors.Is(err, cli.ErrReported) != strings.Contains(text.String(), "BAD") {
				t.Errorf("%v, as JSON %v", err, again)
			}
			golden.Check(t, filepath.Join("testdata", name+".txt"), text.String())
			if name == "mistaken" {
				golden.Check(t, "testdata/mistaken.json", object.String())
			}
		})
	}
}

func TestSystemCalls(t *testing.T) {
	dir := t.TempDir()
	fifo, missing := filepath.Join(dir, "fifo"), filepath.Join(dir, "missing")
	try.Must(t, unix.Mkfifo(fifo, 0o600))
	free, err := freeSpace(dir)
	if err := errors.Join(err, tryOpen(fifo, os.O_RDONLY), tryWrite(dir)); err != nil || free == 0 { // without waiting for a writer
		t.Errorf("%d bytes free, %v", free, err)
	}
	_, err = freeSpace(missing)
	for _, err := range []error{err, tryOpen(missing, os.O_RDWR), tryWrite(missing)} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no file: %v", err)
		}
	}
}

// The configuration is read as the service reads it: a mistake is a fact, and so is what names devices. Only the
// command line overrides its socket.
func TestConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.toml")
	for _, tt := range []struct{ doc, socket, fact, want string }{
		{"machine.fb = '/dev/fb5'", "", "named", "/dev/fb5"},
		{"machine.fb = '/dev/fb5'", "", "mistake", ""},
		{"machine.fb = '/dev/fb5'", "", "configuration", file},
		{"machine.socket = '/tmp/s'", "", "socket", "/tmp/s"},
		{"machine.socket = '/tmp/s'", "/tmp/t", "socket", "/tmp/t"},
		{"\ngame.points = 9", "", "mistake", file + ":2: points = 9: must be a number from 1 to 3"},
	} {
		try.Must(t, os.WriteFile(file, []byte(tt.doc), 0o600))
		p, flags := settings.New(), pflag.NewFlagSet("", pflag.ContinueOnError)
		p.Add(flags, settings.Places)
		try.Must(t, flags.Set("config", file))
		if tt.socket != "" {
			try.Must(t, flags.Set("socket", tt.socket))
		}
		if got := collect(t.Context(), p, flags)[tt.fact]; got != tt.want {
			t.Errorf("%q: %s is %q, want %q", tt.doc, tt.fact, got, tt.want)
		}
	}
}

var overlayLine = regexp.MustCompile(`(?m)^ *d *t *o *v *e *r *l *a *y *= *r *p *i *- *s *e *n *s *e`)

// FuzzDoctor checks that for any contents of a machine's files the report is printable, has at most
// one finding per check, and says the same in JSON.
func FuzzDoctor(f *testing.F) {
	x := newFixture(f) // created once: only the files below change
	x.change("deny /dev/fb1")
	f.Fuzz(func(t *testing.T, groups, config, modules, name, product, processes string) {
		x.t = t
		x.put("/etc/group", groups)
		x.put("/boot/firmware/config.txt", config)
		x.put("/proc/modules", modules)
		x.screens[0].Name = name
		x.put("/proc/device-tree/hat/product", product)
		x.put("/sys/fs/cgroup/system.slice/c4hat.service/cgroup.procs", processes)
		facts := x.facts()
		if want := overlayLine.MatchString(config); (facts["configured"] != "") != want {
			t.Errorf("config.txt loads the overlay: %v, want %v", facts["configured"], want)
		}
		report := diagnose(facts)
		var text bytes.Buffer
		if err := report.Write(&text, false); err != nil && err != cli.ErrReported {
			t.Fatal(err)
		}
		if n := strings.Count(text.String(), "\n"); n > 2*17+1 {
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
