package doctor

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/socket"
)

const (
	seatFix    = "sudo poweroff, then seat the HAT on all 40 pins and power on again"
	directText = "c4hat drives the HAT itself over I2C"
	overlayFix = "printf '\\n[all]\\ndtoverlay=rpi-sense\\n' | sudo tee -a {config.txt}; sudo reboot"
	consoleFix = "sudo c4hat console"
	soundFix   = "plug in a USB speaker or, on a Pi with an audio jack, add dtparam=audio=on to {config.txt} and restart"
)

// checks returns all checks in the order of the report: causes come before their effects. The HAT's are
// in order from the board to the LEDs.
func checks() []check {
	return []check{
		{"kernel", nil, []result{
			{good, func(f *facts) bool { return f.os == "linux" }, "Linux {release}", "", ""},
			{note, nil, "this is {os}: nothing to check, because a HAT works only on Linux; c4hat play works in the terminal", "", "not Linux"},
		}},
		{"board", []string{"kernel"}, []result{
			{good, (*facts).pi, "{model}", "", ""},
			{note, (*facts).anyDevice, "this is {model}, but it has a HAT's devices", "", ""},
			{note, nil, "this machine is {model}: nothing to check; c4hat play works in the terminal", "", "not a Raspberry Pi"},
		}},
		{"EEPROM", []string{"board"}, []result{
			{good, func(f *facts) bool { return strings.Contains(f.product, "Sense HAT") }, "{product}", "", ""},
			{note, func(f *facts) bool { return f.product != "" }, "another HAT: {product}", "", ""},
			{note, (*facts).anyDevice, "not read: the devices are configured by hand, which does not prove that there is a HAT; seat it on all 40 pins if its LEDs stay dark", "", ""},
			{note, nil, "not read: the HAT is not on the pins, or its overlay must be loaded by hand", "", ""},
		}},
		{"bus", []string{"board"}, []result{
			{good, func(f *facts) bool { return f.hatOnBus }, "a Sense HAT answers at 0x46", "", ""},
			{bad, func(f *facts) bool { return errors.Is(f.busErr, hat.ErrGone) }, "nothing answers at 0x46, the HAT's address", seatFix, "no HAT answers"},
			{note, func(f *facts) bool { return errors.Is(f.busErr, hat.ErrPermission) }, "you may not open the I2C bus", "sudo c4hat doctor", ""},
			{note, func(f *facts) bool { return f.busErr != nil }, "there is no I2C bus", "sudo raspi-config nonint do_i2c 0", ""},
			{bad, func(f *facts) bool { return f.probed }, "the device at 0x46 is not a Sense HAT", "sudo poweroff, then remove other boards from the pins and seat the HAT", "no HAT answers"},
		}},
		{"overlay", []string{"bus"}, []result{
			{good, func(f *facts) bool { return f.overlay.client != "" }, "rpi-sense is loaded: the kernel expects a HAT at {client}", "", ""},
			{note, (*facts).allDevices, "not loaded, but not needed: the devices are there", "", ""},
			{note, (*facts).direct, "rpi-sense is not loaded, but not needed: " + directText, "", directText},
			{bad, func(f *facts) bool { return f.overlay.configured }, "{config.txt} has dtoverlay=rpi-sense, but Linux was started without it", "sudo reboot; if that does not help, move the line below [all]", "the overlay is not loaded"},
			{bad, func(f *facts) bool { return f.product != "" }, "the EEPROM was read, but rpi-sense is not loaded", overlayFix, "the overlay is not loaded"},
			{bad, nil, "rpi-sense is not loaded, so the kernel does not know about the HAT", overlayFix, "the overlay is not loaded"},
		}},
		{"drivers", []string{"bus", "overlay"}, []result{
			{good, (*facts).allDevices, "loaded", "", ""},
			{note, (*facts).direct, "not loaded, but not needed: " + directText, "", directText},
			{bad, func(f *facts) bool { return f.overlay.driver == "" && f.drivers.core }, "loaded, but they found no HAT at {client}", seatFix, "the drivers found no HAT"},
			{bad, func(f *facts) bool { return len(f.drivers.unloaded) > 0 && f.drivers.removed }, "Linux {release} is running, but its modules have been removed, probably by an update", "sudo reboot", "the drivers are not loaded"},
			{bad, func(f *facts) bool { return len(f.drivers.unknown) > 0 }, "Linux {release} does not include {unknown}", "sudo apt full-upgrade; if that does not help, boot the kernel of Raspberry Pi OS", "the drivers are not loaded"},
			{bad, func(f *facts) bool { return len(f.drivers.unloaded) > 0 }, "some of the HAT's drivers are not loaded", "sudo modprobe -a {unloaded}", "the drivers are not loaded"},
			{good, func(f *facts) bool { return f.overlay.driver != "" }, "loaded", "", ""},
		}},
		{"matrix", []string{"drivers"}, []result{
			{good, func(f *facts) bool { return f.matrix.exists }, "{matrix}", "", ""},
			{bad, func(f *facts) bool { return f.matrix.path != "" }, "the kernel has it, but {matrix} is missing", "docker run --device {matrix}, or the equivalent for your container", "there is no matrix"},
			{bad, nil, "no framebuffer is named " + hat.MatrixName + ": {screens}", "sudo dmesg | grep -i sense", "there is no matrix"},
		}},
		{"joystick", []string{"drivers"}, []result{
			{good, func(f *facts) bool { return f.joystick.exists }, "{joystick}", "", ""},
			{bad, func(f *facts) bool { return f.joystick.path != "" }, "the kernel has it, but {joystick} is missing", "docker run --device {joystick}, or the equivalent for your container", ""},
			{bad, nil, "no input device is named " + hat.JoystickName + ": {inputs}", "sudo dmesg | grep -i sense", ""},
		}},
		{"console", []string{"matrix"}, []result{
			{good, func(f *facts) bool { return f.matrix.exists && !f.console }, "the kernel's text console does not use the matrix", "", ""},
			{good, func(f *facts) bool { return f.matrix.exists && f.consoleElsewhere }, "the kernel's text console has its own screen", "", ""},
			{note, func(f *facts) bool { return f.matrix.exists && len(f.matrix.others) > 0 }, "the kernel's text console may draw on the matrix, although there is a screen ({screens})", consoleFix, ""},
			{bad, func(f *facts) bool { return f.matrix.exists }, "there is no screen, so the kernel's text console draws its cursor on the matrix", consoleFix, ""},
		}},
		{"access", []string{"matrix"}, []result{
			{bad, func(f *facts) bool { return f.openErr != nil }, "{open error}", "sudo dmesg | tail", ""},
			{note, func(f *facts) bool { return len(f.denied) > 0 && f.answers() }, "you may not open {denied}: not needed, because the service opens the HAT", "", ""},
			{bad, func(f *facts) bool { return len(f.modeFixes) > 0 }, "you may not open {denied}: wrong group or permissions", "{mode fix}", ""},
			{bad, func(f *facts) bool { return len(f.join) > 0 }, "you may not open {denied}", "sudo usermod -aG {groups} $USER, then log in again", ""},
			{bad, func(f *facts) bool { return f.relog }, "you may open {denied} only after your next login", "log in again", ""},
			{good, func(f *facts) bool { return f.matrix.exists && f.joystick.exists }, "you may open the matrix and the joystick", "", ""},
			{good, func(f *facts) bool { return f.matrix.exists }, "you may open the matrix", "", ""},
		}},
		{"use", []string{"matrix"}, []result{
			{bad, func(f *facts) bool { return f.python != 0 && f.python != f.holder }, "process {python}, a Python program, has the HAT open as well: the module sense_hat draws over a game", "kill {python}, or quit that program", ""},
			{good, func(f *facts) bool { return f.matrix.exists && f.holder == 0 }, "no program uses the HAT", "", ""},
			{good, func(f *facts) bool { return f.matrix.exists && f.ours() }, "the service uses the HAT, as {holder}", "", ""},
			{bad, func(f *facts) bool { return f.matrix.exists }, "{holder} uses the HAT", "kill {pid}, or quit that program", ""},
		}},
		{"gamma", []string{"matrix"}, []result{
			{"", func(f *facts) bool { return f.gamma == nil }, "", "", ""},
			{good, func(f *facts) bool { return *f.gamma == hat.DefaultGamma() }, "the driver has its default table", "", ""},
			{bad, func(f *facts) bool { return *f.gamma == [32]byte{} }, "another program left a table of zeros in the driver: every LED is dark", "{gamma fix}", ""},
			// The highest value of the low-light table is 10 of 31. Package hat does not contain this table,
			// because c4hat never sets it.
			{bad, func(f *facts) bool { return slices.Max(f.gamma[:]) <= 10 }, "another program left the low-light table in the driver: every LED is dim", "{gamma fix}", ""},
			{bad, nil, "another program left its own table in the driver: the colours are wrong", "{gamma fix}", ""},
		}},
		{"emulator", nil, []result{
			{note, func(f *facts) bool { return f.emulator }, "on the desktop: while it runs, c4hat play --display emulator uses it", "", ""},
		}},
		{"configuration", nil, []result{
			{bad, func(f *facts) bool { return f.configuration.err != nil && !f.service.installed }, "{configuration error}", "edit {configuration}", "the configuration is wrong"},
			{bad, func(f *facts) bool { return f.configuration.err != nil }, "{configuration error}", "sudoedit {configuration}; sudo systemctl restart c4hat", "the configuration is wrong"},
			{note, func(f *facts) bool { return f.configuration.devices != "" }, "{configuration} names {devices}: the service opens these devices and does not look for the HAT", "", ""},
			{good, func(f *facts) bool { return f.configuration.path != "" }, "{configuration}", "", ""},
			{good, nil, "no file: the defaults apply", "", ""},
		}},
		{"service", []string{"kernel", "configuration"}, []result{
			{good, func(f *facts) bool { return f.running() && f.service.enabled }, "running, and starts at boot", "", ""},
			{note, (*facts).running, "running, but does not start at boot", "sudo systemctl enable c4hat", ""},
			{note, func(f *facts) bool { return !f.service.systemd }, "systemd, which would start it, is not running", "", ""},
			{note, func(f *facts) bool { return !f.service.installed }, "not installed: c4hat play works without it", "", ""},
			{bad, func(f *facts) bool { return f.service.masked }, "masked, so it cannot start", "sudo systemctl unmask c4hat; sudo systemctl enable --now c4hat", "the service is not running"},
			{bad, func(f *facts) bool { return f.service.enabled }, "starts at boot, but is not running", "sudo systemctl restart c4hat; journalctl -u c4hat says why it stopped", "the service is not running"},
			{bad, nil, "installed, but disabled", "sudo systemctl enable --now c4hat", "the service is not running"},
		}},
		{"socket", []string{"service"}, []result{
			{good, func(f *facts) bool { return f.answers() && len(f.missing()) == 0 }, "c4hat {version} answers, and has the matrix and the joystick", "", ""},
			{bad, func(f *facts) bool {
				return f.answers() && (f.allDevices() || f.direct()) && (f.holder == 0 || f.ours())
			}, "c4hat {version} answers, but lacks {missing}", "sudo systemctl restart c4hat; journalctl -u c4hat says what it is waiting for", ""},
			{note, (*facts).answers, "c4hat {version} answers, and is waiting for {missing}", "", ""},
			{bad, func(f *facts) bool { return errors.Is(f.statusErr, socket.ErrNoDaemon) && f.running() }, "the service is running, but nothing listens on {socket}", "sudo systemctl restart c4hat; journalctl -u c4hat says what is wrong", ""},
			{note, func(f *facts) bool { return errors.Is(f.statusErr, socket.ErrNoDaemon) }, "nothing listens on {socket}: c4hat play works without the service", "", ""},
			{bad, func(f *facts) bool { return errors.Is(f.statusErr, socket.ErrDenied) && f.inGames }, "{socket} is for the group games, and you join it at your next login", "log in again", ""},
			{bad, func(f *facts) bool { return errors.Is(f.statusErr, socket.ErrDenied) }, "you may not use {socket}", "sudo usermod -aG games $USER, then log in again", ""},
			{bad, nil, "{status error}", "sudo systemctl restart c4hat", ""},
		}},
		{"service's matches", []string{"kernel"}, []result{
			{bad, func(f *facts) bool { return f.system.full }, "only {system.free} free on the disk of {system}", "sudo apt clean, or free disk space in another way", ""},
			{bad, func(f *facts) bool { return errors.Is(f.system.writeErr, syscall.EROFS) }, "the disk of {system} is read-only", "sudo mount -o remount,rw /; sudo dmesg may say why", ""},
			{note, func(f *facts) bool { return f.system.damaged }, "a damaged match was moved to {system}/match.jsonl.bad", "sudo rm {system}/match.jsonl.bad", ""},
			{note, func(f *facts) bool { return errors.Is(f.system.err, fs.ErrNotExist) }, "{system} does not exist yet: the service creates it", "", ""},
			{note, func(f *facts) bool { return errors.Is(f.system.err, fs.ErrPermission) }, "only root may read {system}", "sudo c4hat doctor", ""},
			{good, func(f *facts) bool { return f.system.path != "" }, "in {system}, {system.free} free", "", ""},
		}},
		{"speech", []string{"kernel"}, []result{
			{bad, func(f *facts) bool { return f.speech.enabled && f.speech.engine == "" }, "c4hat-speech is enabled, but no engine is installed", "sudo apt install espeak-ng", ""},
			{bad, func(f *facts) bool { return f.speech.enabled && f.speech.card == "" }, "c4hat-speech is enabled, but there is no sound device", soundFix, ""},
			{note, func(f *facts) bool { return f.speech.engine == "" }, "no engine is installed: c4hat speak prints lines", "sudo apt install espeak-ng", ""},
			{note, func(f *facts) bool { return f.speech.card == "" }, "{engine}, but there is no sound device", soundFix, ""},
			{good, nil, "{engine}, on {card}", "", ""},
		}},
		{"your matches", []string{"kernel"}, []result{
			{note, func(f *facts) bool { return f.own.path == "" }, "not saved: you have no home folder", "c4hat play --state FOLDER", ""},
			{bad, func(f *facts) bool { return errors.Is(f.own.writeErr, syscall.EROFS) }, "the disk of {own} is read-only", "sudo mount -o remount,rw /; sudo dmesg may say why", ""},
			{bad, func(f *facts) bool { return f.own.writeErr != nil }, "you may not write to {own}", "sudo install -d -o $USER {own}", ""},
			{bad, func(f *facts) bool { return f.own.full }, "only {own.free} free on the disk of {own}", "sudo apt clean, or free disk space in another way", ""},
			{note, func(f *facts) bool { return f.own.damaged }, "a damaged match was moved to {own}/match.jsonl.bad", "rm {own}/match.jsonl.bad", ""},
			{good, nil, "in {own}, {own.free} free", "", ""},
		}},
	}
}
