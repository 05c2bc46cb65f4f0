package doctor

import (
	"errors"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/hat"
)

const (
	seatFix    = "sudo poweroff, then seat the HAT on all 40 pins and power on again"
	directText = "c4hat drives the HAT itself over I2C"
	overlayFix = "printf '\\n[all]\\ndtoverlay=rpi-sense\\n' | sudo tee -a {config.txt}; sudo reboot"
	consoleFix = "sudo c4hat console"
)

// hatChecks returns the checks of the HAT, in order from the board to the LEDs.
func hatChecks() []check {
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
	}
}
