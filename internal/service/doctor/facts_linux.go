package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/front/speech"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/service/vtconsole"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"
)

// collect collects the facts of this machine. It reads the configuration as the service does, so that a mistake with
// which the service does not start is a fact.
func collect(ctx context.Context, p *settings.Settings, flags *pflag.FlagSet) facts {
	s, all := settings.New(), pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Add(all, settings.Daemon)
	s.Config = p.Config
	_, mistake := s.Match(all)
	if flags.Changed("socket") {
		s.Socket = p.Socket
	}
	m := &machine{
		settings: s, mistake: mistake,
		files: os.DirFS("/"), model: settings.Model, devices: hat.Devices, owner: hat.LockOwner, consoleAt: vtconsole.At,
		bus:  settings.BusAt(settings.DefaultBus),
		open: tryOpen, free: freeSpace, write: tryWrite, env: os.Getenv,
		status: func() (socket.Status, error) {
			client := socket.Dial(s.Socket)
			defer client.Close()
			return client.Status(ctx)
		},
	}
	if u, err := user.Current(); err == nil {
		m.user = u.Username
	}
	if m.own = p.Own(); m.own != "" {
		m.own, _ = filepath.Abs(m.own) // it fails only if there is no current folder
	}
	return m.facts()
}

// machine is what the facts are collected from.
type machine struct {
	settings *settings.Settings
	mistake  error  // in the configuration
	own      string // folder of the user's own matches, empty if there is none
	user     string

	files   fs.FS // the root file system
	env     func(name string) string
	model   func() string
	devices func() (framebuffers, inputs []hat.Device)
	bus     *hat.I2C                                 // the I²C bus of the pins
	owner   func(path string) (pid int, name string) // the process that drives the HAT
	// consoleAt returns the framebuffer that shows the text console; it asks a framebuffer.
	consoleAt func(framebuffer int) (int, error)
	open      func(path string, flag int) error           // tries to open
	free      func(path string) (bytes uint64, err error) // free space on the disk of a folder
	write     func(path string) error                     // an error says why no file can be created in a folder
	status    func() (socket.Status, error)               // of the running service
}

// relative returns a path without its leading slash, for [fs.FS].
func relative(elements ...string) string { return strings.TrimPrefix(path.Join(elements...), "/") }

// text returns the text of a small file, without the newline at its end or, in the device tree,
// the zero byte.
func (m *machine) text(elements ...string) string {
	b, _ := fs.ReadFile(m.files, relative(elements...))
	return strings.TrimRight(string(b), "\x00\n")
}

// exists reports whether a file exists. A dangling link exists too.
func (m *machine) exists(path string) bool {
	_, err := fs.Lstat(m.files, relative(path))
	return err == nil
}

// set sets a fact without a text.
func (f facts) set(name string, holds bool) {
	if holds {
		f[name] = "yes"
	}
}

// facts collects the facts. The names of devices, processes and files may contain unprintable characters.
func (m *machine) facts() facts {
	f := facts{"linux": "yes", "socket": m.settings.Socket}
	m.board(f)
	m.service(f)
	m.hat(f)
	m.folder(f, "own", m.own)
	m.folder(f, "system", settings.SystemState)
	m.speech(f)
	for name, value := range f {
		f[name] = words.Clean(value)
	}
	return f
}

func (m *machine) board(f facts) {
	f["release"] = m.text("/proc/sys/kernel/osrelease")
	f["model"] = strings.Replace(m.model(), "no Raspberry", "not a Raspberry", 1)
	f.set("pi", strings.HasPrefix(f["model"], "Raspberry Pi"))
	if f["pi"] == "" && !strings.HasPrefix(f["model"], "not") {
		f["model"] += ", not a Raspberry Pi"
	}
	f["product"] = m.text("/proc/device-tree/hat/product")
	f.set("sense hat", strings.Contains(f["product"], "Sense HAT"))
	f["config.txt"] = "/boot/firmware/config.txt" // since Debian 12
	if !m.exists(f["config.txt"]) && m.exists("/boot/config.txt") {
		f["config.txt"] = "/boot/config.txt"
	}
	for line := range strings.Lines(m.text(f["config.txt"])) {
		f.set("configured", strings.HasPrefix(strings.ReplaceAll(line, " ", ""), "dtoverlay=rpi-sense"))
	}
}

// hat finds out whether the kernel or c4hat can drive the HAT, and who does.
func (m *machine) hat(f facts) {
	framebuffers, inputs := m.devices()
	matrix, screens := device(framebuffers, hat.MatrixName)
	joystick, others := device(inputs, hat.JoystickName)
	f.set("device", matrix != "" || joystick != "")
	f.set("both devices", matrix != "" && joystick != "")
	f.set("screen", screens != "")
	f["screens"], f["inputs"] = cmp.Or(screens, "there is no other"), cmp.Or(others, "there is no other")
	driver := m.drivers(f, matrix, joystick)

	// Probe the bus only on a Pi without a driver. A probe would disturb a driver, and on another kind
	// of machine any device may have the HAT's address.
	if f["pi"] != "" && f["device"] == "" && driver == "" {
		err := m.bus.Probe()
		f.set("hat answers", err == nil)
		f.set("no hat answers", errors.Is(err, hat.ErrGone))
		f.set("bus denied", errors.Is(err, hat.ErrPermission))
		f.set("no bus", err != nil)
		f.set("direct", err == nil && m.settings.I2C != "off")
	}
	holder, name := 0, ""
	switch {
	case matrix != "" && m.exists(matrix):
		f["matrix"] = matrix
		f.set("console", m.console(matrix))
		holder, name = m.owner(matrix)
	case f["direct"] != "":
		holder, name = m.owner(settings.DefaultBus)
	}
	if joystick != "" && m.exists(joystick) {
		f["joystick"] = joystick
	}
	if holder != 0 {
		f["pid"], f["holder"] = fmt.Sprint(holder), strings.TrimSuffix(fmt.Sprintf("process %d (%s)", holder, name), " ()")
	}
	f.set("ours", f["pid"] != "" && (f["pid"] == f["service pid"] || slices.Contains(strings.Fields(f["running"]), f["pid"])))
	f.set("free", (f["both devices"] != "" || f["direct"] != "") && (holder == 0 || f["ours"] != ""))
	if pid := m.python(matrix, joystick); pid != f["pid"] {
		f["python"] = pid
	}
	m.access(f)
}

// device returns the path of the first device with a name, or "", and a list of the others.
func device(all []hat.Device, name string) (found, others string) {
	var list []string
	for _, d := range all {
		if d.Name == name && found == "" {
			found = d.Path
		} else if d.Name != "" {
			list = append(list, path.Base(d.Path)+" is "+d.Name)
		}
	}
	return found, strings.Join(list, ", ")
}

// drivers finds the client that the HAT's overlay creates at address 0x46 of an I²C bus, and the drivers that
// are not loaded. It returns the client's driver. In rpi-sense-overlay.dts of Raspberry Pi's kernel the client is
// rpi-sense up to 6.6, then sensehat. The drivers are named after their files in drivers/mfd,
// drivers/video/fbdev and drivers/input/joystick there.
func (m *machine) drivers(f facts, matrix, joystick string) (driver string) {
	core, stick := "rpisense-core", "rpisense-js"
	entries, _ := fs.Glob(m.files, "sys/bus/i2c/devices/*-0046")
	for _, entry := range entries {
		if name := m.text(entry, "name"); name == "rpi-sense" || name == "sensehat" {
			to, _ := fs.ReadLink(m.files, entry+"/driver")
			f["client"], driver = path.Base(entry), strings.TrimPrefix(path.Base(to), ".")
			if name == "sensehat" {
				core, stick = "simple-mfd-i2c", "sensehat-joystick"
			}
		}
	}
	if f["both devices"] != "" {
		return driver
	}
	loaded := "\n" + m.text("/proc/modules")
	has := func(name string) bool { return strings.Contains(loaded, "\n"+strings.ReplaceAll(name, "-", "_")+" ") }
	var unloaded []string
	for _, part := range [][2]string{{core, driver}, {"rpisense-fb", matrix}, {stick, joystick}} {
		if part[1] == "" && !has(part[0]) {
			unloaded = append(unloaded, part[0])
		}
	}
	f["unloaded"] = strings.Join(unloaded, " ")
	f.set("unbound", driver == "" && has(core))
	f.set("modules removed", m.text("/lib/modules", f["release"], "modules.dep") == "")
	return driver
}

// console reports whether the kernel's text console draws on the matrix. Each vtcon is a console driver, and
// is bound while in use (Documentation/driver-api/console.rst). Who may not ask the kernel takes it to draw on
// framebuffer 0.
func (m *machine) console(matrix string) bool {
	entries, _ := fs.Glob(m.files, "sys/class/vtconsole/vtcon*")
	for _, entry := range entries {
		if strings.Contains(m.text(entry, "name"), "frame buffer device") && m.text(entry, "bind") == "1" {
			number, _ := strconv.Atoi(strings.TrimPrefix(matrix, "/dev/fb"))
			at, _ := m.consoleAt(number)
			return fmt.Sprint("/dev/fb", at) == matrix
		}
	}
	return false
}

// python finds a Python program that has one of the devices open. Its module sense_hat takes no lock:
// it keeps the joystick open, and writes to the matrix between other programs' pictures. Only root sees
// the programs of other users.
func (m *machine) python(devices ...string) (pid string) {
	names, _ := fs.Glob(m.files, "proc/[0-9]*/comm")
	for _, name := range names {
		if !strings.HasPrefix(m.text(name), "python") {
			continue
		}
		files, _ := fs.Glob(m.files, path.Dir(name)+"/fd/*")
		for _, file := range files {
			if to, _ := fs.ReadLink(m.files, file); to != "" && slices.Contains(devices, to) {
				return path.Base(path.Dir(name))
			}
		}
	}
	return ""
}

// access tries to open the devices. member means that the user is in their groups, but the session is older.
func (m *machine) access(f facts) {
	var denied []string
	member := true
	for _, d := range []struct {
		path, group string
		flag        int
	}{{f["matrix"], "video", os.O_RDWR}, {f["joystick"], "input", os.O_RDONLY}} {
		if d.path == "" {
			continue
		}
		if err := m.open(d.path, d.flag); errors.Is(err, fs.ErrPermission) {
			denied, member = append(denied, d.path), member && m.member(d.group)
		} else if err != nil {
			f["open error"] = err.Error()
		}
	}
	f["denied"] = strings.Join(denied, " and ")
	f.set("member", member)
}

// member reports whether the user is a member of a group in /etc/group (group(5)). Changes in it take effect
// at the next login.
func (m *machine) member(group string) bool {
	for line := range strings.Lines(m.text("/etc/group")) {
		if f := strings.Split(strings.TrimSpace(line), ":"); len(f) == 4 && f[0] == group {
			return slices.Contains(strings.Split(f[3], ","), m.user)
		}
	}
	return false
}

// service reads the state of c4hat.service from systemd's files, and asks it how it is.
func (m *machine) service(f facts) {
	f["configuration"], f["named"] = m.settings.Config, strings.TrimSpace(m.settings.FB+" "+m.settings.Stick)
	if f["configuration"] == "" && m.exists(settings.DefaultConfig) {
		f["configuration"] = settings.DefaultConfig
	}
	if m.mistake != nil {
		f["mistake"] = m.mistake.Error()
	}
	for _, dir := range []string{"/etc", "/usr/local/lib", "/usr/lib"} {
		booted := m.exists("/run/systemd/system") // sd_booted(3)
		f.set("installed", booted && m.exists(dir+"/systemd/system/c4hat.service"))
	}
	f.set("at boot", m.exists("/etc/systemd/system/multi-user.target.wants/c4hat.service"))
	f["running"] = strings.Join(strings.Fields(m.text("/sys/fs/cgroup/system.slice/c4hat.service/cgroup.procs")), " ")

	status, err := m.status()
	f.set("games", m.member("games"))
	f.set("silent", errors.Is(err, socket.ErrNoDaemon))
	f.set("refused", errors.Is(err, socket.ErrDenied))
	if err != nil {
		f["status error"] = err.Error()
		return
	}
	f["answers"], f["version"], f["service pid"] = "yes", status.Machine.Version, fmt.Sprint(status.Machine.PID)
	switch h := status.Machine; {
	case !h.Matrix && !h.Joystick:
		f["missing"] = "matrix and the joystick"
	case !h.Matrix:
		f["missing"] = "matrix"
	case !h.Joystick:
		f["missing"] = "joystick"
	}
}

// speech finds what c4hat speak uses.
func (m *machine) speech(f facts) {
	if m.exists("/usr/bin/espeak-ng") || m.exists("/usr/local/bin/espeak-ng") {
		f["engine"] = "espeak-ng"
	}
	if slices.ContainsFunc(speech.Sockets(m.env), m.exists) {
		f["engine"] = "speech-dispatcher"
	}
	// The first card, as in " 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones".
	first, _, _ := strings.Cut(m.text("/proc/asound/cards"), "\n")
	_, f["card"], _ = strings.Cut(first, " - ")
	f.set("voice", m.exists("/etc/systemd/system/c4hat.service.wants/c4hat-speech.service"))
}

// leastFree, in bytes, is enough for the match under way and for many finished matches.
const leastFree = 1 << 20

// folder examines a folder of matches. If it does not exist, the nearest existing parent tells of the disk.
func (m *machine) folder(f facts, name, folder string) {
	if folder == "" {
		return
	}
	_, err := fs.Stat(m.files, relative(folder))
	nearest := folder
	for !m.exists(nearest) && nearest != "/" {
		nearest = path.Dir(nearest)
	}
	f[name] = folder
	f.set(name+" missing", errors.Is(err, fs.ErrNotExist))
	f.set(name+" closed", errors.Is(err, fs.ErrPermission))
	f.set(name+" damaged", m.exists(path.Join(folder, "match.jsonl.bad")))
	err = m.write(nearest)
	f.set(name+" locked", err != nil)
	f.set(name+" read-only", errors.Is(err, unix.EROFS))
	free, err := m.free(nearest)
	f.set(name+" full", err == nil && free < leastFree)
	if f[name+" free"] = fmt.Sprintf("%d MiB", free>>20); free < 10<<20 {
		f[name+" free"] = fmt.Sprintf("%d KiB", free>>10)
	}
}

// tryOpen opens and closes a device, which changes nothing.
func tryOpen(path string, flag int) error {
	f, err := os.OpenFile(path, flag|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func freeSpace(path string) (bytes uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}

// tryWrite returns nil if a file can be created in a folder, else the reason why not.
func tryWrite(path string) error { return unix.Access(path, unix.W_OK|unix.X_OK) }
