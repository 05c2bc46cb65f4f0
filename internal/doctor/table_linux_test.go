package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/socket"
)

// findings lists, for every result of every check, a machine that leads to it.
var findings = []struct {
	check  string
	want   string // state, text and fix
	change func(*fixture)
}{
	{"kernel", "good|Linux 6.12.47+rpt-rpi-v8|", nil},
	{"kernel", "note|this is plan9: nothing to check, because a HAT works only on Linux; c4hat play works in the terminal|", func(x *fixture) { x.os = "plan9" }},

	{"board", "good|Raspberry Pi 4 Model B Rev 1.4|", nil},
	{"board", "note|this is Banana Pi, not a Raspberry Pi, but it has a HAT's devices|", func(x *fixture) { x.model = func() string { return "Banana Pi" } }},
	{"board", "note|this machine is not a Raspberry Pi: nothing to check; c4hat play works in the terminal|", (*fixture).laptop},

	{"EEPROM", "good|Sense HAT|", nil},
	{"EEPROM", "note|not read: the HAT is not on the pins, or its devices are configured by hand|", (*fixture).noEEPROM},
	{"EEPROM", "note|another HAT: DAC?[31m|", func(x *fixture) { x.put("/proc/device-tree/hat/product", "DAC\x1b[31m\x00") }},

	{"bus", "", nil}, // a driver is not disturbed
	{"bus", "", func(x *fixture) { x.noMatrix(); x.mayProbe() }},
	{"bus", "", func(x *fixture) { x.noMatrix(); x.noJoystick(); x.mayProbe() }},
	{"bus", "", func(x *fixture) { x.noMatrix(); x.remove("/sys/bus"); x.mayProbe() }},
	{"bus", "good|a Sense HAT answers at 0x46|", func(x *fixture) { x.noOverlay(); x.onBus('s') }},
	{"bus", "good|a Sense HAT answers at 0x46|", func(x *fixture) { x.noOverlay(); x.onBus('s' | 0x80) }},
	{"overlay", "note|the kernel's drivers are not loaded, but not needed: c4hat drives the HAT itself over I2C|", func(x *fixture) { x.noOverlay(); x.onBus('s') }},
	{"socket", "bad|c4hat 1.0 answers, but lacks matrix and joystick|sudo systemctl restart c4hat; journalctl -u c4hat says what it is waiting for", func(x *fixture) { x.noOverlay(); x.onBus('s') }},
	{"socket", "note|c4hat 1.0 answers, and is waiting for matrix and joystick|", func(x *fixture) {
		x.noOverlay()
		x.onBus('s')
		x.owner = func(path string) (int, string) {
			if path != "/dev/i2c-1" {
				x.t.Error(path)
			}
			return 99, "play"
		}
	}},
	{"bus", "bad|no Sense HAT answers at 0x46, its address|" + seatFix, func(x *fixture) { x.noOverlay(); x.silent() }},
	{"bus", "bad|no Sense HAT answers at 0x46, its address|" + seatFix, func(x *fixture) { x.noOverlay(); x.onBus('r') }},
	{"bus", "note|you may not open the I2C bus|sudo c4hat doctor", func(x *fixture) { x.noOverlay(); x.busErr = fs.ErrPermission }},
	{"bus", "note|there is no I2C bus|sudo raspi-config nonint do_i2c 0", (*fixture).noOverlay},
	{"bus", "note|there is no I2C bus|sudo raspi-config nonint do_i2c 0", func(x *fixture) { x.noOverlay(); x.busErr = errors.New("none") }},

	{"overlay", "good|rpi-sense is loaded: the kernel expects a HAT at 1-0046|", nil},
	{"overlay", "good|not loaded, but the devices are there|", func(x *fixture) { x.remove("/sys/bus") }},
	{"overlay", "good|not loaded, but the devices are there|", func(x *fixture) { x.put("/sys/bus/i2c/devices/1-0046/name", "other\n") }},
	{"overlay", "bad|/boot/firmware/config.txt has dtoverlay=rpi-sense, but Linux was started without it|sudo reboot; if that does not help, move the line below [all]",
		func(x *fixture) {
			x.noOverlay()
			x.put("/boot/firmware/config.txt", "[pi3]\n dtoverlay = rpi-sense,v2\n")
		}},

	{"drivers", "good|loaded|", nil},
	{"drivers", "good|loaded|", (*fixture).noMatrix}, // all are loaded, but there is no matrix
	{"drivers", "bad|loaded, but they found no HAT at 1-0046|" + seatFix, (*fixture).unbound},
	{"drivers", "bad|Linux 6.12.47+rpt-rpi-v8 is running, but its modules have been removed, probably by an update|sudo reboot", func(x *fixture) {
		x.noMatrix()
		x.put("/proc/modules", "")
		x.remove("/lib/modules/" + kernelRelease)
	}},
	{"drivers", "bad|some of the HAT's drivers are not loaded|sudo modprobe -a rpisense-fb", func(x *fixture) { x.noMatrix(); x.put("/proc/modules", "xrpisense_fb 1\n") }},
	{"drivers", "bad|some of the HAT's drivers are not loaded|sudo modprobe -a rpisense-core rpisense-fb rpisense-js", func(x *fixture) { x.unbound(); x.put("/proc/modules", "") }},
	{"drivers", "good|loaded|", func(x *fixture) {
		x.noMatrix()
		x.put("/proc/modules", "")
		x.put("/lib/modules/"+kernelRelease+"/modules.builtin", "kernel/drivers/video/fbdev/rpisense-fb.ko\n")
	}},

	{"matrix", "good|/dev/fb1|", nil},
	{"matrix", "bad|there is no framebuffer named RPi-Sense FB, but fb0 is vc4drmfb|sudo dmesg | grep -i sense", (*fixture).noMatrix},
	{"matrix", "bad|there is no framebuffer named RPi-Sense FB, but no other|sudo dmesg | grep -i sense", func(x *fixture) { x.noMatrix(); x.screens = nil }},

	{"joystick", "good|/dev/input/event3|", nil},
	{"joystick", "bad|there is no input device named Raspberry Pi Sense HAT Joystick, but event0 is vc4-hdmi-0, event10 is a, event11 is b, event12 is c, event13 is d|sudo dmesg | grep -i sense",
		func(x *fixture) {
			x.noJoystick()
			for n, name := range []string{"a", "b", "c", "d"} {
				x.keys = append(x.keys, hat.Device{Name: name, Path: fmt.Sprintf("/dev/input/event1%d", n)})
			}
		}},

	{"console", "good|the kernel's text console does not use the matrix|", nil},
	{"console", "good|the kernel's text console does not use the matrix|", func(x *fixture) { x.headless(); x.put("/sys/class/vtconsole/vtcon1/bind", "0\n") }},
	{"console", "good|the kernel's text console does not use the matrix|", func(x *fixture) { x.headless(); x.put("/sys/class/vtconsole/vtcon1/name", "(M) VGA+\n") }},
	{"console", "note|the kernel's text console may draw on the matrix, although there is a screen (fb1 is vc4drmfb)|sudo c4hat console",
		func(x *fixture) {
			x.headless()
			x.screens = append(x.screens, hat.Device{Name: "vc4drmfb", Path: "/dev/fb1"})
		}},
	{"console", "bad|there is no screen, so the kernel's text console draws its cursor on the matrix|sudo c4hat console", (*fixture).headless},
	{"console", "good|the kernel's text console does not use the matrix|", func(x *fixture) {
		x.headless()
		x.screens = append(x.screens, hat.Device{Name: "vc4drmfb", Path: "/dev/fb1"})
		x.consoleAt = func(int) (int, error) { return 1, nil }
	}},

	{"gamma", "bad|another program left its own table in the driver: LEDs stay dark, are dim or have wrong colours|sudo systemctl restart c4hat", func(x *fixture) { x.setGamma([32]byte{}, nil) }},
	{"gamma", "bad|another program left its own table in the driver: LEDs stay dark, are dim or have wrong colours|c4hat dark", func(x *fixture) { x.stop(); x.setGamma([32]byte{}, nil) }},
	{"gamma", "good|the driver has its default table|", nil},
	{"gamma", "", func(x *fixture) { x.setGamma([32]byte{}, syscall.ENOTTY) }},

	{"access", "good|you may open the matrix and the joystick|", nil},
	{"access", "bad|open /dev/fb1: no such device|sudo dmesg | tail", func(x *fixture) {
		x.openErrs["/dev/fb1"] = &fs.PathError{Op: "open", Path: "/dev/fb1", Err: syscall.ENODEV}
	}},
	{"access", "note|you may not open /dev/fb1: not needed, because the service opens the HAT|", func(x *fixture) { x.deny("/dev/fb1") }},
	{"access", "bad|you may not open /dev/fb1 and /dev/input/event3|sudo usermod -aG video,input $USER, then log in again", func(x *fixture) { x.alone(); x.user = "eve" }},
	{"access", "bad|you may not open /dev/input/event3|sudo usermod -aG video,input $USER, then log in again", func(x *fixture) {
		x.stop()
		x.deny("/dev/input/event3")
		x.user = "eve"
	}},
	{"access", "bad|you may open /dev/fb1 and /dev/input/event3 only after your next login|log in again", (*fixture).alone},

	{"use", "good|the service uses the HAT, as process 612 (c4hat)|", nil},
	{"use", "good|the service uses the HAT, as process 612 (c4hat)|", func(x *fixture) { x.remove("/sys/fs/cgroup") }},
	{"use", "good|the service uses the HAT, as process 612 (c4hat)|", func(x *fixture) { x.setStatusErr(socket.ErrDenied) }},
	{"use", "good|no program uses the HAT|", (*fixture).stop},
	{"use", "bad|process 77, a Python program, has the HAT open as well: the module sense_hat draws over a game|kill 77, or quit that program", func(x *fixture) { x.opens("77", "python3.13", "/dev/input/event3") }},
	{"use", "good|the service uses the HAT, as process 612 (c4hat)|", func(x *fixture) {
		x.opens("70", "labwc", "/dev/input/event3") // a desktop opens every keyboard
		x.opens("77", "python3", "/dev/input/event0")
	}},
	{"use", "bad|process 99 uses the HAT|kill 99, or quit that program", func(x *fixture) { x.owner = func(string) (int, string) { return 99, "" } }},
	{"use", "bad|process 99 (sl ow) uses the HAT|kill 99, or quit that program", func(x *fixture) { x.owner = func(string) (int, string) { return 99, "sl\now" } }},

	{"configuration", "good|/etc/c4hat/config.toml|", nil},
	{"configuration", "good|no file: the defaults apply|", func(x *fixture) { x.configuration.path = "" }},
	{"configuration", "note|/etc/c4hat/config.toml names /dev/fb5 /dev/input/event9: the service opens these devices and does not look for the HAT|", func(x *fixture) {
		x.configuration.devices = "/dev/fb5 /dev/input/event9"
	}},
	{"configuration", "bad|/etc/c4hat/config.toml:3: points|sudoedit /etc/c4hat/config.toml; sudo systemctl restart c4hat", func(x *fixture) {
		x.configuration.err = errors.New("/etc/c4hat/config.toml:3: points")
	}},

	{"configuration", "bad|own.toml:3: points|edit own.toml", func(x *fixture) {
		x.stop()
		x.remove("/usr")
		x.configuration.path, x.configuration.err = "own.toml", errors.New("own.toml:3: points")
	}},

	{"service", "good|running, and starts at boot|", nil},
	{"service", "note|running, but does not start at boot|sudo systemctl enable c4hat", func(x *fixture) { x.remove("/etc/systemd") }},
	{"service", "note|not installed: c4hat play works without it|", func(x *fixture) { x.stop(); x.remove("/usr") }},
	{"service", "bad|starts at boot, but is not running|sudo systemctl restart c4hat; journalctl -u c4hat says why it stopped", (*fixture).stop},
	{"service", "bad|installed, but disabled|sudo systemctl enable --now c4hat", func(x *fixture) { x.stop(); x.remove("/etc/systemd") }},
	{"service", "bad|installed, but disabled|sudo systemctl enable --now c4hat", func(x *fixture) {
		x.stop()
		x.remove("/etc/systemd")
		x.link("/etc/systemd/system/c4hat.service", "/opt/c4hat.service")
	}},

	{"socket", "good|c4hat 1.0 answers, and has the matrix and the joystick|", nil},
	{"socket", "bad|c4hat 1.0 answers, but lacks matrix|sudo systemctl restart c4hat; journalctl -u c4hat says what it is waiting for", func(x *fixture) {
		x.setStatus(socket.Machine{Version: "1.0", PID: 612, Joystick: true})
	}},
	{"socket", "note|c4hat 1.0 answers, and is waiting for matrix and joystick|", (*fixture).noOverlay},
	{"socket", "note|c4hat 1.0 answers, and is waiting for matrix|", func(x *fixture) {
		x.setStatus(socket.Machine{Version: "1.0", PID: 612, Joystick: true})
		x.owner = func(string) (int, string) { return 99, "play" }
	}},
	{"socket", "bad|the service is running, but nothing listens on /run/c4hat/c4hat.sock|sudo systemctl restart c4hat; journalctl -u c4hat says what is wrong", func(x *fixture) { x.setStatusErr(socket.ErrNoDaemon) }},
	{"socket", "note|nothing listens on /run/c4hat/c4hat.sock: c4hat play works without the service|", func(x *fixture) { x.stop(); x.remove("/usr") }},
	{"socket", "bad|/run/c4hat/c4hat.sock is for the group games, and you join it at your next login|log in again", func(x *fixture) { x.setStatusErr(socket.ErrDenied) }},
	{"socket", "bad|you may not use /run/c4hat/c4hat.sock|sudo usermod -aG games $USER, then log in again", func(x *fixture) { x.setStatusErr(socket.ErrDenied); x.user = "eve" }},
	{"socket", "bad|the c4hat service does not answer|sudo systemctl restart c4hat", func(x *fixture) { x.setStatusErr(socket.ErrLost) }},

	{"service's matches", "good|in /var/lib/c4hat, 20480 MiB free|", nil},
	{"service's matches", "note|/var/lib/c4hat does not exist yet: the service creates it|", func(x *fixture) { x.remove("/var/lib/c4hat") }},
	{"service's matches", "note|only root may read /var/lib/c4hat|sudo c4hat doctor", func(x *fixture) {
		x.stat = func(path string) (fs.FileInfo, error) {
			if strings.Contains(path, "/var/lib/c4hat") {
				return nil, fs.ErrPermission
			}
			return x.tree.Stat(relative(path))
		}
	}},
	{"service's matches", "note|a damaged match was moved to /var/lib/c4hat/match.jsonl.bad|sudo rm /var/lib/c4hat/match.jsonl.bad", func(x *fixture) { x.put("/var/lib/c4hat/match.jsonl.bad", "") }},
	{"service's matches", "bad|the disk of /var/lib/c4hat is read-only|sudo mount -o remount,rw /; sudo dmesg may say why", func(x *fixture) { x.write = func(string) error { return syscall.EROFS } }},
	{"service's matches", "bad|only 1023 KiB free on the disk of /var/lib/c4hat|sudo apt clean, or free disk space in another way", func(x *fixture) { x.free = func(string) (uint64, error) { return 1<<20 - 1, nil } }},
	{"service's matches", "good|in /var/lib/c4hat, 1024 KiB free|", func(x *fixture) { x.free = func(string) (uint64, error) { return 1 << 20, nil } }},

	{"speech", "good|espeak-ng, on bcm2835 Headphones|", nil},
	{"speech", "good|speech-dispatcher, on bcm2835 Headphones|", func(x *fixture) { x.put("/run/speech-dispatcher/speechd.sock", "") }},
	{"speech", "note|no engine is installed: c4hat speak prints lines|sudo apt install espeak-ng", func(x *fixture) { x.remove("/usr/bin/espeak-ng") }},
	{"speech", "note|espeak-ng, but there is no sound device|plug in a USB speaker or, on a Pi with an audio jack, add dtparam=audio=on to /boot/firmware/config.txt and restart", func(x *fixture) {
		x.put("/proc/asound/cards", "--- no soundcards ---\n")
	}},
	{"speech", "bad|c4hat-speech is enabled, but there is no sound device|plug in a USB speaker or, on a Pi with an audio jack, add dtparam=audio=on to /boot/firmware/config.txt and restart", func(x *fixture) {
		x.remove("/proc/asound/cards")
		x.put("/etc/systemd/system/c4hat.service.wants/c4hat-speech.service", "")
	}},
	{"speech", "bad|c4hat-speech is enabled, but no engine is installed|sudo apt install espeak-ng", func(x *fixture) {
		x.remove("/usr/bin/espeak-ng")
		x.put("/etc/systemd/system/c4hat.service.wants/c4hat-speech.service", "")
	}},
	{"your matches", "good|in /home/ada/.local/state/c4hat, 20480 MiB free|", nil},
	{"your matches", "note|not saved: you have no home folder|c4hat play --state FOLDER", func(x *fixture) { x.own = "" }},
	{"your matches", "note|a damaged match was moved to /home/ada/.local/state/c4hat/match.jsonl.bad|rm /home/ada/.local/state/c4hat/match.jsonl.bad", func(x *fixture) {
		x.put("/home/ada/.local/state/c4hat/match.jsonl.bad", "")
	}},
	{"your matches", "bad|the disk of /home/ada/.local/state/c4hat is read-only|sudo mount -o remount,rw /; sudo dmesg may say why", func(x *fixture) { x.write = func(string) error { return syscall.EROFS } }},
	{"your matches", "bad|you may not write to /home/ada/.local/state/c4hat|sudo install -d -o $USER /home/ada/.local/state/c4hat", func(x *fixture) {
		x.write = func(path string) error {
			if path == "/home/ada" {
				return syscall.EACCES
			}
			return nil
		}
	}},
	{"your matches", "bad|only 0 KiB free on the disk of /home/ada/.local/state/c4hat|sudo apt clean, or free disk space in another way", func(x *fixture) { x.free = func(string) (uint64, error) { return 0, nil } }},

	// The consequences of a problem are not reported.
	{"board", "", func(x *fixture) { x.os = "plan9" }},
	{"service", "", func(x *fixture) { x.os = "plan9" }},
	{"bus", "", func(x *fixture) { x.laptop(); x.mayProbe() }},
	{"overlay", "", func(x *fixture) { x.noOverlay(); x.silent() }},
	{"drivers", "", (*fixture).noOverlay},
	{"matrix", "", func(x *fixture) { x.noMatrix(); x.put("/proc/modules", "") }},
	{"matrix", "", func(x *fixture) { x.noOverlay(); x.onBus('s') }},
	{"console", "", (*fixture).noMatrix},
	{"access", "", (*fixture).noJoystick},
	{"service", "", func(x *fixture) { x.stop(); x.configuration.err = errors.New("x") }},
	{"socket", "", (*fixture).stop},
	{"drivers", "good|loaded|", func(x *fixture) { x.remove("/sys/bus") }},
}

func TestTables(t *testing.T) {
	seen, known := map[row]bool{}, facts{}
	for _, tt := range findings {
		x := newFixture(t)
		if tt.change != nil {
			tt.change(x)
		}
		f, got := x.facts(), ""
		for _, d := range diagnose(f) {
			if d.Check == tt.check {
				got = fmt.Sprintf("%s|%s|%s", d.State, d.Text, d.Fix)
			}
			if strings.ContainsAny(d.Text+d.Fix, "{}\n\x1b") {
				t.Errorf("%s: %q %q", d.Check, d.Text, d.Fix)
			}
		}
		if got != tt.want {
			t.Errorf("%s is\n%s\nwant\n%s", tt.check, got, tt.want)
		}
		for name := range f {
			known[name] = "yes"
		}
		for _, r := range slices.Concat(tables...) {
			if r.check == tt.check && f.holds(r.cause) {
				seen[r] = true
				break
			}
		}
	}
	for _, r := range slices.Concat(tables...) {
		if !seen[r] {
			t.Errorf("%s: nothing leads to %q", r.check, r.text)
		}
		if !known.holds(strings.ReplaceAll(r.cause, "!", "")) {
			t.Errorf("%s: a fact of %q is never found", r.check, r.cause)
		}
	}
}
