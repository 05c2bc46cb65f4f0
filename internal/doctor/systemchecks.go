package doctor

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/c4hat/c4hat/internal/socket"
)

const soundFix = "plug in a USB speaker or, on a Pi with an audio jack, add dtparam=audio=on to {config.txt} and restart"

// systemChecks returns the checks of the emulator, the configuration, the service and the saved
// matches.
func systemChecks() []check {
	return []check{
		{"emulator", nil, []result{
			{note, func(f *facts) bool { return f.emulator }, "on the desktop: while it runs, c4hat play --display emulator uses it", "", ""},
		}},
		{"configuration", nil, []result{
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
			{note, func(f *facts) bool { return f.system.damaged }, "a damaged match was moved to {system}/match.json.bad", "sudo rm {system}/match.json.bad", ""},
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
			{note, func(f *facts) bool { return f.own.damaged }, "a damaged match was moved to {own}/match.json.bad", "rm {own}/match.json.bad", ""},
			{good, nil, "in {own}, {own.free} free", "", ""},
		}},
	}
}
