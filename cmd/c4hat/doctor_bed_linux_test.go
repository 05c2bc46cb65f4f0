package main

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

// bed is a patient made of files. It begins as a Pi 4 with a screen, on which all is
// well.
type bed struct {
	t testing.TB
	*patient
	opens  map[string]error
	groups map[string]int // of device files
	ops    []i2ctest.IO   // what the bus is asked
}

const kernelOfBed = "6.12.47+rpt-rpi-v8"

func newBed(t testing.TB) *bed {
	t.Helper()
	b := &bed{t: t, opens: map[string]error{}, groups: map[string]int{"/dev/fb0": 44, "/dev/fb1": 44, "/dev/input/event3": 995, "/dev/i2c-1": 994}}
	root := t.TempDir()
	b.patient = &patient{
		root: root, os: "linux", user: "ada", groups: []int{1000, 44, 995},
		config: configured{path: "/etc/c4hat/config.toml"},
		socket: "/run/c4hat/c4hat.sock", own: "/home/ada/.local/state/c4hat",
		model: func() string { return "Raspberry Pi 4 Model B Rev 1.4" },
		bus: func() (i2c.BusCloser, error) {
			if b.ops == nil {
				t.Error("the bus is asked")
			}
			return &i2ctest.Playback{Ops: b.ops, DontPanic: true}, nil
		},
		open: func(path string, flag int) (int, error) {
			path = strings.TrimPrefix(path, root)
			if want := map[bool]int{true: os.O_RDONLY, false: os.O_RDWR}[strings.Contains(path, "input")]; flag != want {
				t.Errorf("%s is opened with %#x", path, flag)
			}
			return b.groups[path], b.opens[path]
		},
		owner: func(path string) (int, string) { return 612, "c4hat" },
		stat:  os.Stat,
		gamma: func(string) ([32]byte, error) { return dimmed(0), nil },
		free:  func(string) (uint64, error) { return 20 << 30, nil },
		write: func(string) error { return nil },
	}
	b.answers(control.Machine{Version: "1.0", PID: 612, Matrix: true, Joystick: true})
	b.put("/proc/sys/kernel/osrelease", kernelOfBed+"\n")
	b.put("/proc/device-tree/hat/product", "Sense HAT\x00")
	b.put("/proc/modules", "rpisense_fb 12288 0 - Live 0x0\nsensehat_joystick 12288 0 - Live 0x0\nsimple_mfd_i2c 12288 0 - Live 0x0\n")
	b.put("/lib/modules/"+kernelOfBed+"/modules.dep", `kernel/drivers/mfd/rpisense-core.ko.xz:
kernel/drivers/mfd/simple-mfd-i2c.ko.xz:
kernel/drivers/video/fbdev/rpisense-fb.ko.xz: kernel/drivers/video/fbdev/core/sysfillrect.ko.xz
kernel/drivers/input/joystick/rpisense-js.ko.xz: kernel/drivers/mfd/rpisense-core.ko.xz
kernel/drivers/input/joystick/sensehat-joystick.ko.xz:
`)
	b.put("/lib/modules/"+kernelOfBed+"/modules.builtin", "kernel/drivers/i2c/i2c-core.ko\n")
	b.put("/boot/firmware/config.txt", "dtparam=i2c_arm=on\ndtoverlay=vc4-kms-v3d\n[all]\n#dtoverlay=rpi-sense\n")
	b.put("/sys/class/graphics/fbcon/cursor_blink", "1\n")
	b.put("/sys/class/graphics/fb0/name", "vc4drmfb\n")
	b.put("/sys/class/graphics/fb1/name", "RPi-Sense FB\n")
	b.put("/sys/class/input/event0/device/name", "vc4-hdmi-0\n")
	b.put("/sys/class/input/event3/device/name", "Raspberry Pi Sense HAT Joystick\n")
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

// dimmed is the driver's default table, with every step dimmer by so much.
func dimmed(dimmer int) (table [32]byte) {
	for i := range table {
		table[i] = byte(max(0, hat.Brightness(uint8(i<<3))-dimmer))
	}
	return table
}

// lit gives the driver another table.
func (b *bed) lit(table [32]byte, err error) {
	b.patient.gamma = func(string) ([32]byte, error) { return table, err }
}

func (b *bed) put(path, text string) {
	b.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(b.at(path)), 0o755), os.WriteFile(b.at(path), []byte(text), 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) link(path, to string) {
	b.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(b.at(path)), 0o755), os.Symlink(to, b.at(path))); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) remove(paths ...string) {
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

func (b *bed) answers(m control.Machine) {
	b.status = func() (control.Status, error) { return control.Status{Machine: m}, nil }
}

func (b *bed) refuses(err error) {
	b.status = func() (control.Status, error) { return control.Status{}, err }
}

func (b *bed) stopped() {
	b.remove("/sys/fs/cgroup/system.slice")
	b.refuses(fmt.Errorf("%w: nobody listens", control.ErrNoDaemon))
	b.owner = func(string) (int, string) { return 0, "" }
}

func (b *bed) noMatrix()   { b.remove("/sys/class/graphics/fb1", "/dev/fb1") }
func (b *bed) noJoystick() { b.remove("/sys/class/input/event3", "/dev/input/event3") }
func (b *bed) noOverlay() {
	b.noMatrix()
	b.noJoystick()
	b.remove("/sys/bus")
	b.put("/proc/modules", "")
	b.answers(control.Machine{Version: "1.0", PID: 612})
}
func (b *bed) noEEPROM() { b.remove("/proc/device-tree") }
func (b *bed) headless() {
	b.remove("/sys/class/graphics/fb0", "/sys/class/graphics/fb1")
	b.put("/sys/class/graphics/fb0/name", "RPi-Sense FB\n")
}
func (b *bed) laptop() {
	b.noOverlay()
	b.noEEPROM()
	b.stopped()
	b.remove("/lib", "/boot", "/usr", "/etc/systemd", "/var/lib/c4hat")
	b.model = func() string { return "no Raspberry Pi" }
	b.patient.config.path = ""
}
func (b *bed) kernelWithoutHAT() {
	b.put("/lib/modules/"+kernelOfBed+"/modules.dep", "kernel/fs/ext4.ko:\n")
}

// asked puts a device on the bus, with its who-am-I.
func (b *bed) asked(id byte) {
	b.put("/dev/i2c-1", "")
	b.ops = []i2ctest.IO{{Addr: 0x46, W: []byte{0xF0}, R: []byte{id}}}
}
func (b *bed) silent() {
	b.put("/dev/i2c-1", "")
	b.ops = []i2ctest.IO{}
}
func (b *bed) deny(paths ...string) {
	for _, path := range paths {
		b.opens[path] = &fs.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	}
}

// alone is a bed where no service helps a user that may not open the HAT.
func (b *bed) alone() {
	b.stopped()
	b.deny("/dev/fb1", "/dev/input/event3")
	b.patient.groups = []int{1000}
}

// unbound has the older driver, which has asked the HAT and heard nothing.
func (b *bed) unbound() {
	b.noMatrix()
	b.noJoystick()
	b.remove("/sys/bus/i2c/devices/1-0046/driver")
	b.put("/sys/bus/i2c/devices/1-0046/name", "rpi-sense\n")
	b.put("/proc/modules", "rpisense_core 16384 0 - Live 0x0\n")
}
