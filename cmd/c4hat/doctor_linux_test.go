package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/control"
	"periph.io/x/conn/v3/i2c"
)

// findings are all that the table can find, and each row is found by one at least.
var findings = []struct {
	look   string
	want   string // state, found and mend
	change func(*bed)
}{
	{"kernel", "good|Linux 6.12.47+rpt-rpi-v8|", nil},
	{"kernel", "bad|this is plan9, and the HAT's drivers are Linux's|take a Raspberry Pi; here c4hat play plays in the terminal", func(b *bed) { b.os = "plan9" }},
	{"your matches", "note|not looked at, since this is no Linux|", func(b *bed) { b.os = "plan9" }},

	{"board", "good|Raspberry Pi 4 Model B Rev 1.4|", nil},
	{"board", "note|this is Banana Pi, no Raspberry Pi, but a HAT's devices are there|", func(b *bed) { b.model = func() string { return "Banana Pi" } }},
	{"board", "bad|this is no Raspberry Pi|take one with 40 pins and a Sense HAT; here c4hat play plays in the terminal", (*bed).laptop},
	{"bus", "note|not looked at, since this is no Raspberry Pi|", func(b *bed) { b.laptop(); b.put("/dev/i2c-1", "") }},

	{"EEPROM", "good|Sense HAT|", nil},
	{"EEPROM", "note|of another HAT: DAC?[31m|", func(b *bed) { b.put("/proc/device-tree/hat/product", "DAC\x1b[31m\x00") }},
	{"EEPROM", "note|was not read: the devices are there by hand, and prove no HAT; seat it on all 40 pins if its LEDs stay dark|", (*bed).noEEPROM},
	{"EEPROM", "note|was not read: the HAT is not on the pins, or its overlay must be loaded by hand|", func(b *bed) { b.noEEPROM(); b.noOverlay() }},

	{"bus", "", nil}, // a driver is not disturbed
	{"bus", "", func(b *bed) { b.noMatrix(); b.asked('s'); b.ops = nil }},
	{"bus", "", func(b *bed) { b.noMatrix(); b.noJoystick(); b.asked('s'); b.ops = nil }},
	{"bus", "", func(b *bed) { b.noMatrix(); b.remove("/sys/bus"); b.asked('s'); b.ops = nil }},
	{"bus", "good|a Sense HAT answers at 0x46|", func(b *bed) { b.noOverlay(); b.asked('s') }},
	{"bus", "good|a Sense HAT answers at 0x46|", func(b *bed) { b.noOverlay(); b.asked('s' | 0x80) }},
	{"overlay", "note|rpi-sense is not loaded, nor needed: c4hat drives the HAT itself, over I2C|", func(b *bed) { b.noOverlay(); b.asked('s') }},
	{"overlay", "bad|the EEPROM was read, but rpi-sense is not loaded|printf '\\n[all]\\ndtoverlay=rpi-sense\\n' | sudo tee -a /boot/firmware/config.txt; sudo reboot", func(b *bed) {
		b.noOverlay()
		b.asked('s')
		b.patient.config.off = true
	}},
	{"drivers", "note|not loaded, nor needed: c4hat drives the HAT itself, over I2C|", func(b *bed) { b.unbound(); b.asked('s') }},
	{"matrix", "note|not looked at, since c4hat drives the HAT itself, over I2C|", func(b *bed) { b.noOverlay(); b.asked('s') }},
	{"socket", "bad|c4hat 1.0 answers, but has no matrix and joystick|sudo systemctl restart c4hat; journalctl -u c4hat says what it waits for", func(b *bed) { b.noOverlay(); b.asked('s') }},
	{"socket", "note|c4hat 1.0 answers, and waits for matrix and joystick|", func(b *bed) {
		b.noOverlay()
		b.asked('s')
		b.owner = func(path string) (int, string) {
			if !strings.HasSuffix(path, "/dev/i2c-1") {
				b.t.Error(path)
			}
			return 99, "play"
		}
	}},
	{"bus", "bad|nothing answers at 0x46, where a HAT does|" + seat, func(b *bed) { b.noOverlay(); b.silent() }},
	{"bus", "bad|what answers at 0x46 is no Sense HAT|sudo poweroff, then take off what else is on the pins and seat the HAT", func(b *bed) { b.noOverlay(); b.asked('r') }},
	{"bus", "note|you may not ask it for the HAT|sudo c4hat doctor", func(b *bed) { b.noOverlay(); b.put("/dev/i2c-1", ""); b.deny("/dev/i2c-1") }},
	{"bus", "note|there is no I2C bus to ask for the HAT|sudo raspi-config nonint do_i2c 0", (*bed).noOverlay},
	{"bus", "note|there is no I2C bus to ask for the HAT|sudo raspi-config nonint do_i2c 0", func(b *bed) {
		b.noOverlay()
		b.put("/dev/i2c-1", "")
		b.bus = func() (i2c.BusCloser, error) { return nil, errors.New("none") }
	}},

	{"overlay", "good|rpi-sense is loaded: the kernel knows of a HAT at 1-0046|", nil},
	{"overlay", "note|is not loaded, nor needed: the devices are there|", func(b *bed) { b.remove("/sys/bus") }},
	{"overlay", "note|is not loaded, nor needed: the devices are there|", func(b *bed) { b.put("/sys/bus/i2c/devices/1-0046/name", "other\n") }},
	{"overlay", "bad|/boot/firmware/config.txt has dtoverlay=rpi-sense, but Linux was started without it|sudo reboot; where that does not help, put the line below [all]",
		func(b *bed) { b.noOverlay(); b.put("/boot/firmware/config.txt", "[pi3]\n dtoverlay = rpi-sense,v2\n") }},
	{"overlay", "bad|the EEPROM was read, but rpi-sense is not loaded|printf '\\n[all]\\ndtoverlay=rpi-sense\\n' | sudo tee -a /boot/firmware/config.txt; sudo reboot", (*bed).noOverlay},
	{"overlay", "bad|rpi-sense is not loaded, so that the kernel knows of no HAT|printf '\\n[all]\\ndtoverlay=rpi-sense\\n' | sudo tee -a /boot/config.txt; sudo reboot",
		func(b *bed) {
			b.noOverlay()
			b.noEEPROM()
			b.remove("/boot/firmware")
			b.put("/boot/config.txt", "")
		}},
	{"overlay", "note|not looked at, since no HAT answers|", func(b *bed) { b.noOverlay(); b.silent() }},

	{"drivers", "good|loaded|", nil},
	{"drivers", "good|loaded|", (*bed).noMatrix}, // all are, and still there is none
	{"drivers", "bad|loaded, but they found no HAT at 1-0046|" + seat, (*bed).unbound},
	{"drivers", "bad|Linux 6.12.47+rpt-rpi-v8 runs, but its modules are gone, as after an update|sudo reboot", func(b *bed) {
		b.noMatrix()
		b.put("/proc/modules", "")
		b.remove("/lib/modules/" + release)
	}},
	{"drivers", "bad|Linux 6.12.47+rpt-rpi-v8 comes without rpisense-fb, sensehat-joystick|sudo apt full-upgrade; where that does not help, start the kernel of Raspberry Pi OS", func(b *bed) {
		b.noMatrix()
		b.noJoystick()
		b.put("/proc/modules", "")
		b.kernelWithoutHAT()
	}},
	{"drivers", "bad|not all are loaded|sudo modprobe -a rpisense-fb", func(b *bed) { b.noMatrix(); b.put("/proc/modules", "xrpisense_fb 1\n") }},
	{"drivers", "bad|not all are loaded|sudo modprobe -a rpisense-core rpisense-fb rpisense-js", func(b *bed) { b.unbound(); b.put("/proc/modules", "") }},
	{"drivers", "good|loaded|", func(b *bed) {
		b.noMatrix()
		b.put("/proc/modules", "")
		b.put("/lib/modules/"+kernelOfBed+"/modules.builtin", "kernel/drivers/video/fbdev/rpisense-fb.ko\n")
	}},
	{"drivers", "note|not looked at, since the overlay is not loaded|", (*bed).noOverlay},

	{"matrix", "good|/dev/fb1|", nil},
	{"matrix", "bad|the kernel has it, but /dev/fb1 is missing|docker run --device /dev/fb1, or the like of your container", func(b *bed) { b.remove("/dev/fb1") }},
	{"matrix", "bad|no framebuffer is called RPi-Sense FB: fb0 is vc4drmfb|sudo dmesg | grep -i sense", (*bed).noMatrix},
	{"matrix", "bad|no framebuffer is called RPi-Sense FB: there is no other|sudo dmesg | grep -i sense", func(b *bed) { b.noMatrix(); b.remove("/sys/class/graphics") }},
	{"matrix", "note|not looked at, since the drivers are not loaded|", func(b *bed) { b.noMatrix(); b.put("/proc/modules", "") }},

	{"joystick", "good|/dev/input/event3|", nil},
	{"joystick", "good|/dev/input/event3|", func(b *bed) { b.noMatrix(); b.put("/proc/modules", "") }},
	{"joystick", "bad|the kernel has it, but /dev/input/event3 is missing|docker run --device /dev/input/event3, or the like of your container", func(b *bed) { b.remove("/dev/input/event3") }},
	{"joystick", "bad|no input device is called Raspberry Pi Sense HAT Joystick: event0 is vc4-hdmi-0, event10 is a, event11 is b, event12 is c and 1 more|sudo dmesg | grep -i sense",
		func(b *bed) {
			b.noJoystick()
			for n, name := range []string{"a", "b", "c", "d"} {
				b.put(fmt.Sprintf("/sys/class/input/event1%d/device/name", n), name)
			}
		}},

	{"console", "good|the kernel's text console has a screen of its own|", nil},
	{"console", "good|the kernel's text console keeps off the matrix|", func(b *bed) { b.headless(); b.put("/sys/class/vtconsole/vtcon1/bind", "0\n") }},
	{"console", "good|the kernel's text console keeps off the matrix|", func(b *bed) { b.headless(); b.put("/sys/class/vtconsole/vtcon1/name", "(M) VGA+\n") }},
	{"console", "note|the kernel's text console may draw on the matrix, though there is a screen (fb1 is vc4drmfb)|echo 0 | sudo tee /sys/class/vtconsole/vtcon1/bind",
		func(b *bed) { b.headless(); b.put("/sys/class/graphics/fb1/name", "vc4drmfb\n") }},
	{"console", "bad|there is no screen, so the kernel's text console draws its cursor on the matrix|echo 0 | sudo tee /sys/class/vtconsole/vtcon1/bind", (*bed).headless},
	{"console", "note|not looked at, since there is no matrix|", (*bed).noMatrix},

	{"gamma", "good|the driver's default table|", nil},
	{"gamma", "bad|another program has left a table of zeros in the driver: every LED is dark|sudo systemctl restart c4hat", func(b *bed) { b.lit([32]byte{}, nil) }},
	{"gamma", "bad|another program has left a table of zeros in the driver: every LED is dark|c4hat dark", func(b *bed) { b.stopped(); b.lit([32]byte{}, nil) }},
	{"gamma", "bad|another program has left the low-light table in the driver: every LED is dim|sudo systemctl restart c4hat", func(b *bed) { b.lit(dimmed(21), nil) }},
	{"gamma", "bad|another program has left a table of its own in the driver: the colours are wrong|sudo systemctl restart c4hat", func(b *bed) { b.lit(dimmed(1), nil) }},
	{"gamma", "", func(b *bed) { b.lit([32]byte{}, syscall.ENOTTY) }},
	{"gamma", "note|not looked at, since there is no matrix|", (*bed).noMatrix},

	{"access", "good|you may open matrix and joystick|", nil},
	{"access", "good|you may open the matrix|", (*bed).noJoystick},
	{"access", "bad|open /dev/fb1: no such device|sudo dmesg | tail", func(b *bed) {
		b.opens["/dev/fb1"] = &fs.PathError{Op: "open", Path: "/dev/fb1", Err: syscall.ENODEV}
	}},
	{"access", "note|you may not open /dev/fb1, nor need you: the service does|", func(b *bed) { b.deny("/dev/fb1") }},
	{"access", "bad|you may not open /dev/fb1 and /dev/input/event3|sudo usermod -aG video,input $USER, then log in again", func(b *bed) { b.alone(); b.user = "eve" }},
	{"access", "bad|you may not open /dev/input/event3|sudo usermod -aG input $USER, then log in again", func(b *bed) {
		b.stopped()
		b.deny("/dev/input/event3")
		b.user, b.patient.groups = "eve", []int{1001, 44}
	}},
	{"access", "bad|you may open /dev/fb1 and /dev/input/event3, but not before your next login|log in again", (*bed).alone},
	{"access", "bad|you may not open /dev/fb1 and /dev/input/event3: its group may not, or is not the usual one|sudo chgrp video /dev/fb1; sudo chmod g+rw /dev/fb1", func(b *bed) {
		b.alone()
		b.groups["/dev/fb1"] = 0
	}},
	{"access", "bad|you may not open /dev/fb1: its group may not, or is not the usual one|sudo chgrp video /dev/fb1; sudo chmod g+rw /dev/fb1", func(b *bed) { b.stopped(); b.deny("/dev/fb1") }},

	{"use", "good|the service has the HAT, as process 612 (c4hat)|", nil},
	{"use", "good|the service has the HAT, as process 612 (c4hat)|", func(b *bed) { b.remove("/sys/fs/cgroup") }},
	{"use", "good|the service has the HAT, as process 612 (c4hat)|", func(b *bed) { b.refuses(control.ErrDenied) }},
	{"use", "good|nobody plays on the HAT|", (*bed).stopped},
	{"use", "bad|process 99 has the HAT|kill 99, or end it otherwise", func(b *bed) { b.owner = func(string) (int, string) { return 99, "" } }},
	{"use", "bad|process 99 (sl?ow) has the HAT|kill 99, or end it otherwise", func(b *bed) { b.owner = func(string) (int, string) { return 99, "sl\now" } }},

	{"emulator", "", nil},
	{"emulator", "note|of the desktop: while it runs, c4hat play --display emulator plays on it|", func(b *bed) { b.laptop(); b.put("/dev/shm/rpi-sense-emu-stick", "") }},

	{"configuration", "good|/etc/c4hat/config.toml|", nil},
	{"configuration", "good|none, so all is as usual|", func(b *bed) { b.patient.config.path = "" }},
	{"configuration", "note|/etc/c4hat/config.toml names /dev/fb5 /dev/input/event9: the service opens that, whatever the HAT's are called|", func(b *bed) {
		b.patient.config.devices = "/dev/fb5 /dev/input/event9"
	}},
	{"configuration", "bad|/etc/c4hat/config.toml:3: points|sudoedit /etc/c4hat/config.toml; sudo systemctl restart c4hat", func(b *bed) {
		b.patient.config.err = errors.New("/etc/c4hat/config.toml:3: points")
	}},

	{"service", "good|runs, and starts at boot|", nil},
	{"service", "good|runs, and starts at boot|", func(b *bed) {
		b.remove("/sys/fs/cgroup/system.slice")
		b.put("/sys/fs/cgroup/systemd/system.slice/c4hat.service/cgroup.procs", "612\n")
	}},
	{"service", "note|runs, but does not start at boot|sudo systemctl enable c4hat", func(b *bed) { b.remove("/etc/systemd") }},
	{"service", "note|there is no systemd to start it|", func(b *bed) { b.stopped(); b.remove("/run/systemd") }},
	{"service", "note|is not installed: c4hat play plays without it|", func(b *bed) { b.stopped(); b.remove("/usr") }},
	{"service", "bad|is masked, and cannot start|sudo systemctl unmask c4hat; sudo systemctl enable --now c4hat", func(b *bed) { b.stopped(); b.link("/etc/systemd/system/c4hat.service", "/dev/null") }},
	{"service", "bad|starts at boot, but does not run|sudo systemctl restart c4hat; journalctl -u c4hat says why it ended", (*bed).stopped},
	{"service", "bad|is installed, but switched off|sudo systemctl enable --now c4hat", func(b *bed) { b.stopped(); b.remove("/etc/systemd") }},
	{"service", "bad|is installed, but switched off|sudo systemctl enable --now c4hat", func(b *bed) {
		b.stopped()
		b.remove("/etc/systemd")
		b.link("/etc/systemd/system/c4hat.service", "/opt/c4hat.service")
	}},
	{"service", "note|not looked at, since the configuration is wrong|", func(b *bed) { b.stopped(); b.patient.config.err = errors.New("x") }},

	{"socket", "good|c4hat 1.0 answers, with matrix and joystick|", nil},
	{"socket", "bad|c4hat 1.0 answers, but has no matrix|sudo systemctl restart c4hat; journalctl -u c4hat says what it waits for", func(b *bed) {
		b.answers(control.Machine{Version: "1.0", PID: 612, Joystick: true})
	}},
	{"socket", "note|c4hat 1.0 answers, and waits for matrix and joystick|", (*bed).noOverlay},
	{"socket", "note|c4hat 1.0 answers, and waits for matrix|", func(b *bed) {
		b.answers(control.Machine{Version: "1.0", PID: 612, Joystick: true})
		b.owner = func(string) (int, string) { return 99, "play" }
	}},
	{"socket", "bad|the service runs, but nobody listens on /run/c4hat/c4hat.sock|sudo systemctl restart c4hat; journalctl -u c4hat says what is wrong", func(b *bed) { b.refuses(control.ErrNoDaemon) }},
	{"socket", "note|nobody listens on /run/c4hat/c4hat.sock: c4hat play plays by itself|", func(b *bed) { b.stopped(); b.remove("/usr") }},
	{"socket", "note|not looked at, since the service does not run|", (*bed).stopped},
	{"socket", "bad|/run/c4hat/c4hat.sock is for the group games, and you are in it only from your next login on|log in again", func(b *bed) { b.refuses(control.ErrDenied) }},
	{"socket", "bad|you may not use /run/c4hat/c4hat.sock|sudo usermod -aG games $USER, then log in again", func(b *bed) { b.refuses(control.ErrDenied); b.user = "eve" }},
	{"socket", "bad|the c4hat daemon does not answer|sudo systemctl restart c4hat", func(b *bed) { b.refuses(control.ErrLost) }},

	{"service's matches", "good|in /var/lib/c4hat, with 20480 MiB free|", nil},
	{"service's matches", "note|there is no /var/lib/c4hat yet: the service makes it|", func(b *bed) { b.remove("/var/lib/c4hat") }},
	{"service's matches", "note|only root may look into /var/lib/c4hat|sudo c4hat doctor", func(b *bed) {
		b.stat = func(path string) (fs.FileInfo, error) {
			if strings.Contains(path, "/var/lib/c4hat") {
				return nil, fs.ErrPermission
			}
			return os.Stat(path)
		}
	}},
	{"service's matches", "note|a damaged match was set aside as /var/lib/c4hat/match.json.bad|sudo rm /var/lib/c4hat/match.json.bad", func(b *bed) { b.put("/var/lib/c4hat/match.json.bad", "") }},
	{"service's matches", "bad|the disk of /var/lib/c4hat is read-only|sudo mount -o remount,rw /; sudo dmesg may say why it is", func(b *bed) { b.write = func(string) error { return syscall.EROFS } }},
	{"service's matches", "bad|only 1023 KiB are free for /var/lib/c4hat|sudo apt clean, or make room otherwise", func(b *bed) { b.free = func(string) (uint64, error) { return 1<<20 - 1, nil } }},
	{"service's matches", "good|in /var/lib/c4hat, with 1024 KiB free|", func(b *bed) { b.free = func(string) (uint64, error) { return 1 << 20, nil } }},

	{"your matches", "good|in /home/ada/.local/state/c4hat, with 20480 MiB free|", nil},
	{"your matches", "note|are not kept: you have no home folder|c4hat play --state FOLDER", func(b *bed) { b.own = "" }},
	{"your matches", "note|a damaged match was set aside as /home/ada/.local/state/c4hat/match.json.bad|rm /home/ada/.local/state/c4hat/match.json.bad", func(b *bed) {
		b.put("/home/ada/.local/state/c4hat/match.json.bad", "")
	}},
	{"your matches", "bad|the disk of /home/ada/.local/state/c4hat is read-only|sudo mount -o remount,rw /; sudo dmesg may say why it is", func(b *bed) { b.write = func(string) error { return syscall.EROFS } }},
	{"your matches", "bad|you may not write to /home/ada/.local/state/c4hat|sudo install -d -o $USER /home/ada/.local/state/c4hat", func(b *bed) {
		b.write = func(path string) error {
			if want := b.at("/home/ada"); path == want {
				return syscall.EACCES
			}
			return nil
		}
	}},
	{"your matches", "bad|only 0 KiB are free for /home/ada/.local/state/c4hat|sudo apt clean, or make room otherwise", func(b *bed) { b.free = func(string) (uint64, error) { return 0, nil } }},

	// What follows from a cause is not another one.
	{"board", "note|not looked at, since this is no Linux|", func(b *bed) { b.os = "plan9" }},
	{"service", "note|not looked at, since this is no Linux|", func(b *bed) { b.os = "plan9" }},
	{"socket", "note|not looked at, since this is no Linux|", func(b *bed) { b.os = "plan9" }},
	{"service's matches", "note|not looked at, since this is no Linux|", func(b *bed) { b.os = "plan9" }},
	{"EEPROM", "note|not looked at, since this is no Raspberry Pi|", (*bed).laptop},
	{"overlay", "note|not looked at, since no HAT answers|", func(b *bed) { b.noOverlay(); b.asked('r') }},
	{"drivers", "note|not looked at, since no HAT answers|", func(b *bed) { b.unbound(); b.silent() }},
	{"drivers", "good|loaded|", func(b *bed) { b.remove("/sys/bus") }},
	{"drivers", "note|not looked at, since the overlay is not loaded|", func(b *bed) { b.noOverlay(); b.noEEPROM() }},
	{"drivers", "note|not looked at, since the overlay is not loaded|", func(b *bed) {
		b.noOverlay()
		b.put("/boot/firmware/config.txt", "dtoverlay=rpi-sense")
	}},
	{"matrix", "note|not looked at, since the drivers found no HAT|", (*bed).unbound},
	{"matrix", "note|not looked at, since the drivers are not loaded|", func(b *bed) {
		b.noMatrix()
		b.put("/proc/modules", "")
		b.kernelWithoutHAT()
	}},
	{"joystick", "note|not looked at, since the drivers are not loaded|", func(b *bed) {
		b.noJoystick()
		b.put("/proc/modules", "")
		b.remove("/lib/modules")
	}},
	{"console", "bad|there is no screen, so the kernel's text console draws its cursor on the matrix|echo 0 | sudo tee /sys/class/vtconsole/vtcon1/bind", func(b *bed) {
		b.headless()
		b.noJoystick()
		b.put("/proc/modules", "") // in the way of the joystick alone
	}},
	{"access", "note|not looked at, since there is no matrix|", (*bed).noMatrix},
	{"use", "note|not looked at, since there is no matrix|", func(b *bed) { b.remove("/dev/fb1") }},
	{"socket", "note|not looked at, since the service does not run|", func(b *bed) { b.stopped(); b.remove("/etc/systemd") }},
	{"socket", "note|not looked at, since the service does not run|", func(b *bed) { b.stopped(); b.link("/etc/systemd/system/c4hat.service", "/dev/null") }},
}

func TestDoctorFinds(t *testing.T) {
	all := looks()
	seen := map[string]bool{}
	for _, tt := range findings {
		b := newBed(t)
		if tt.change != nil {
			tt.change(b)
		}
		f := b.examine()
		for _, l := range all {
			if l.name == tt.look {
				seen[fmt.Sprint(l.name, l.find(f))] = true
			}
		}
		got := ""
		for _, d := range diagnose(all, f) {
			if d.Look == tt.look {
				got = fmt.Sprintf("%s|%s|%s", d.State, d.Found, d.Mend)
			}
			if strings.ContainsAny(d.Found+d.Mend, "{}\n\x1b") {
				t.Errorf("%s: %q %q", d.Look, d.Found, d.Mend)
			}
		}
		if got != tt.want {
			t.Errorf("%s is\n%s\nwant\n%s", tt.look, got, tt.want)
		}
	}
	for _, l := range all {
		for i, r := range l.rows {
			if !seen[fmt.Sprint(l.name, i)] {
				t.Errorf("%s: nothing leads to %q", l.name, r.found)
			}
		}
		for _, need := range l.needs {
			if !slices.ContainsFunc(all, func(l look) bool { return l.name == need }) {
				t.Errorf("%s needs %s, which nobody looks at", l.name, need)
			}
		}
	}
}
