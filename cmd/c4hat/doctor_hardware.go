package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/hat"
	"periph.io/x/conn/v3/i2c"
)

// The parts of the HAT as the kernel calls them; package hat finds them likewise.
const (
	matrixName   = "RPi-Sense FB"
	joystickName = "Raspberry Pi Sense HAT Joystick"
)

// device is one of the two.
type device struct {
	entry  string   // in the kernel's class, empty where there is none
	path   string   // of its file
	there  bool     // the file
	others []string // of the same class
}

// device looks through a class for a device by its name.
func (m *patient) device(class, prefix, nameAt, dev, want string) (d device) {
	entries, _ := filepath.Glob(m.at(filepath.Join("/sys/class", class, prefix+"*")))
	for _, entry := range entries {
		name, number := m.text(entry, nameAt), filepath.Base(entry)
		switch {
		case name == want && d.entry == "":
			d.entry, d.path = number, filepath.Join(dev, number)
			_, err := os.Stat(m.at(d.path))
			d.there = err == nil
		case name != "":
			d.others = append(d.others, number+" is "+name)
		}
	}
	return d
}

// text is a small file of the kernel, without the end of its line or the zero of the
// device tree's texts.
func (m *patient) text(path ...string) string {
	b, _ := os.ReadFile(filepath.Join(path...))
	return strings.TrimRight(string(b), "\x00\n")
}

// client is what the overlay makes: a device at 0x46 of an I²C bus. Until 6.6
// rpi-sense-overlay.dts of Raspberry Pi's kernel calls it rpi-sense, then sensehat.
type client struct{ entry, name, driver string }

func (m *patient) client() client {
	entries, _ := filepath.Glob(m.at("/sys/bus/i2c/devices/*-0046"))
	for _, entry := range entries {
		if name := m.text(entry, "name"); name == "rpi-sense" || name == "sensehat" {
			driver, _ := os.Readlink(filepath.Join(entry, "driver"))
			return client{filepath.Base(entry), name, strings.TrimPrefix(filepath.Base(driver), ".")}
		}
	}
	return client{}
}

// modules are the drivers, by their files: drivers/mfd, drivers/video/fbdev and
// drivers/input/joystick of Raspberry Pi's kernel.
func (c client) modules() (core, matrix, joystick string) {
	if c.name == "sensehat" {
		return "simple-mfd-i2c", "rpisense-fb", "sensehat-joystick"
	}
	return "rpisense-core", "rpisense-fb", "rpisense-js"
}

// drivers tells which modules are missing: not loaded, and of those which the kernel
// does not have at all. lost says that it has none, as when it was replaced.
func (m *patient) drivers(f *facts) {
	loaded := m.text(m.at("/proc/modules"))
	dir := m.at("/lib/modules/" + f.release)
	builtin, known := m.text(dir, "modules.builtin"), m.text(dir, "modules.dep")
	has := func(name string) bool {
		return strings.Contains("\n"+loaded, "\n"+strings.ReplaceAll(name, "-", "_")+" ") ||
			strings.Contains(builtin, "/"+name+".ko")
	}
	core, matrix, joystick := f.client.modules()
	f.core = has(core)
	for name, missing := range map[string]bool{core: f.client.driver == "", matrix: f.matrix.entry == "", joystick: f.joystick.entry == ""} {
		if !missing || has(name) {
			continue
		}
		f.unloaded = append(f.unloaded, name)
		if !strings.Contains(known, "/"+name+".ko") {
			f.unknown = append(f.unknown, name)
		}
	}
	slices.Sort(f.unloaded)
	slices.Sort(f.unknown)
	f.lost = known == "" && builtin == ""
}

// answer is what the bus says of the HAT.
type answer string

const (
	notAsked answer = ""
	noBus    answer = "no bus"
	closed   answer = "closed" // to this user
	silent   answer = "silent"
	stranger answer = "stranger"
	isHAT    answer = "HAT"
)

// ask reads the HAT's who-am-I, as rpisense-core.c does. That goes past a driver that
// is bound, so it is done only where none is; and only on a Raspberry Pi: on the bus of
// another machine anything may be at that address.
func (m *patient) ask() answer {
	const path = "/dev/i2c-1"
	if _, err := os.Stat(m.at(path)); err != nil {
		return noBus
	}
	if _, err := m.open(m.at(path), os.O_RDWR); errors.Is(err, fs.ErrPermission) {
		return closed
	}
	bus, err := m.bus()
	if err != nil {
		return noBus
	}
	defer bus.Close()
	var id [1]byte
	if err := (&i2c.Dev{Bus: bus, Addr: 0x46}).Tx([]byte{0xF0}, id[:]); err != nil {
		return silent
	}
	if id[0]&0x7F != 's' { // the highest bit may be wrong where the clock is stretched
		return stranger
	}
	return isHAT
}

// overlay finds config.txt, which has moved with Debian 12, and whether it loads the
// HAT's overlay.
func (m *patient) overlay() (path string, loads bool) {
	path = "/boot/firmware/config.txt"
	if _, err := os.Stat(m.at(path)); err != nil {
		if _, err := os.Stat(m.at("/boot/config.txt")); err == nil {
			path = "/boot/config.txt"
		}
	}
	for line := range strings.Lines(m.text(m.at(path))) {
		name, isOverlay := strings.CutPrefix(strings.ReplaceAll(line, " ", ""), "dtoverlay=")
		if isOverlay && strings.HasPrefix(name, "rpi-sense") {
			loads = true
		}
	}
	return path, loads
}

// console finds the kernel's text console, where it draws on framebuffers: each vtcon
// is a way to draw, and bound if it is in use (Documentation/driver-api/console.rst).
func (m *patient) console() (bound string) {
	entries, _ := filepath.Glob(m.at("/sys/class/vtconsole/vtcon*"))
	for _, entry := range entries {
		if strings.Contains(m.text(entry, "name"), "frame buffer device") && m.text(entry, "bind") == "1" {
			return filepath.Base(entry)
		}
	}
	return ""
}

// gamma is the table by which the driver lights the LEDs.
type gamma string

const (
	unknownGamma gamma = "" // the driver does not say, or not to this user
	rightGamma   gamma = "default"
	darkGamma    gamma = "dark" // all zeros
	dimGamma     gamma = "dim"  // of low light, of which the brightest is 10 of 31
	otherGamma   gamma = "other"
)

// tableOf tells which table the driver has. It keeps what a program gave it last.
func (m *patient) tableOf(path string) gamma {
	table, err := m.gamma(path)
	if err != nil {
		return unknownGamma
	}
	right := [32]byte{}
	for i := range right {
		right[i] = byte(hat.Brightness(uint8(i << 3)))
	}
	switch most := slices.Max(table[:]); {
	case table == right:
		return rightGamma
	case most == 0:
		return darkGamma
	case most <= 10:
		return dimGamma
	}
	return otherGamma
}

// emulator says whether the desktop's Sense HAT emulator has made its joystick. One
// that was killed leaves it behind.
func (m *patient) emulator() bool {
	_, err := os.Stat(m.at("/dev/shm/rpi-sense-emu-stick"))
	return err == nil
}
