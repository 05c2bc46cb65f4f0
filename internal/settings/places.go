package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/internal/light"
	"github.com/spf13/pflag"
)

const (
	// DefaultSocket is the socket of the service.
	DefaultSocket = "/run/c4hat/c4hat.sock"
	// SystemState is the folder of the service's matches.
	SystemState = "/var/lib/c4hat"
	// WebState is the folder of the web service, c4hat-web.
	WebState = "/var/lib/c4hat-web"
)

// Places has the paths of the service's socket, the matches and the configuration, and the palette.
type Places struct {
	Socket string
	State  string // empty: the user's own folder
	Config string // empty: DefaultConfig

	palette string
}

// Add adds the flags of all places.
func (p *Places) Add(flags *pflag.FlagSet) {
	flags.StringVar(&p.State, "state", p.State, "`FOLDER` of the saved matches")
	p.AddSocket(flags)
}

// AddSocket adds the flags of a command that needs only the service. If the command line names the
// socket, a command that could work without the service fails if the service does not answer.
func (p *Places) AddSocket(flags *pflag.FlagSet) {
	flags.StringVar(&p.Socket, "socket", DefaultSocket, "`PATH` of the service's socket")
	flags.StringVar(&p.Config, "config", "", "configuration `FILE` (default "+DefaultConfig+")")
}

// AddPalette adds the flag of a command that shows pictures.
func (p *Places) AddPalette(flags *pflag.FlagSet) {
	p.palette = light.Classic
	palettes := light.Palettes()
	others := slices.DeleteFunc(slices.Clone(palettes), func(name string) bool { return name == light.Night })
	flags.Var(Choice(&p.palette, palettes...), "palette", "colours: "+strings.Join(others, ", ")+" or "+light.Night+", which is dim, with yellow for blue")
}

// Picture returns the colours of a picture in a terminal, which has a brightness of its own.
func (p *Places) Picture() *light.Colours { return light.New(p.palette, light.Full) }

// Read adds what the configuration file says to the places that the flags have set.
func (p *Places) Read(flags *pflag.FlagSet) error { return readConfig(p.Config, flags) }

// Own returns the folder of matches that are played without the service: State if it is set, else
// the folder that follows from the XDG Base Directory Specification. Own returns an empty path if
// the user has no home folder.
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
