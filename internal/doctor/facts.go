package doctor

import (
	"path"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/socket"
)

// facts are what was found on a machine. The checks draw conclusions from them.
type facts struct {
	os, release, model, product string

	probed, hatOnBus bool // whether the pins' I²C bus was probed, and whether a HAT answered
	busErr           error
	overlay          overlay
	drivers          drivers
	matrix, joystick device
	console          bool // the kernel's text console draws on framebuffers
	consoleElsewhere bool // and not on the matrix
	gamma            *[32]byte
	emulator         bool

	access
	holder     int // process that drives the HAT, 0 if none
	holderName string
	python     int // Python program that has the matrix or the joystick open, 0 if none is visible
	service    service
	socket     string
	status     socket.Status
	statusErr  error
	inGames    bool // the user is in the group games in /etc/group; the session may be older

	configuration configuration
	own, system   folder
	speech        voice
}

func (m *machine) facts() *facts {
	f := &facts{os: m.os, socket: m.socket, configuration: m.configuration}
	if m.os != "linux" {
		return f
	}
	f.release = m.text("/proc/sys/kernel/osrelease")
	f.model = m.model()
	f.product = m.text("/proc/device-tree/hat/product")
	framebuffers, inputs := m.devices()
	f.matrix = m.device(framebuffers, hat.MatrixName)
	f.joystick = m.device(inputs, hat.JoystickName)
	f.overlay = m.overlay()
	f.drivers = m.drivers(f)
	// Probe the bus only on a Pi without a driver. A probe would disturb a driver, and on another kind
	// of machine any device may have the HAT's address.
	if f.pi() && !f.anyDevice() && f.overlay.driver == "" {
		f.probed = true
		f.hatOnBus, f.busErr = m.bus.Probe()
	}
	f.console, f.consoleElsewhere = m.console(f.matrix.path)
	// Opening the emulator's joystick would take it from another program, so only look for its
	// file. A killed emulator leaves the file behind.
	f.emulator = m.exists("/dev/shm/rpi-sense-emu-stick")
	f.access = m.access(f.matrix, f.joystick)
	switch {
	case f.matrix.exists:
		f.holder, f.holderName = m.owner(f.matrix.path)
		if table, err := m.gamma(f.matrix.path); err == nil {
			f.gamma = &table
		}
	case f.direct():
		f.holder, f.holderName = m.owner(pi.Bus)
	}
	f.python = m.python(f.matrix.path, f.joystick.path)
	f.service = m.service()
	f.status, f.statusErr = m.status()
	f.inGames = slices.Contains(m.groupFile()["games"].members, m.user)
	f.own, f.system = m.folder(m.own), m.folder(settings.SystemState)
	f.speech = m.speech()
	return f
}

type device struct {
	path   string   // its device file, empty if the kernel has no such device
	exists bool     // whether the file exists
	others []string // devices of the same kind
}

func (m *machine) device(all []hat.Device, name string) (d device) {
	for _, one := range all {
		switch {
		case one.Name == name && d.path == "":
			d.path, d.exists = one.Path, m.exists(one.Path)
		case one.Name != "":
			d.others = append(d.others, path.Base(one.Path)+" is "+one.Name)
		}
	}
	return d
}

func (f *facts) pi() bool         { return strings.HasPrefix(f.model, "Raspberry Pi") }
func (f *facts) anyDevice() bool  { return f.matrix.path != "" || f.joystick.path != "" }
func (f *facts) allDevices() bool { return f.matrix.path != "" && f.joystick.path != "" }

// direct reports whether c4hat can drive the HAT without kernel drivers.
func (f *facts) direct() bool { return f.hatOnBus && !f.configuration.noI2C }

// running reports whether the service runs under systemd.
func (f *facts) running() bool { return len(f.service.processes) > 0 }

// answers reports whether something answers at the socket.
func (f *facts) answers() bool { return f.os == "linux" && f.statusErr == nil }

// ours reports whether the service, or the process that answers at the socket, drives the
// HAT.
func (f *facts) ours() bool {
	return slices.Contains(f.service.processes, f.holder) || f.answers() && f.status.Machine.PID == f.holder
}

// missing returns the parts of the HAT that the service lacks.
func (f *facts) missing() (parts []string) {
	if !f.status.Machine.Matrix {
		parts = append(parts, "matrix")
	}
	if !f.status.Machine.Joystick {
		parts = append(parts, "joystick")
	}
	return parts
}
