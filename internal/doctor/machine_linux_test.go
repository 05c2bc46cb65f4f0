package doctor

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/socket"
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
}

const kernelRelease = "6.12.47+rpt-rpi-v8"

func newFixture(t testing.TB) *fixture {
	t.Helper()
	x := &fixture{
		t: t, tree: fstest.MapFS{}, openErrs: map[string]error{},
		screens: []hat.Device{{Name: "vc4drmfb", Path: "/dev/fb0"}, {Name: hat.MatrixName, Path: "/dev/fb1"}},
		keys:    []hat.Device{{Name: "vc4-hdmi-0", Path: "/dev/input/event0"}, {Name: hat.JoystickName, Path: "/dev/input/event3"}},
		busErr:  fs.ErrNotExist,
	}
	x.machine = &machine{
		os: "linux", files: x.tree, user: "ada",
		configuration: configuration{path: "/etc/c4hat/config.toml"},
		socket:        "/run/c4hat/c4hat.sock", own: "/home/ada/.local/state/c4hat",
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
		stat:      func(path string) (fs.FileInfo, error) { return x.tree.Stat(relative(path)) },
		gamma:     func(string) ([32]byte, error) { return hat.DefaultGamma(), nil },
		consoleAt: func(int) (int, error) { return 0, nil },
		free:      func(string) (uint64, error) { return 20 << 30, nil },
		write:     func(string) error { return nil },
		env:       func(string) string { return "" },
	}
	x.setStatus(socket.Machine{Version: "1.0", PID: 612, Matrix: true, Joystick: true})
	x.put("/proc/sys/kernel/osrelease", kernelRelease+"\n")
	x.put("/proc/device-tree/hat/product", "Sense HAT\x00")
	x.put("/proc/modules", "rpisense_fb 12288 0 - Live 0x0\nsensehat_joystick 12288 0 - Live 0x0\nsimple_mfd_i2c 12288 0 - Live 0x0\n")
	x.put("/lib/modules/"+kernelRelease+"/modules.dep", `kernel/drivers/mfd/rpisense-core.ko.xz:
kernel/drivers/mfd/simple-mfd-i2c.ko.xz:
kernel/drivers/video/fbdev/rpisense-fb.ko.xz: kernel/drivers/video/fbdev/core/sysfillrect.ko.xz
kernel/drivers/input/joystick/rpisense-js.ko.xz: kernel/drivers/mfd/rpisense-core.ko.xz
kernel/drivers/input/joystick/sensehat-joystick.ko.xz:
`)
	x.put("/lib/modules/"+kernelRelease+"/modules.builtin", "kernel/drivers/i2c/i2c-core.ko\n")
	x.put("/boot/firmware/config.txt", "dtparam=i2c_arm=on\ndtoverlay=vc4-kms-v3d\n[all]\n#dtoverlay=rpi-sense\n")
	x.put("/dev/fb0", "")
	x.put("/dev/fb1", "")
	x.put("/dev/input/event3", "")
	x.put("/sys/bus/i2c/devices/1-0046/name", "sensehat\n")
	x.link("/sys/bus/i2c/devices/1-0046/driver", "../../../../../bus/i2c/drivers/simple-mfd-i2c")
	x.put("/sys/class/vtconsole/vtcon0/name", "(S) dummy device\n")
	x.put("/sys/class/vtconsole/vtcon0/bind", "0\n")
	x.put("/sys/class/vtconsole/vtcon1/name", "(M) frame buffer device\n")
	x.put("/sys/class/vtconsole/vtcon1/bind", "1\n")
	x.put("/etc/group", "root:x:0:\nvideo:x:44:ada\ngames:x:60:ada\ni2c:x:994:ada\ninput:x:995:bob,ada\n")
	x.put("/run/systemd/system/x", "")
	x.put("/usr/lib/systemd/system/c4hat.service", "")
	x.link("/etc/systemd/system/multi-user.target.wants/c4hat.service", "/usr/lib/systemd/system/c4hat.service")
	x.put("/sys/fs/cgroup/system.slice/c4hat.service/cgroup.procs", "612\n")
	x.put("/var/lib/c4hat/match.jsonl", "")
	x.put("/home/ada/x", "")
	x.put("/usr/bin/espeak-ng", "")
	x.put("/proc/asound/cards", " 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones\n                      bcm2835 Headphones\n")
	return x
}

// setGamma replaces the driver's gamma table.
func (x *fixture) setGamma(table [32]byte, err error) {
	x.gamma = func(string) ([32]byte, error) { return table, err }
}

func (x *fixture) put(path, text string) {
	x.tree[relative(path)] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
}

// opens adds a process that has a file open.
func (x *fixture) opens(pid, name, file string) {
	x.put("/proc/"+pid+"/comm", name+"\n")
	x.link("/proc/"+pid+"/fd/5", file)
}

func (x *fixture) link(path, to string) {
	x.tree[relative(path)] = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink}
}

func (x *fixture) remove(paths ...string) {
	x.t.Helper()
	for _, path := range paths {
		n := len(x.tree)
		maps.DeleteFunc(x.tree, func(file string, _ *fstest.MapFile) bool {
			return file == relative(path) || strings.HasPrefix(file, relative(path)+"/")
		})
		if len(x.tree) == n {
			x.t.Fatal("there is no", path)
		}
	}
}

func (x *fixture) setStatus(m socket.Machine) {
	x.status = func() (socket.Status, error) { return socket.Status{Machine: m}, nil }
}

func (x *fixture) setStatusErr(err error) {
	x.status = func() (socket.Status, error) { return socket.Status{}, err }
}

func (x *fixture) stop() {
	x.remove("/sys/fs/cgroup/system.slice")
	x.setStatusErr(fmt.Errorf("%w: nothing listens", socket.ErrNoDaemon))
	x.owner = func(string) (int, string) { return 0, "" }
}

func (x *fixture) noMatrix()   { x.screens = x.screens[:1]; x.remove("/dev/fb1") }
func (x *fixture) noJoystick() { x.keys = x.keys[:1]; x.remove("/dev/input/event3") }
func (x *fixture) noOverlay() {
	x.noMatrix()
	x.noJoystick()
	x.remove("/sys/bus")
	x.put("/proc/modules", "")
	x.setStatus(socket.Machine{Version: "1.0", PID: 612})
}
func (x *fixture) noEEPROM() { x.remove("/proc/device-tree") }
func (x *fixture) headless() { x.screens = []hat.Device{{Name: hat.MatrixName, Path: "/dev/fb0"}} }
func (x *fixture) laptop() {
	x.noOverlay()
	x.noEEPROM()
	x.stop()
	x.remove("/lib", "/boot", "/usr", "/etc/systemd", "/var/lib/c4hat")
	x.model = func() string { return "no Raspberry Pi" }
	x.configuration.path = ""
}

// onBus puts a device with this ID on the bus.
func (x *fixture) onBus(id byte) {
	x.busErr, x.transfers = nil, []i2ctest.IO{{Addr: 0x46, W: []byte{0xF0}, R: []byte{id}}}
}
func (x *fixture) silent()   { x.busErr, x.transfers = nil, []i2ctest.IO{} }
func (x *fixture) mayProbe() { x.busErr = nil } // without this, a probe is an error

func (x *fixture) deny(paths ...string) {
	for _, path := range paths {
		x.openErrs[path] = &fs.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	}
}

// alone stops the service. Only after the next login may the user open the HAT.
func (x *fixture) alone() {
	x.stop()
	x.deny("/dev/fb1", "/dev/input/event3")
}

// unbound loads the older driver, which got no answer from the HAT.
func (x *fixture) unbound() {
	x.noMatrix()
	x.noJoystick()
	x.remove("/sys/bus/i2c/devices/1-0046/driver")
	x.put("/sys/bus/i2c/devices/1-0046/name", "rpi-sense\n")
	x.put("/proc/modules", "rpisense_core 16384 0 - Live 0x0\n")
}
