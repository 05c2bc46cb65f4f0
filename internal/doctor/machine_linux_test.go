package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/control"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
)

// fixture is a machine of files: a Pi 4 with a screen and no problems.
type fixture struct {
	t testing.TB
	*machine
	screens, keys []hat.Device
	openErrs      map[string]error
	fileGroups    map[string]int
	busErr        error
	transfers     []i2ctest.IO // that the bus expects
}

const kernelRelease = "6.12.47+rpt-rpi-v8"

func newFixture(t testing.TB) *fixture {
	t.Helper()
	b := &fixture{
		t: t, openErrs: map[string]error{},
		fileGroups: map[string]int{"/dev/fb0": 44, "/dev/fb1": 44, "/dev/input/event3": 995},
		screens:    []hat.Device{{Name: "vc4drmfb", Path: "/dev/fb0"}, {Name: hat.MatrixName, Path: "/dev/fb1"}},
		keys:       []hat.Device{{Name: "vc4-hdmi-0", Path: "/dev/input/event0"}, {Name: hat.JoystickName, Path: "/dev/input/event3"}},
		busErr:     fs.ErrNotExist,
	}
	root := t.TempDir()
	b.machine = &machine{
		root: root, os: "linux", user: "ada", groups: []int{1000, 44, 995},
		configuration: configuration{path: "/etc/c4hat/config.toml"},
		socket:        "/run/c4hat/c4hat.sock", own: "/home/ada/.local/state/c4hat",
		model:   func() string { return "Raspberry Pi 4 Model B Rev 1.4" },
		devices: func() (_, _ []hat.Device) { return b.screens, b.keys },
		bus: &hat.I2C{Open: func() (i2c.BusCloser, error) {
			if b.busErr == nil && b.transfers == nil {
				b.t.Error("the bus is probed")
			}
			return &i2ctest.Playback{Ops: b.transfers, DontPanic: true}, b.busErr
		}},
		open: func(path string, flag int) (int, error) {
			path = strings.TrimPrefix(path, root)
			if want := map[bool]int{true: os.O_RDONLY, false: os.O_RDWR}[strings.Contains(path, "input")]; flag != want {
				b.t.Errorf("%s is opened with %#x", path, flag)
			}
			return b.fileGroups[path], b.openErrs[path]
		},
		owner: func(string) (int, string) { return 612, "c4hat" },
		stat:  os.Stat,
		gamma: func(string) ([32]byte, error) { return hat.DefaultGamma(), nil },
		free:  func(string) (uint64, error) { return 20 << 30, nil },
		write: func(string) error { return nil },
	}
	b.setStatus(control.Machine{Version: "1.0", PID: 612, Matrix: true, Joystick: true})
	b.put("/proc/sys/kernel/osrelease", kernelRelease+"\n")
	b.put("/proc/device-tree/hat/product", "Sense HAT\x00")
	b.put("/proc/modules", "rpisense_fb 12288 0 - Live 0x0\nsensehat_joystick 12288 0 - Live 0x0\nsimple_mfd_i2c 12288 0 - Live 0x0\n")
	b.put("/lib/modules/"+kernelRelease+"/modules.dep", `kernel/drivers/mfd/rpisense-core.ko.xz:
kernel/drivers/mfd/simple-mfd-i2c.ko.xz:
kernel/drivers/video/fbdev/rpisense-fb.ko.xz: kernel/drivers/video/fbdev/core/sysfillrect.ko.xz
kernel/drivers/input/joystick/rpisense-js.ko.xz: kernel/drivers/mfd/rpisense-core.ko.xz
kernel/drivers/input/joystick/sensehat-joystick.ko.xz:
`)
	b.put("/lib/modules/"+kernelRelease+"/modules.builtin", "kernel/drivers/i2c/i2c-core.ko\n")
	b.put("/boot/firmware/config.txt", "dtparam=i2c_arm=on\ndtoverlay=vc4-kms-v3d\n[all]\n#dtoverlay=rpi-sense\n")
	b.put("/dev/fb0", "")
	b.put("/dev/fb1", "")
	b.put("/dev/input/event3", "")
	b.put("/sys/bus/i2c/devices/1-0046/name", "sensehat\n")
	b.link("/sys/bus/i2c/devices/1-0046/driver", "../../../../../bus/i2c/drivers/simple-mfd-i2c")
	b.put("/sys/class/vtconsole/vtcon0/name", "(S) dummy device\n")
	b.put("/sys/class/vtconsole/vtcon0/bind", "0\n")
	b.put("/sys/class/vtconsole/vtcon1/name", "(M) frame buffer device\n")
	b.put("/sys/class/vtconsole/vtcon1/bind", "1\n")
	b.put("/etc/group", "root:x:0:\nvideo:x:44:ada\ngames:x:60:ada\ni2c:x:994:ada\ninput:x:995:bob,ada\n")
	b.put("/run/systemd/system/x", "")
	b.put("/usr/lib/systemd/system/c4hat.service", "")
	b.link("/etc/systemd/system/multi-user.target.wants/c4hat.service", "/usr/lib/systemd/system/c4hat.service")
	b.put("/sys/fs/cgroup/system.slice/c4hat.service/cgroup.procs", "612\n")
	b.put("/var/lib/c4hat/match.json", "")
	b.put("/home/ada/x", "")
	return b
}

// dimmed is the driver's default table with every step this much dimmer.
func dimmed(by int) [32]byte {
	table := hat.DefaultGamma()
	for i, level := range table {
		table[i] = byte(max(0, int(level)-by))
	}
	return table
}

// setGamma gives the driver another table.
func (b *fixture) setGamma(table [32]byte, err error) {
	b.gamma = func(string) ([32]byte, error) { return table, err }
}

func (b *fixture) put(path, text string) {
	b.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(b.at(path)), 0o755), os.WriteFile(b.at(path), []byte(text), 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *fixture) link(path, to string) {
	b.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(b.at(path)), 0o755), os.Symlink(to, b.at(path))); err != nil {
		b.t.Fatal(err)
	}
}

func (b *fixture) remove(paths ...string) {
	b.t.Helper()
	for _, path := range paths {
		if _, err := os.Lstat(b.at(path)); err != nil {
			b.t.Fatal(err)
		}
		if err := os.RemoveAll(b.at(path)); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *fixture) setStatus(m control.Machine) {
	b.status = func() (control.Status, error) { return control.Status{Machine: m}, nil }
}

func (b *fixture) setStatusErr(err error) {
	b.status = func() (control.Status, error) { return control.Status{}, err }
}

func (b *fixture) stop() {
	b.remove("/sys/fs/cgroup/system.slice")
	b.setStatusErr(fmt.Errorf("%w: nobody listens", control.ErrNoDaemon))
	b.owner = func(string) (int, string) { return 0, "" }
}

func (b *fixture) noMatrix()   { b.screens = b.screens[:1]; b.remove("/dev/fb1") }
func (b *fixture) noJoystick() { b.keys = b.keys[:1]; b.remove("/dev/input/event3") }
func (b *fixture) noOverlay() {
	b.noMatrix()
	b.noJoystick()
	b.remove("/sys/bus")
	b.put("/proc/modules", "")
	b.setStatus(control.Machine{Version: "1.0", PID: 612})
}
func (b *fixture) noEEPROM() { b.remove("/proc/device-tree") }
func (b *fixture) headless() { b.screens = []hat.Device{{Name: hat.MatrixName, Path: "/dev/fb0"}} }
func (b *fixture) laptop() {
	b.noOverlay()
	b.noEEPROM()
	b.stop()
	b.remove("/lib", "/boot", "/usr", "/etc/systemd", "/var/lib/c4hat")
	b.model = func() string { return "no Raspberry Pi" }
	b.configuration.path = ""
}
func (b *fixture) kernelWithoutHAT() {
	b.put("/lib/modules/"+kernelRelease+"/modules.dep", "kernel/fs/ext4.ko:\n")
}

// onBus puts a device on the bus, by its who-am-I.
func (b *fixture) onBus(id byte) {
	b.busErr, b.transfers = nil, []i2ctest.IO{{Addr: 0x46, W: []byte{0xF0}, R: []byte{id}}}
}
func (b *fixture) silent()   { b.busErr, b.transfers = nil, []i2ctest.IO{} }
func (b *fixture) mayProbe() { b.busErr = nil } // and must not

func (b *fixture) deny(paths ...string) {
	for _, path := range paths {
		b.openErrs[path] = &fs.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	}
}

// alone stops the service, and lets only the next session open the HAT.
func (b *fixture) alone() {
	b.stop()
	b.deny("/dev/fb1", "/dev/input/event3")
	b.groups = []int{1000}
}

// unbound has the older driver, which got no answer from the HAT.
func (b *fixture) unbound() {
	b.noMatrix()
	b.noJoystick()
	b.remove("/sys/bus/i2c/devices/1-0046/driver")
	b.put("/sys/bus/i2c/devices/1-0046/name", "rpi-sense\n")
	b.put("/proc/modules", "rpisense_core 16384 0 - Live 0x0\n")
}
