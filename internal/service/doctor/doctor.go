// Package doctor checks what the Sense HAT needs on a machine. It collects facts, tables turn the
// facts into findings, and the findings make up a report. It changes nothing on the machine.
package doctor

import (
	"context"
	"io/fs"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/service/pi"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/spf13/pflag"
	"periph.io/x/conn/v3/i2c"
)

// Examine checks this machine. flags has the flags that p.Add adds. Examine waits for the service's
// answer at most until the context ends.
func Examine(ctx context.Context, p *settings.Settings, flags *pflag.FlagSet) Report {
	return diagnose(thisMachine(ctx, p, flags).facts())
}

type machine struct {
	os      string
	files   fs.FS // the root file system
	model   func() string
	devices func() (framebuffers, inputs []hat.Device)
	bus     *hat.I2C                                 // the I²C bus of the pins
	owner   func(path string) (pid int, name string) // the process that drives the HAT
	gamma   func(path string) ([32]byte, error)
	// consoleAt returns the framebuffer that shows the text console; it asks a framebuffer.
	consoleAt func(framebuffer int) (int, error)
	open      func(path string, flag int) error           // tries to open
	stat      func(path string) (fs.FileInfo, error)      // for folders of matches, and files in them
	free      func(path string) (bytes uint64, err error) // free space on the disk of a folder
	write     func(path string) error                     // an error says why no file can be created in a folder
	status    func() (socket.Status, error)               // of the running service
	env       func(name string) string

	user          string
	configuration configuration
	socket        string
	own           string // folder of the user's own matches, empty if there is none
}

func thisMachine(ctx context.Context, p *settings.Settings, flags *pflag.FlagSet) *machine {
	configuration := readConfiguration(p, flags)
	m := &machine{
		os: runtime.GOOS, files: os.DirFS("/"), model: pi.Model,
		devices: hat.Devices, owner: hat.LockOwner, gamma: hat.Gamma, consoleAt: pi.ConsoleAt,
		bus:  &hat.I2C{Device: pi.Bus, Open: func() (i2c.BusCloser, error) { return pi.OpenBus(pi.Bus) }},
		open: tryOpen, stat: os.Stat, free: freeSpace, write: tryWrite,
		status: func() (socket.Status, error) {
			client := socket.Dial(p.Socket)
			defer client.Close()
			return client.Status(ctx)
		},
		env: os.Getenv, user: os.Getenv("USER"), configuration: configuration, socket: p.Socket, own: p.Own(),
	}
	if u, err := user.Current(); err == nil {
		m.user = u.Username
	}
	if dir, err := filepath.Abs(m.own); err == nil && m.own != "" {
		m.own = dir
	}
	return m
}

// configuration is what the configuration says about the HAT's devices.
type configuration struct {
	path    string // empty if there is no file
	devices string
	noI2C   bool // the HAT must not be driven without kernel drivers
	err     error
}

// readConfiguration reads the configuration as the service does, and sets the path of the socket in
// p. With a mistake in the configuration the service does not start, so the mistake is reported.
func readConfiguration(p *settings.Settings, flags *pflag.FlagSet) configuration {
	s := settings.New()
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Add(all, settings.Daemon)
	s.Config = p.Config
	_, err := s.Match(all)
	if !flags.Changed("socket") {
		p.Socket = s.Socket
	}
	c := configuration{p.Config, strings.TrimSpace(s.FB + " " + s.Stick), s.I2C == "off", err}
	if _, missing := os.Stat(settings.DefaultConfig); c.path == "" && (missing == nil || err != nil) {
		c.path = settings.DefaultConfig
	}
	return c
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
