package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"
)

// The reports of common machines are as in testdata.
func TestReports(t *testing.T) {
	for name, change := range map[string]string{
		"pi4": "", "laptop": "laptop", "headless": "headless", "no-overlay": "noOverlay; noEEPROM; onBus s",
		"new-user": "alone; remove /usr; user eve", // on a HAT without the service
	} {
		t.Run(name, func(t *testing.T) {
			x := newFixture(t)
			x.change(change)
			var text bytes.Buffer
			_ = diagnose(x.facts()).Write(&text, false) // says whether there is a problem
			golden.Check(t, filepath.Join("testdata", name+".txt"), text.String())
		})
	}
}

// If there is a problem, ok is false in JSON, and Write returns an error.
func TestReportWrite(t *testing.T) {
	for _, tt := range []struct {
		state State
		err   error
		last  string
		ok    bool
	}{
		{good, nil, "no problems found", true},
		{note, nil, "no problems found", true},
		{bad, cli.ErrReported, "1 problem found: fix it, then run c4hat doctor again", false},
	} {
		report := Report{{"matrix", good, "there", ""}, {"joystick", tt.state, "a & b", "fix | it"}}
		var text, object bytes.Buffer
		if err := report.Write(&text, false); err != tt.err || !strings.HasSuffix(text.String(), "\n     fix | it\n"+tt.last+"\n") {
			t.Errorf("%v, %s", err, &text)
		}
		want := fmt.Sprintf(`{"ok":%v,"findings":[{"look":"matrix","state":"good","found":"there"},`+
			`{"look":"joystick","state":%q,"found":"a & b","mend":"fix | it"}]}`, tt.ok, tt.state)
		if err := report.Write(&object, true); err != tt.err || !json.Valid(object.Bytes()) {
			t.Errorf("%v, %s", err, &object)
		}
		if got := regexp.MustCompile(`\n *`).ReplaceAllString(object.String(), ""); strings.ReplaceAll(got, `": `, `":`) != want {
			t.Errorf("is  %s\nwant %s", got, want)
		}
	}
	var text bytes.Buffer
	_ = Report{{"a", bad, "x", ""}, {"b", bad, "x", ""}}.Write(&text, false)
	if want := "BAD  a: x\nBAD  b: x\n2 problems found: fix the first, then run c4hat doctor again\n"; text.String() != want {
		t.Errorf("is\n%s", &text)
	}
}

func TestSystemCalls(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "fb0")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tryOpen(path, os.O_RDWR); err != nil {
		t.Errorf("a file of ours: %v", err)
	}
	if err := tryOpen(path+"x", os.O_RDWR); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tryOpen(fifo, os.O_RDONLY); err != nil { // without waiting
		t.Error(err)
	}
	if free, err := freeSpace(dir); err != nil || free == 0 {
		t.Errorf("%d bytes free, %v", free, err)
	}
	if _, err := freeSpace(path + "x"); err == nil {
		t.Error("the disk of no file has room")
	}
	if err := tryWrite(dir); err != nil {
		t.Error(err)
	}
	if err := tryWrite("/proc/self"); err == nil && os.Geteuid() != 0 {
		t.Error("/proc can be written")
	}
	if err := tryWrite(path + "x"); !errors.Is(err, syscall.ENOENT) {
		t.Error(err)
	}
}

// The configuration is read as the service reads it: a mistake is a fact, and so is what names devices. Only the
// command line overrides its socket.
func TestConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.toml")
	read := func(doc string, args ...string) facts {
		t.Helper()
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		p, flags := settings.New(), pflag.NewFlagSet("", pflag.ContinueOnError)
		p.Add(flags, settings.Places)
		if err := flags.Parse(append(args, "--config", file)); err != nil {
			t.Fatal(err)
		}
		return collect(t.Context(), p, flags)
	}
	f := read("[machine]\nfb = \"/dev/fb5\"\nsocket = \"/tmp/s\"\n")
	if f["mistake"] != "" || f["named"] != "/dev/fb5" || f["configuration"] != file || f["socket"] != "/tmp/s" {
		t.Errorf("%+v", f)
	}
	if f := read("[machine]\nsocket = \"/tmp/s\"\n", "--socket", "/tmp/t"); f["socket"] != "/tmp/t" {
		t.Errorf("the socket is %s", f["socket"])
	}
	if f := read("[game]\npoints = 9\n"); !strings.Contains(f["mistake"], file+":2: points") {
		t.Error(f["mistake"])
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
