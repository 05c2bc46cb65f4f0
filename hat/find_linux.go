package hat

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/c4hat/c4hat/hat/internal/device"
)

// system says where the kernel shows its devices and how long to wait for them. Tests have their own.
type system struct {
	device.Pace
	sys, dev, proc string
	open           func(path string, flag int) (node, error)
}

func kernel() system { return system{device.KernelPace(), "/sys", "/dev", "/proc", openFile} }

// part describes one of the two devices: how to find it, and what errors call it.
type part struct {
	what, name    string // for errors, and for the kernel
	article, kind string // of device
	group         string // which may open it
	class         string // its folder below /sys/class
	prefix        string // of the entries in that folder
	nameAt        string // the file with the name, below an entry
	devices       string // the folder of its device file below /dev
}

func matrixPart() part {
	return part{"matrix", MatrixName, "a", "framebuffer", "video", "graphics", "fb", "name", ""}
}

func joystickPart() part {
	return part{"joystick", JoystickName, "an", "input device", "input", "input", "event", "device/name", "input"}
}

// dir returns the folder in which the part's device file appears.
func (s system) dir(p part) string { return filepath.Join(s.dev, p.devices) }

// Devices lists the kernel's framebuffers and input devices, without opening any. The HAT's
// matrix is the framebuffer called [MatrixName], its joystick the input device called
// [JoystickName].
func Devices() (framebuffers, inputs []Device) {
	framebuffers, _ = kernel().devices(matrixPart())
	inputs, _ = kernel().devices(joystickPart())
	return framebuffers, inputs
}

// devices lists the part's kind of device, in the order of their file names.
func (s system) devices(p part) (all []Device, err error) {
	class := filepath.Join(s.sys, "class", p.class)
	entries, err := os.ReadDir(class)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), p.prefix) {
			continue
		}
		name, err := os.ReadFile(filepath.Join(class, e.Name(), p.nameAt))
		if err == nil {
			all = append(all, Device{strings.TrimSpace(string(name)), filepath.Join(s.dir(p), e.Name())})
		}
	}
	return all, err
}

// find returns the part's device file. It looks for the device's kernel name, because the number in
// a path such as /dev/fb1 depends on which other devices there are.
func (s system) find(p part) (string, error) {
	all, err := s.devices(p)
	for _, d := range all {
		if d.Name == p.name {
			return d.Path, nil
		}
	}
	return "", device.Fault(ErrNotFound, err,
		"no Sense HAT %s: the kernel has no %s called %q: seat the HAT on all 40 pins or add dtoverlay=rpi-sense to /boot/firmware/config.txt, then reboot",
		p.what, p.kind, p.name)
}

// LockOwner finds the process that drives the device at a path: the one that holds the flock that
// this package takes on open devices (/proc/locks). pid is 0 if there is no such process or it is
// unknown. name comes from /proc/PID/comm, with ? for unprintable characters. LockOwner does not
// open the device.
func LockOwner(path string) (pid int, name string) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, ""
	}
	return device.Owner("/proc", info)
}

// openFault describes why a device file could not be opened. mode is its mode, 0 if unknown; given
// reports whether the caller named the path.
func openFault(p part, path string, given bool, mode fs.FileMode, err error) error {
	kind, format, fix := device.KindOf(err), "cannot open the %s %s: %s%s", ""
	switch {
	case kind == ErrNotFound && given:
		format, fix = "no %s at %s: %s%s", ": leave the path out to find the Sense HAT by its name"
	case kind == ErrNotFound:
		format, fix = "the kernel has the Sense HAT's %s but %s is missing: %s%s", ": in a container, pass the device through"
	case kind == ErrPermission:
		format = "no permission to open the %s %s: %s%s"
		if mode&fs.ModeDevice != 0 {
			fix = ": join its group with \"sudo usermod -aG video,input $USER\" and log in again (a service needs the group " + p.group + ")"
		}
	}
	return device.Fault(kind, err, format, p.what, path, device.Reason(err), fix)
}
