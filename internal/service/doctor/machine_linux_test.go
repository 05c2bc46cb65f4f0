package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/service/socket"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
)

// fixture is a machine in memory: a Pi 4 with a screen and no problems.
type fixture struct {
	t testing.TB
	*machine
	tree          fstest.MapFS
	screens, keys []hat.Device
	openErrs      map[string]error
	busErr        error
	transfers     []i2ctest.IO // the transfers that the bus expects
	other         string       // operating system, if it is not Linux
	lists         map[string][]string
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	x := &fixture{
		t: t, tree: fstest.MapFS{}, lists: map[string][]string{}, openErrs: map[string]error{},
		screens: []hat.Device{{Name: "vc4drmfb", Path: "/dev/fb0"}, {Name: hat.MatrixName, Path: "/dev/fb1"}},
		keys:    []hat.Device{{Name: "vc4-hdmi-0", Path: "/dev/input/event0"}, {Name: hat.JoystickName, Path: "/dev/input/event3"}},
		busErr:  fs.ErrNotExist,
	}
	x.machine = &machine{
		files: x.tree, user: "ada", settings: settings.New(), own: "/home/ada/.local/state/c4hat",
		model:   func() string { return "Raspberry Pi 4 Model B Rev 1.4" },
		devices: func() (_, _ []hat.Device) { return x.screens, x.keys },
		bus: &hat.I2C{Open: func() (i2c.BusCloser, error) {
			if x.busErr == nil && x.transfers == nil {
				x.t.Error("the bus is probed")
			}
			return &i2ctest.Playback{Ops: x.transfers, DontPanic: true}, x.busErr
		}},
		open: func(path string, flag int) error {
			if want := map[bool]int{true: os.O_RDONLY, false: os.O_RDWR}[strings.Contains(path, "input")]; flag != want {
				x.t.Errorf("%s is opened with %#x", path, flag)
			}
			return x.openErrs[path]
		},
		owner:     func(string) (int, string) { return 612, "c4hat" },
		consoleAt: func(int) (int, error) { return 0, nil },
		free:      func(string) (uint64, error) { return 20 << 30, nil },
		write:     func(string) error { return nil },
		env:       func(string) string { return "" },
		status: func() (socket.Status, error) {
			return socket.Status{Machine: socket.Machine{Version: "1.0", PID: 612, Matrix: true, Joystick: true}}, nil
		},
	}
	text, err := os.ReadFile("testdata/changes.txt")
	try.Must(t, err)
	for line := range strings.Lines(string(text)) {
		if name, list, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok && name[0] != '#' {
			x.lists[name] = append(x.lists[name], list)
		}
	}
	x.change("base")
	return x
}

func (x *fixture) put(path, text string) {
	x.tree[relative(path)] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
}

func (x *fixture) link(path, to string) {
	x.tree[relative(path)] = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink}
}

// closed are files of which those with a text in their names may not be looked at.
type closed struct {
	fstest.MapFS
	text string
}

func (c closed) Stat(name string) (fs.FileInfo, error) {
	if strings.Contains("/"+name, c.text) {
		return nil, fs.ErrPermission
	}
	return c.MapFS.Stat(name)
}

func (c closed) Lstat(name string) (fs.FileInfo, error) { return c.Stat(name) }

// changes are what may be different on a machine, by name, with a text.
var changes = map[string]func(x *fixture, text string){
	"os":    func(x *fixture, text string) { x.other = text },
	"model": func(x *fixture, text string) { x.model = func() string { return text } },
	"user":  func(x *fixture, text string) { x.user = text },
	"own":   func(x *fixture, text string) { x.own = text },
	"put":   func(x *fixture, text string) { path, content, _ := strings.Cut(text, " "); x.put(path, content) },
	"link":  func(x *fixture, text string) { path, to, _ := strings.Cut(text, " "); x.link(path, to) },
	"remove": func(x *fixture, path string) {
		n := len(x.tree)
		maps.DeleteFunc(x.tree, func(file string, _ *fstest.MapFile) bool {
			return file == relative(path) || strings.HasPrefix(file, relative(path)+"/")
		})
		if len(x.tree) == n {
			x.t.Fatal("there is no", path)
		}
	},
	"opens": func(x *fixture, text string) { // a process has a file open
		f := strings.Fields(text)
		x.put("/proc/"+f[0]+"/comm", f[1]+"\n")
		x.link("/proc/"+f[0]+"/fd/5", f[2])
	},
	"config":  func(x *fixture, text string) { x.settings.Config = text },
	"devices": func(x *fixture, text string) { x.settings.FB = text },
	"mistake": func(x *fixture, text string) { x.mistake = errors.New(text) },
	"console": func(x *fixture, _ string) { x.consoleAt = func(int) (int, error) { return 1, nil } },
	"screens": func(x *fixture, _ string) { x.screens = nil },
	"screen": func(x *fixture, _ string) {
		x.screens = append(x.screens, hat.Device{Name: "vc4drmfb", Path: "/dev/fb1"})
	},
	"inputs": func(x *fixture, text string) {
		for n, name := range strings.Fields(text) {
			x.keys = append(x.keys, hat.Device{Name: name, Path: fmt.Sprintf("/dev/input/event1%d", n)})
		}
	},
	"owner": func(x *fixture, text string) { x.owner = func(string) (int, string) { return 99, text } },
	"free": func(x *fixture, text string) {
		x.free = func(string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }
	},
	"read-only": func(x *fixture, _ string) { x.write = func(string) error { return syscall.EROFS } },
	"locked": func(x *fixture, text string) {
		x.write = func(path string) error { return map[string]error{text: syscall.EACCES}[path] }
	},
	"closed": func(x *fixture, text string) {
		x.files = closed{x.tree, text}
	},
	"deny": func(x *fixture, path string) {
		x.openErrs[path] = &fs.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	},
	"gone": func(x *fixture, path string) {
		x.openErrs[path] = &fs.PathError{Op: "open", Path: path, Err: syscall.ENODEV}
	},
	"bus": func(x *fixture, text string) {
		x.busErr = map[string]error{"denied": fs.ErrPermission, "none": errors.New("none")}[text]
	},
	"onBus": func(x *fixture, id string) { // a device with this ID
		x.busErr, x.transfers = nil, []i2ctest.IO{{Addr: 0x46, W: []byte{0xF0}, R: []byte{id[0]}}}
	},
	"silent":   func(x *fixture, _ string) { x.busErr, x.transfers = nil, []i2ctest.IO{} },
	"mayProbe": func(x *fixture, _ string) { x.busErr = nil }, // without this, a probe is an error
	"lacks": func(x *fixture, text string) {
		m := socket.Machine{Version: "1.0", PID: 612, Joystick: text == "matrix"}
		x.status = func() (socket.Status, error) { return socket.Status{Machine: m}, nil }
	},
	"service": func(x *fixture, text string) { // does not answer
		err := map[string]error{"none": socket.ErrNoDaemon, "denied": socket.ErrDenied, "lost": socket.ErrLost}[text]
		x.status = func() (socket.Status, error) { return socket.Status{}, err }
	},
	"nobody":   func(x *fixture, _ string) { x.owner = func(string) (int, string) { return 0, "" } },
	"headless": func(x *fixture, _ string) { x.screens = []hat.Device{{Name: hat.MatrixName, Path: "/dev/fb0"}} },
	"matrix":   func(x *fixture, _ string) { x.screens = x.screens[:1] },
	"joystick": func(x *fixture, _ string) { x.keys = x.keys[:1] },
}

// change makes the changes in a list, which "; " separates. A name in testdata/changes.txt stands for others.
func (x *fixture) change(list string) {
	for change := range strings.SplitSeq(list, "; ") {
		name, text, _ := strings.Cut(change, " ")
		if unquoted, err := strconv.Unquote(`"` + text + `"`); err == nil {
			text = unquoted
		}
		if do := changes[name]; do != nil {
			do(x, text)
		} else if change != "" && x.lists[name] == nil {
			x.t.Fatalf("there is no change %q", change)
		}
		for _, list := range x.lists[name] {
			x.change(list)
		}
	}
}

// testdata/machines.txt has, for every result of every check, a machine that leads to it, and the finding's
// state, text and fix; also, that the consequences of a problem are not reported.
func TestTables(t *testing.T) {
	machines, err := os.ReadFile("testdata/machines.txt")
	try.Must(t, err)
	var out strings.Builder
	seen, known := map[row]bool{}, facts{}
	for line := range strings.Lines(string(machines)) {
		check, list, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		if strings.HasPrefix(line, "=> ") || strings.HasPrefix(line, "=>\n") {
			continue
		}
		x := newFixture(t)
		x.change(strings.TrimPrefix(list, " "))
		f, got := x.facts(), ""
		if x.other != "" {
			f = facts{"os": x.other}
		}
		for _, d := range diagnose(f) {
			if d.Check == check {
				got = fmt.Sprintf(" %s|%s|%s", d.State, d.Text, d.Fix)
			}
			if strings.ContainsAny(d.Text+d.Fix, "{}\n\x1b") {
				t.Errorf("%s: %q %q", d.Check, d.Text, d.Fix)
			}
		}
		out.WriteString(line + "=>" + got + "\n")
		for name := range f {
			known[name] = "yes"
		}
		for _, r := range slices.Concat(tables...) {
			if r.check == check && f.holds(r.cause) {
				seen[r] = true
				break
			}
		}
	}
	golden.Check(t, "testdata/machines.txt", out.String())
	for _, r := range slices.Concat(tables...) {
		if !seen[r] {
			t.Errorf("%s: nothing leads to %q", r.check, r.text)
		}
		if !known.holds(strings.ReplaceAll(r.cause, "!", "")) {
			t.Errorf("%s: a fact of %q is never found", r.check, r.cause)
		}
	}
}
