package main

import (
	"context"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"periph.io/x/conn/v3/i2c"
)

func newDoctor() *cobra.Command {
	var p settings.Places
	asJSON := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is missing for the HAT to work here, and what mends it",
		Long: `Look at everything that the Sense HAT needs on this machine, from the board to the
service, and say what is missing and the command that mends it. Nothing is changed.

What stands in the way is marked, with the command below it. Do the first, then look
again: the rest often follows. As root, with sudo, it sees more.

The exit status is 1 if something stands in the way.`,
		Example: `  c4hat doctor                 what is missing, and what mends it
  sudo c4hat doctor            the same, seeing more
  c4hat doctor --json >file    to send with a report
  c4hat doctor --json | jq '.findings[] | select(.state == "bad")'`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			facts := newPatient(cmd, &p).examine()
			if cmd.Context().Err() != nil { // somebody did not wait for the daemon
				return context.Cause(cmd.Context())
			}
			return tell(cmd.OutOrStdout(), diagnose(looks(), facts), asJSON)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&asJSON, "json", false, "as an object, for programs")
	p.Add(cmd.Flags())
	return cmd
}

// patient is the machine that is looked at. What the kernel and the system show as
// files is read below root, the rest through functions: tests have both.
type patient struct {
	root   string
	os     string
	model  func() string                               // of the board
	bus    func() (i2c.BusCloser, error)               // of the pins
	open   func(path string, flag int) (int, error)    // tries to, and gives the file's group
	owner  func(path string) (pid int, name string)    // who has the matrix
	gamma  func(path string) ([32]byte, error)         // of its driver
	stat   func(path string) (fs.FileInfo, error)      // of a folder of matches, or in it
	free   func(path string) (bytes uint64, err error) // of the disk
	write  func(path string) error                     // says why nothing can be made in the folder
	status func() (control.Status, error)              // of the daemon

	user   string
	groups []int // of this session
	config configured
	socket string
	own    string // folder of the user's own matches, empty where there is none
}

// configured is what the configuration says of the HAT's devices.
type configured struct {
	path    string
	devices string
	off     bool // the HAT is not to be driven without the kernel's drivers
	err     error
}

// newPatient is this machine.
func newPatient(cmd *cobra.Command, p *settings.Places) *patient {
	config := configuredBy(p, cmd.Flags())
	m := &patient{
		root: "/", os: runtime.GOOS,
		model: pi.Model, bus: func() (i2c.BusCloser, error) { return pi.OpenBus(pi.Bus) }, owner: hat.LockOwner, gamma: hat.Gamma,
		open: tryOpen, stat: os.Stat, free: freeSpace, write: tryWrite,
		user: os.Getenv("USER"), config: config, socket: p.Socket, own: p.Own(),
	}
	m.status = func() (control.Status, error) {
		client := control.Dial(m.socket)
		defer client.Close()
		return client.Status(cmd.Context())
	}
	if u, err := user.Current(); err == nil {
		m.user = u.Username
	}
	m.groups, _ = os.Getgroups()
	m.groups = append(m.groups, os.Getegid())
	if dir, err := filepath.Abs(m.own); err == nil && m.own != "" {
		m.own = dir
	}
	return m
}

// configured reads the configuration as the daemon does, which ends over any of its
// values that is wrong. For the doctor that is something to tell of.
func configuredBy(p *settings.Places, flags *pflag.FlagSet) configured {
	s := settings.New()
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.AddDaemon(all)
	s.Config = p.Config
	_, err := s.Read(all)
	if !flags.Changed("socket") {
		p.Socket = s.Socket
	}
	c := configured{p.Config, s.Devices(), s.NoI2C(), err}
	if _, missing := os.Stat(settings.DefaultConfig); c.path == "" && (missing == nil || err != nil) {
		c.path = settings.DefaultConfig
	}
	return c
}

// at is where a path of the machine is read.
func (m *patient) at(path string) string { return filepath.Join(m.root, path) }
