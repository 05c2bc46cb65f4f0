package doctor

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// overlay describes the client that the HAT's device tree overlay creates at address 0x46 of an I²C
// bus. In rpi-sense-overlay.dts of Raspberry Pi's kernel its name is rpi-sense up to 6.6, then
// sensehat.
type overlay struct {
	client, name, driver string // empty without client or driver
	config               string // path of config.txt
	configured           bool   // config.txt loads the overlay
}

func (m *machine) overlay() (o overlay) {
	entries, _ := fs.Glob(m.files, "sys/bus/i2c/devices/*-0046")
	for _, entry := range entries {
		if name := m.text(entry, "name"); name == "rpi-sense" || name == "sensehat" {
			driver, _ := fs.ReadLink(m.files, entry+"/driver")
			o.client, o.name, o.driver = path.Base(entry), name, strings.TrimPrefix(path.Base(driver), ".")
			break
		}
	}
	o.config = "/boot/firmware/config.txt" // since Debian 12
	if !m.exists(o.config) && m.exists("/boot/config.txt") {
		o.config = "/boot/config.txt"
	}
	for line := range strings.Lines(m.text(o.config)) {
		if strings.HasPrefix(strings.ReplaceAll(line, " ", ""), "dtoverlay=rpi-sense") {
			o.configured = true
		}
	}
	return o
}

type drivers struct {
	core     bool     // the driver of the board itself is loaded
	unloaded []string // needed, but not loaded
	unknown  []string // the unloaded ones that the kernel does not include
	removed  bool     // the modules of the running kernel are missing, for example after an update
}

func (m *machine) drivers(f *facts) (d drivers) {
	loaded := m.text("/proc/modules")
	dir := "/lib/modules/" + f.release
	builtin, known := m.text(dir, "modules.builtin"), m.text(dir, "modules.dep")
	has := func(name string) bool {
		return strings.Contains("\n"+loaded, "\n"+strings.ReplaceAll(name, "-", "_")+" ") ||
			strings.Contains(builtin, "/"+name+".ko")
	}
	// The drivers are named after their files in drivers/mfd, drivers/video/fbdev and
	// drivers/input/joystick of Raspberry Pi's kernel.
	core, matrix, joystick := "rpisense-core", "rpisense-fb", "rpisense-js"
	if f.overlay.name == "sensehat" {
		core, joystick = "simple-mfd-i2c", "sensehat-joystick"
	}
	d.core = has(core)
	for _, part := range [][2]string{{core, f.overlay.driver}, {matrix, f.matrix.path}, {joystick, f.joystick.path}} {
		name, found := part[0], part[1] != ""
		if found || has(name) {
			continue
		}
		d.unloaded = append(d.unloaded, name)
		if !strings.Contains(known, "/"+name+".ko") {
			d.unknown = append(d.unknown, name)
		}
	}
	d.removed = known == "" && builtin == ""
	return d
}

// console reports whether the kernel's text console draws on framebuffers, and not on the matrix. Each
// vtcon is a console driver, and is bound while in use (Documentation/driver-api/console.rst). Who may
// not ask the kernel takes it to draw on framebuffer 0.
func (m *machine) console(matrix string) (bound, elsewhere bool) {
	entries, _ := fs.Glob(m.files, "sys/class/vtconsole/vtcon*")
	for _, entry := range entries {
		if strings.Contains(m.text(entry, "name"), "frame buffer device") && m.text(entry, "bind") == "1" {
			number, _ := strconv.Atoi(strings.TrimPrefix(matrix, "/dev/fb"))
			at, _ := m.consoleAt(number)
			return true, fmt.Sprint("/dev/fb", at) != matrix
		}
	}
	return false, false
}

// python finds a Python program that has one of the devices open. Its module sense_hat takes no lock:
// it keeps the joystick open, and writes to the matrix between other programs' pictures. Only root sees
// the programs of other users.
func (m *machine) python(devices ...string) int {
	names, _ := fs.Glob(m.files, "proc/[0-9]*/comm")
	for _, name := range names {
		if !strings.HasPrefix(m.text(name), "python") {
			continue
		}
		files, _ := fs.Glob(m.files, path.Dir(name)+"/fd/*")
		for _, file := range files {
			if to, _ := fs.ReadLink(m.files, file); to != "" && slices.Contains(devices, to) {
				pid, _ := strconv.Atoi(path.Base(path.Dir(name)))
				return pid
			}
		}
	}
	return 0
}
