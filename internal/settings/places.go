package settings

import (
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
)

const (
	// DefaultSocket is the socket of the service.
	DefaultSocket = "/run/c4hat/c4hat.sock"
	// SystemState is the folder of the service's matches.
	SystemState = "/var/lib/c4hat"
	// WebState is the folder of the service for browsers.
	WebState = "/var/lib/c4hat-web"
)

// Places are where the service is, and where matches are kept.
type Places struct {
	Socket string
	State  string // empty: the user's own folder
	Config string // empty: DefaultConfig

	// SocketNamed reports whether the command line names the socket: then nothing else may
	// stand in for a service that does not answer. Set by Read.
	SocketNamed bool
}

// Add adds the flags of all places.
func (p *Places) Add(flags *pflag.FlagSet) {
	flags.StringVar(&p.State, "state", p.State, "`FOLDER` of the saved matches")
	p.AddSocket(flags)
}

// AddSocket adds the flags of a command that needs only the service.
func (p *Places) AddSocket(flags *pflag.FlagSet) {
	flags.StringVar(&p.Socket, "socket", DefaultSocket, "`PATH` of the service's socket")
	flags.StringVar(&p.Config, "config", "", "configuration `FILE` (default "+DefaultConfig+")")
}

// Read completes the places from the configuration file.
func (p *Places) Read(flags *pflag.FlagSet) error {
	p.SocketNamed = flags.Changed("socket")
	return readConfig(p.Config, flags)
}

// Own returns the folder of matches that are played without the service: that of the XDG Base
// Directory Specification unless State is set. It is empty without a home.
func (p *Places) Own() string {
	if p.State != "" {
		return p.State
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "c4hat")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "c4hat")
}
