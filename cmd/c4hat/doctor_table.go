package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/internal/control"
)

// look is something to look at. Where a need of it is not met it tells nothing new
// unless it is good.
type look struct {
	name  string
	needs []string // earlier looks
	rows  []row    // the first whose condition holds is the finding
}

// row is a finding that is possible. Words in braces are those of [facts.words].
type row struct {
	state state
	when  func(*facts) bool // nil: always
	found string
	mend  string
	since string // what follows from it is left out, for this reason
}

const (
	seat   = "sudo poweroff, then seat the HAT on all 40 pins and switch on again"
	itself = "c4hat drives the HAT itself, over I2C"
	toLoad = "printf '\\n[all]\\ndtoverlay=rpi-sense\\n' | sudo tee -a {config.txt}; sudo reboot"
)

// looks are everything that the doctor can find, from causes to what follows from
// them.
func looks() []look {
	return []look{
		{"kernel", nil, []row{
			{good, func(f *facts) bool { return f.os == "linux" }, "Linux {release}", "", ""},
			{bad, nil, "this is {os}, and the HAT's drivers are Linux's", "take a Raspberry Pi; here c4hat play plays in the terminal", "this is no Linux"},
		}},
		{"board", []string{"kernel"}, []row{
			{good, (*facts).pi, "{model}", "", ""},
			{note, (*facts).anything, "this is {model}, but a HAT's devices are there", "", ""},
			{bad, nil, "this is {model}", "take one with 40 pins and a Sense HAT; here c4hat play plays in the terminal", "this is no Raspberry Pi"},
		}},
		{"EEPROM", []string{"board"}, []row{
			{good, func(f *facts) bool { return strings.Contains(f.product, "Sense HAT") }, "{product}", "", ""},
			{note, func(f *facts) bool { return f.product != "" }, "of another HAT: {product}", "", ""},
			{note, (*facts).anything, "was not read: the devices are there by hand, and prove no HAT; seat it on all 40 pins if its LEDs stay dark", "", ""},
			{note, nil, "was not read: the HAT is not on the pins, or its overlay must be loaded by hand", "", ""},
		}},
		{"bus", []string{"board"}, []row{
			{good, func(f *facts) bool { return f.bus == isHAT }, "a Sense HAT answers at 0x46", "", ""},
			{bad, func(f *facts) bool { return f.bus == silent }, "nothing answers at 0x46, where a HAT does", seat, "no HAT answers"},
			{bad, func(f *facts) bool { return f.bus == stranger }, "what answers at 0x46 is no Sense HAT", "sudo poweroff, then take off what else is on the pins and seat the HAT", "no HAT answers"},
			{note, func(f *facts) bool { return f.bus == closed }, "you may not ask it for the HAT", "sudo c4hat doctor", ""},
			{note, func(f *facts) bool { return f.bus == noBus }, "there is no I2C bus to ask for the HAT", "sudo raspi-config nonint do_i2c 0", ""},
		}},
		{"overlay", []string{"bus"}, []row{
			{good, func(f *facts) bool { return f.client.entry != "" }, "rpi-sense is loaded: the kernel knows of a HAT at {client}", "", ""},
			{note, (*facts).all, "is not loaded, nor needed: the devices are there", "", ""},
			{note, (*facts).direct, "rpi-sense is not loaded, nor needed: " + itself, "", itself},
			{bad, func(f *facts) bool { return f.loads }, "{config.txt} has dtoverlay=rpi-sense, but Linux was started without it", "sudo reboot; where that does not help, put the line below [all]", "the overlay is not loaded"},
			{bad, func(f *facts) bool { return f.product != "" }, "the EEPROM was read, but rpi-sense is not loaded", toLoad, "the overlay is not loaded"},
			{bad, nil, "rpi-sense is not loaded, so that the kernel knows of no HAT", toLoad, "the overlay is not loaded"},
		}},
		{"drivers", []string{"bus", "overlay"}, []row{
			{good, (*facts).all, "loaded", "", ""},
			{note, (*facts).direct, "not loaded, nor needed: " + itself, "", itself},
			{bad, func(f *facts) bool { return f.client.driver == "" && f.core }, "loaded, but they found no HAT at {client}", seat, "the drivers found no HAT"},
			{bad, func(f *facts) bool { return len(f.unloaded) > 0 && f.lost }, "Linux {release} runs, but its modules are gone, as after an update", "sudo reboot", "the drivers are not loaded"},
			{bad, func(f *facts) bool { return len(f.unknown) > 0 }, "Linux {release} comes without {unknown}", "sudo apt full-upgrade; where that does not help, start the kernel of Raspberry Pi OS", "the drivers are not loaded"},
			{bad, func(f *facts) bool { return len(f.unloaded) > 0 }, "not all are loaded", "sudo modprobe -a {unloaded}", "the drivers are not loaded"},
			{good, func(f *facts) bool { return f.client.driver != "" }, "loaded", "", ""},
		}},
		{"matrix", []string{"drivers"}, []row{
			{good, func(f *facts) bool { return f.matrix.there }, "{matrix}", "", ""},
			{bad, func(f *facts) bool { return f.matrix.entry != "" }, "the kernel has it, but {matrix} is missing", "docker run --device {matrix}, or the like of your container", "there is no matrix"},
			{bad, nil, "no framebuffer is called RPi-Sense FB: {screens}", "sudo dmesg | grep -i sense", "there is no matrix"},
		}},
		{"joystick", []string{"drivers"}, []row{
			{good, func(f *facts) bool { return f.joystick.there }, "{joystick}", "", ""},
			{bad, func(f *facts) bool { return f.joystick.entry != "" }, "the kernel has it, but {joystick} is missing", "docker run --device {joystick}, or the like of your container", ""},
			{bad, nil, "no input device is called Raspberry Pi Sense HAT Joystick: {inputs}", "sudo dmesg | grep -i sense", ""},
		}},
		{"console", []string{"matrix"}, []row{
			{good, func(f *facts) bool { return f.matrix.there && f.console == "" }, "the kernel's text console keeps off the matrix", "", ""},
			{good, func(f *facts) bool { return f.matrix.there && f.matrix.entry != "fb0" }, "the kernel's text console has a screen of its own", "", ""},
			{note, func(f *facts) bool { return f.matrix.there && len(f.matrix.others) > 0 }, "the kernel's text console may draw on the matrix, though there is a screen ({screens})", "echo 0 | sudo tee /sys/class/vtconsole/{console}/bind", ""},
			{bad, func(f *facts) bool { return f.matrix.there }, "there is no screen, so the kernel's text console draws its cursor on the matrix", "echo 0 | sudo tee /sys/class/vtconsole/{console}/bind", ""},
		}},
		{"access", []string{"matrix"}, []row{
			{bad, func(f *facts) bool { return f.broken != nil }, "{broken}", "sudo dmesg | tail", ""},
			{note, func(f *facts) bool { return len(f.denied) > 0 && f.serves() }, "you may not open {denied}, nor need you: the service does", "", ""},
			{bad, func(f *facts) bool { return len(f.remode) > 0 }, "you may not open {denied}: its group may not, or is not the usual one", "{remode}", ""},
			{bad, func(f *facts) bool { return len(f.join) > 0 }, "you may not open {denied}", "sudo usermod -aG {groups} $USER, then log in again", ""},
			{bad, func(f *facts) bool { return f.relog }, "you may open {denied}, but not before your next login", "log in again", ""},
			{good, func(f *facts) bool { return f.matrix.there && f.joystick.there }, "you may open matrix and joystick", "", ""},
			{good, func(f *facts) bool { return f.matrix.there }, "you may open the matrix", "", ""},
		}},
		{"use", []string{"matrix"}, []row{
			{good, func(f *facts) bool { return f.matrix.there && f.holder == 0 }, "nobody plays on the HAT", "", ""},
			{good, func(f *facts) bool { return f.matrix.there && f.holds() }, "the service has the HAT, as {holder}", "", ""},
			{bad, func(f *facts) bool { return f.matrix.there }, "{holder} has the HAT", "kill {pid}, or end it otherwise", ""},
		}},
		{"gamma", []string{"matrix"}, []row{
			{good, func(f *facts) bool { return f.gamma == rightGamma }, "the driver's default table", "", ""},
			{bad, func(f *facts) bool { return f.gamma == darkGamma }, "another program has left a table of zeros in the driver: every LED is dark", "{regamma}", ""},
			{bad, func(f *facts) bool { return f.gamma == dimGamma }, "another program has left the low-light table in the driver: every LED is dim", "{regamma}", ""},
			{bad, func(f *facts) bool { return f.gamma == otherGamma }, "another program has left a table of its own in the driver: the colours are wrong", "{regamma}", ""},
		}},
		{"emulator", nil, []row{
			{note, func(f *facts) bool { return f.emulator }, "of the desktop: while it runs, c4hat play --display emulator plays on it", "", ""},
		}},
		{"configuration", nil, []row{
			{bad, func(f *facts) bool { return f.settings.err != nil }, "{wrong}", "sudoedit {settings}; sudo systemctl restart c4hat", "the configuration is wrong"},
			{note, func(f *facts) bool { return f.settings.devices != "" }, "{settings} names {devices}: the service opens that, whatever the HAT's are called", "", ""},
			{good, func(f *facts) bool { return f.settings.path != "" }, "{settings}", "", ""},
			{good, nil, "none, so all is as usual", "", ""},
		}},
		{"service", []string{"kernel", "configuration"}, []row{
			{good, func(f *facts) bool { return f.runs() && f.service.enabled }, "runs, and starts at boot", "", ""},
			{note, (*facts).runs, "runs, but does not start at boot", "sudo systemctl enable c4hat", ""},
			{note, func(f *facts) bool { return !f.service.systemd }, "there is no systemd to start it", "", ""},
			{note, func(f *facts) bool { return !f.service.installed }, "is not installed: c4hat play plays without it", "", ""},
			{bad, func(f *facts) bool { return f.service.masked }, "is masked, and cannot start", "sudo systemctl unmask c4hat; sudo systemctl enable --now c4hat", "the service does not run"},
			{bad, func(f *facts) bool { return f.service.enabled }, "starts at boot, but does not run", "sudo systemctl restart c4hat; journalctl -u c4hat says why it ended", "the service does not run"},
			{bad, nil, "is installed, but switched off", "sudo systemctl enable --now c4hat", "the service does not run"},
		}},
		{"socket", []string{"service"}, []row{
			{good, func(f *facts) bool { return f.serves() && len(f.lacks()) == 0 }, "c4hat {version} answers, with matrix and joystick", "", ""},
			{bad, func(f *facts) bool { return f.serves() && (f.all() || f.direct()) && (f.holder == 0 || f.holds()) }, "c4hat {version} answers, but has no {lacks}", "sudo systemctl restart c4hat; journalctl -u c4hat says what it waits for", ""},
			{note, (*facts).serves, "c4hat {version} answers, and waits for {lacks}", "", ""},
			{bad, func(f *facts) bool { return f.noDaemon() && f.runs() }, "the service runs, but nobody listens on {socket}", "sudo systemctl restart c4hat; journalctl -u c4hat says what is wrong", ""},
			{note, (*facts).noDaemon, "nobody listens on {socket}: c4hat play plays by itself", "", ""},
			{bad, func(f *facts) bool { return errors.Is(f.statusErr, control.ErrDenied) && f.inGames }, "{socket} is for the group games, and you are in it only from your next login on", "log in again", ""},
			{bad, func(f *facts) bool { return errors.Is(f.statusErr, control.ErrDenied) }, "you may not use {socket}", "sudo usermod -aG games $USER, then log in again", ""},
			{bad, nil, "{refused}", "sudo systemctl restart c4hat", ""},
		}},
		{"service's matches", []string{"kernel"}, []row{
			{bad, func(f *facts) bool { return f.daemon.full }, "only {daemon.free} are free for {daemon}", "sudo apt clean, or make room otherwise", ""},
			{bad, func(f *facts) bool { return f.daemon.readonly }, "the disk of {daemon} is read-only", "sudo mount -o remount,rw /; sudo dmesg may say why it is", ""},
			{note, func(f *facts) bool { return f.daemon.damaged }, "a damaged match was set aside as {daemon}/match.json.bad", "sudo rm {daemon}/match.json.bad", ""},
			{note, func(f *facts) bool { return f.daemon.missing }, "there is no {daemon} yet: the service makes it", "", ""},
			{note, func(f *facts) bool { return f.daemon.hidden }, "only root may look into {daemon}", "sudo c4hat doctor", ""},
			{good, func(f *facts) bool { return f.daemon.path != "" }, "in {daemon}, with {daemon.free} free", "", ""},
		}},
		{"your matches", []string{"kernel"}, []row{
			{note, func(f *facts) bool { return f.own.path == "" }, "are not kept: you have no home folder", "c4hat play --state FOLDER", ""},
			{bad, func(f *facts) bool { return f.own.readonly }, "the disk of {own} is read-only", "sudo mount -o remount,rw /; sudo dmesg may say why it is", ""},
			{bad, func(f *facts) bool { return f.own.denied }, "you may not write to {own}", "sudo install -d -o $USER {own}", ""},
			{bad, func(f *facts) bool { return f.own.full }, "only {own.free} are free for {own}", "sudo apt clean, or make room otherwise", ""},
			{note, func(f *facts) bool { return f.own.damaged }, "a damaged match was set aside as {own}/match.json.bad", "rm {own}/match.json.bad", ""},
			{good, nil, "in {own}, with {own.free} free", "", ""},
		}},
	}
}

// runs says whether the service does.
func (f *facts) runs() bool { return len(f.service.processes) > 0 }

// holds says whether it is the service, or the daemon that answers, which has the HAT.
func (f *facts) holds() bool {
	return slices.Contains(f.service.processes, f.holder) || f.serves() && f.status.Machine.PID == f.holder
}

// find gives the row that applies, -1 if none does.
func (l *look) find(f *facts) int {
	return slices.IndexFunc(l.rows, func(r row) bool { return r.when == nil || r.when(f) })
}

// diagnose gives what the table finds, look by look.
func diagnose(looks []look, f *facts) (all []finding) {
	words := strings.NewReplacer(f.words()...)
	since := map[string]string{}
	for _, l := range looks {
		var r row
		if i := l.find(f); i >= 0 {
			r = l.rows[i]
		}
		for _, need := range l.needs {
			if since[l.name] == "" {
				since[l.name] = since[need]
			}
		}
		switch {
		case r.state == good:
			since[l.name] = ""
		case since[l.name] != "":
			r = row{state: note, found: "not looked at, since " + since[l.name]}
		case r.state == "":
			continue
		default:
			since[l.name] = r.since
		}
		all = append(all, finding{l.name, r.state, words.Replace(r.found), words.Replace(r.mend)})
	}
	return all
}
