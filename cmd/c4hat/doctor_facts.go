package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/settings"
)

// facts are all that was seen of a machine. What they mean is the table's.
type facts struct {
	os, release, model, product string

	bus              answer
	client           client
	config           string // path of config.txt
	loads            bool   // the overlay, by that file
	core             bool   // its driver is loaded
	unloaded         []string
	unknown          []string
	lost             bool
	matrix, joystick device
	console          string
	gamma            gamma
	emulator         bool

	access
	holder     int // of the matrix
	holderName string
	service    service
	socket     string
	status     control.Status
	statusErr  error
	inGames    bool // by the file, if not by the session

	settings configured
	own      folder
	daemon   folder
}

// examine looks at everything, and changes nothing.
func (m *patient) examine() *facts {
	f := &facts{os: m.os, socket: m.socket, settings: m.config}
	if m.os != "linux" {
		return f
	}
	f.release = m.text(m.at("/proc/sys/kernel/osrelease"))
	f.model = m.model()
	f.product = m.text(m.at("/proc/device-tree/hat/product"))
	f.matrix = m.device("graphics", "fb", "name", "/dev", matrixName)
	f.joystick = m.device("input", "event", "device/name", "/dev/input", joystickName)
	f.client = m.client()
	f.config, f.loads = m.overlay()
	m.drivers(f)
	if f.pi() && f.matrix.entry == "" && f.joystick.entry == "" && f.client.driver == "" {
		f.bus = m.ask()
	}
	f.console = m.console()
	f.emulator = m.emulator()
	f.access = m.access(f.matrix, f.joystick)
	switch {
	case f.matrix.there:
		f.holder, f.holderName = m.owner(m.at(f.matrix.path))
		f.gamma = m.tableOf(m.at(f.matrix.path))
	case f.direct():
		f.holder, f.holderName = m.owner(m.at(pi.Bus))
	}
	f.service = m.service()
	f.status, f.statusErr = m.status()
	for _, member := range m.groupFile()["games"].members {
		f.inGames = f.inGames || member == m.user
	}
	f.own, f.daemon = m.folder(m.own), m.folder(settings.SystemState)
	return f
}

func (f *facts) pi() bool       { return strings.HasPrefix(f.model, "Raspberry Pi") }
func (f *facts) anything() bool { return f.matrix.entry != "" || f.joystick.entry != "" }
func (f *facts) all() bool      { return f.matrix.entry != "" && f.joystick.entry != "" }

// direct says whether c4hat can drive the HAT without the kernel's drivers.
func (f *facts) direct() bool { return f.bus == isHAT && !f.settings.off }

// serves says whether the daemon answers.
func (f *facts) serves() bool { return f.os == "linux" && f.statusErr == nil }

// lacks are the parts that the daemon does not have.
func (f *facts) lacks() (parts []string) {
	if !f.status.Machine.Matrix {
		parts = append(parts, "matrix")
	}
	if !f.status.Machine.Joystick {
		parts = append(parts, "joystick")
	}
	return parts
}

// words are what stands in braces in the table.
func (f *facts) words() []string {
	model := f.model
	if !f.pi() && model != "no Raspberry Pi" {
		model += ", no Raspberry Pi"
	}
	holder := fmt.Sprintf("process %d", f.holder)
	if f.holderName != "" {
		holder += " (" + f.holderName + ")"
	}
	refused := ""
	if f.statusErr != nil {
		refused = f.statusErr.Error()
	}
	wrong, broken, regamma := "", "", "c4hat dark"
	if f.runs() {
		regamma = "sudo systemctl restart c4hat"
	}
	if f.settings.err != nil {
		wrong = f.settings.err.Error()
	}
	if f.broken != nil {
		broken = f.broken.Error()
	}
	words := []string{
		"{os}", f.os, "{release}", f.release, "{model}", model, "{product}", f.product,
		"{client}", f.client.entry, "{driver}", f.client.driver, "{config.txt}", f.config,
		"{unloaded}", strings.Join(f.unloaded, " "), "{unknown}", strings.Join(f.unknown, ", "),
		"{matrix}", f.matrix.path, "{joystick}", f.joystick.path,
		"{screens}", listed(f.matrix.others), "{inputs}", listed(f.joystick.others),
		"{console}", f.console, "{regamma}", regamma,
		"{denied}", strings.Join(f.denied, " and "), "{groups}", strings.Join(f.join, ","),
		"{remode}", strings.Join(f.remode, "; "), "{broken}", broken,
		"{holder}", holder, "{pid}", fmt.Sprint(f.holder),
		"{socket}", f.socket, "{version}", f.status.Machine.Version, "{refused}", refused,
		"{lacks}", strings.Join(f.lacks(), " and "),
		"{settings}", f.settings.path, "{wrong}", wrong, "{devices}", f.settings.devices,
	}
	for name, d := range map[string]folder{"own": f.own, "daemon": f.daemon} {
		words = append(words, "{"+name+"}", d.path, "{"+name+".free}", size(d.free))
	}
	// Devices, processes and files have any name that somebody gave them.
	for i := range words {
		words[i] = strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return '?'
			}
			return r
		}, words[i])
	}
	return words
}

// listed is what else there is, as far as it fits in a line.
func listed(others []string) string {
	const most = 4
	if len(others) == 0 {
		return "there is no other"
	}
	if len(others) > most {
		return strings.Join(others[:most], ", ") + fmt.Sprintf(" and %d more", len(others)-most)
	}
	return strings.Join(others, ", ")
}

// size is an amount of disk.
func size(bytes uint64) string {
	if bytes < 10<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// noDaemon says whether nobody listens on the socket.
func (f *facts) noDaemon() bool { return errors.Is(f.statusErr, control.ErrNoDaemon) }
