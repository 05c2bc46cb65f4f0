package doctor

import "github.com/c4hat/c4hat/hat"

// row is a possible finding: a cause, a sentence, and a command. The cause names facts that must be known, or
// after "!" unknown. The texts have facts in braces. Of the rows of a check, the first with its cause is reported.
type row struct {
	check string
	state State
	cause string // empty: always
	text  string
	fix   string
}

// end is a note below which a table has nothing to say.
const end State = "end"

const (
	seatFix    = "sudo poweroff, then seat the HAT on all 40 pins and power on again"
	overlayFix = "printf '\\n[all]\\ndtoverlay=rpi-sense\\n' | sudo tee -a {config.txt}; sudo reboot"
	soundFix   = "plug in a USB speaker or, on a Pi with an audio jack, add dtparam=audio=on to {config.txt} and restart"
	roomFix    = "sudo apt clean, or free disk space in another way"
	diskFix    = "sudo mount -o remount,rw /; sudo dmesg may say why"
	dmesgFix   = "sudo dmesg | grep -i sense   # may say why"
	engineFix  = "sudo apt install espeak-ng"
)

// tables has a table for each subject. Causes come before their effects: the first problem ends its table.
var tables = [][]row{{
	{"kernel", end, "!linux", "this is {os}: nothing to check, because a HAT works only on Linux; c4hat play works in the terminal", ""},
	{"kernel", good, "", "Linux {release}", ""},
	{"board", good, "pi", "{model}", ""},
	{"board", note, "device", "this is {model}, but it has a HAT's devices", ""},
	{"board", end, "", "this machine is {model}: no HAT to check; c4hat play works in the terminal; with sense_emu_gui running, c4hat daemon --emulator works", ""},
	{"EEPROM", good, "sense hat", "{product}", ""},
	{"EEPROM", note, "product", "another HAT: {product}", ""},
	{"EEPROM", note, "", "not read at boot; the lines below say whether the HAT works", ""},
	{"bus", good, "hat answers", "a Sense HAT answers at 0x46", ""},
	{"bus", bad, "no hat answers", "no Sense HAT answers at 0x46, its address", seatFix},
	{"bus", note, "bus denied", "you may not open the I2C bus", "sudo c4hat doctor"},
	{"bus", note, "no bus", "there is no I2C bus", "sudo raspi-config nonint do_i2c 0"},
	{"overlay", end, "direct", "the kernel's drivers are not loaded, but not needed: c4hat drives the HAT itself over I2C", ""},
	{"overlay", good, "client", "rpi-sense is loaded: the kernel expects a HAT at {client}", ""},
	{"overlay", good, "both devices", "not loaded, but the devices are there", ""},
	{"overlay", bad, "configured", "{config.txt} has dtoverlay=rpi-sense, but Linux was started without it", "sudo reboot; if that does not help, put that line under [all]"},
	{"overlay", bad, "", "rpi-sense is not loaded, so the kernel does not know about the HAT", overlayFix},
	{"drivers", bad, "unbound", "loaded, but they found no HAT at {client}", seatFix},
	{"drivers", bad, "unloaded, modules removed", "Linux {release} is running, but its modules have been removed, probably by an update", "sudo reboot"},
	{"drivers", bad, "unloaded", "some of the HAT's drivers are not loaded", "sudo modprobe -a {unloaded}"},
	{"drivers", good, "", "loaded", ""},
	{"matrix", good, "matrix", "{matrix}", ""},
	{"matrix", bad, "", "there is no framebuffer named " + hat.MatrixName + "; {screens}", dmesgFix},
	{"joystick", good, "joystick", "{joystick}", ""},
	{"joystick", bad, "", "there is no input device named " + hat.JoystickName + "; {inputs}", dmesgFix},
	{"access", bad, "open error", "{open error}", "sudo dmesg | tail   # may say why"},
	{"access", note, "denied, answers", "you may not open {denied}: not needed, because the service opens the HAT", ""},
	{"access", bad, "denied, member", "you may open {denied} only after your next login", "log in again"},
	{"access", bad, "denied", "you may not open {denied}", "sudo usermod -aG video,input $USER, then log in again"},
	{"access", good, "", "you may open the matrix and the joystick", ""},
	{"use", bad, "python", "process {python}, a Python program, has the HAT open as well: the module sense_hat draws over a game", "kill {python}, or quit that program"},
	{"use", good, "!holder", "no program uses the HAT", ""},
	{"use", good, "ours", "the service uses the HAT, as {holder}", ""},
	{"use", bad, "", "{holder} uses the HAT", "kill {pid}, or quit that program"},
	{"console", good, "!console", "the kernel's text console does not use the matrix", ""},
	{"console", bad, "!screen", "there is no screen, so the kernel's text console draws its cursor on the matrix", "sudo c4hat console"},
	{"console", note, "", "the kernel's text console may draw on the matrix, although there is a screen ({screens})", "sudo c4hat console"},
}, {
	{"configuration", bad, "mistake, !installed", "{mistake}", "edit {configuration}"},
	{"configuration", bad, "mistake", "{mistake}", "sudoedit {configuration}; sudo systemctl restart c4hat"},
	{"configuration", note, "named", "{configuration} names {named}: the service opens these devices and does not look for the HAT", ""},
	{"configuration", good, "configuration", "{configuration}", ""},
	{"configuration", good, "", "no file: the defaults apply", ""},
	{"service", good, "running, at boot", "running, and starts at boot", ""},
	{"service", note, "running", "running, but does not start at boot", "sudo systemctl enable c4hat"},
	{"service", note, "!installed", "not installed: c4hat play works without it", ""},
	{"service", bad, "at boot", "starts at boot, but is not running", "sudo systemctl restart c4hat; journalctl -u c4hat says why it stopped"},
	{"service", bad, "", "installed, but disabled", "sudo systemctl enable --now c4hat"},
	{"socket", good, "answers, !missing", "c4hat {version} answers, and has the matrix and the joystick", ""},
	{"socket", bad, "answers, free", "c4hat {version} answers, but lacks the {missing}", "sudo systemctl restart c4hat; journalctl -u c4hat says what it is waiting for"},
	{"socket", note, "answers", "c4hat {version} answers, and is waiting for the {missing}", ""},
	{"socket", bad, "silent, running", "the service is running, but nothing listens on {socket}", "sudo systemctl restart c4hat; journalctl -u c4hat says what is wrong"},
	{"socket", note, "silent", "nothing listens on {socket}: c4hat play works without the service", ""},
	{"socket", bad, "refused, games", "{socket} is for the group games, and you join it at your next login", "log in again"},
	{"socket", bad, "refused", "you may not use {socket}", "sudo usermod -aG games $USER, then log in again"},
	{"socket", bad, "", "{status error}", "sudo systemctl restart c4hat"},
}, {
	{"service's matches", bad, "system full", "only {system free} free on the disk of {system}", roomFix},
	{"service's matches", bad, "system read-only", "the disk of {system} is read-only", diskFix},
	{"service's matches", note, "system damaged", "a damaged match was moved to {system}/match.jsonl.bad", "sudo rm {system}/match.jsonl.bad"},
	{"service's matches", note, "system missing", "{system} does not exist yet: the service creates it", ""},
	{"service's matches", note, "system closed", "only root may read {system}", "sudo c4hat doctor"},
	{"service's matches", good, "", "in {system}, {system free} free", ""},
}, {
	{"speech", bad, "voice, !engine", "c4hat-speech is enabled, but no engine is installed", engineFix},
	{"speech", bad, "voice, !card", "c4hat-speech is enabled, but there is no sound device", soundFix},
	{"speech", note, "!engine", "no engine is installed: c4hat speak prints lines", engineFix},
	{"speech", note, "!card", "{engine}, but there is no sound device", soundFix},
	{"speech", good, "", "{engine}, on {card}", ""},
}, {
	{"your matches", note, "!own", "not saved: you have no home folder", "c4hat play --state FOLDER"},
	{"your matches", bad, "own read-only", "the disk of {own} is read-only", diskFix},
	{"your matches", bad, "own locked", "you may not write to {own}", "sudo install -d -o $USER {own}"},
	{"your matches", bad, "own full", "only {own free} free on the disk of {own}", roomFix},
	{"your matches", note, "own damaged", "a damaged match was moved to {own}/match.jsonl.bad", "rm {own}/match.jsonl.bad"},
	{"your matches", good, "", "in {own}, {own free} free", ""},
}}
