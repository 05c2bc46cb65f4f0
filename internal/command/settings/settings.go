// Package settings has the settings that commands share, in one table: each is a flag, and most are keys
// of the configuration file too.
package settings

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/front/speech"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/spf13/pflag"
)

const (
	// DefaultConfig is the configuration file if no other is given. It may be missing.
	DefaultConfig = "/etc/c4hat/config.toml"
	// DefaultSocket is the socket of the service.
	DefaultSocket = "/run/c4hat/c4hat.sock"
	// DefaultBus is the I²C bus of the 40 pins.
	DefaultBus = "/dev/i2c-1"
	// SystemState is the folder of the service's matches.
	SystemState = "/var/lib/c4hat"
	// WebState is the folder of the web service, c4hat-web.
	WebState = "/var/lib/c4hat-web"
)

// Settings are the values of the settings. Those without a flag in a command keep their default.
type Settings struct {
	Seed     uint64
	Position string // moves that start the first round; not in the table
	Usual    levels.Level
	rules    board.Rules
	points   int
	first    string       // empty if neither a flag nor the file sets it
	level    levels.Level // 0 if neither a flag nor the file sets it
	idle     time.Duration

	FB, Stick, I2C string   // paths; I2C may be "off"
	bus            *hat.I2C // nil before Bus opens it
	rotate         string
	brightness     int // 0: it follows the room
	Palette        string

	Speech    speech.Options
	Verbosity string

	Display string
	Socket  string
	State   string // folder of the matches; empty: the user's own
	Config  string // empty: DefaultConfig
}

// New returns the default settings.
func New() *Settings {
	return &Settings{
		Seed: rand.Uint64(), Usual: levels.Beginner, rules: board.Standard, points: 2, idle: 10 * time.Minute,
		rotate: "0", brightness: hatpanel.Full, Palette: hatpanel.Classic,
		Speech:    speech.Options{Engine: speech.Engines[0], Rate: speech.Usual, Language: "en"},
		Verbosity: "short", Display: "auto", Socket: DefaultSocket,
	}
}

// Names of settings that several commands share.
const (
	Rules   = "board connect "
	Terms   = Rules + "points first "
	Menu    = Terms + "idle seed level "
	HAT     = "fb stick i2c rotate brightness palette "
	Speech  = "engine rate voice language verbosity "
	Service = "socket config "
	Places  = "state " + Service
	Daemon  = Menu + HAT + Places
)

// setting is a flag. If it belongs to a table of the configuration file, it is a key there too, with the same
// name, meaning, values and default.
type setting struct {
	table, name, usage string
	value              func(*Settings) *Value
}

var table = []setting{
	{"game", "board", "size of the board, up to 8x8", func(s *Settings) *Value { return Size(&s.rules) }},
	{"game", "connect", "discs in a line that win, 2 to 8", func(s *Settings) *Value { return Number(&s.rules.Connect, 2, board.MaxSide) }},
	{"game", "points", "points that win the match, 1 to 3", func(s *Settings) *Value { return Number(&s.points, 1, match.MaxPoints) }},
	{"game", "first", "who starts each round: red, yellow (blue on an 8x8 board), alternate, loser or random", func(s *Settings) *Value { return first(&s.first) }},
	{"game", "level", "the computer's level, with which the menu begins", func(s *Settings) *Value { return Level(&s.level, s.Usual) }},
	{"game", "idle", "turn the screen off after this idle time, 0 for never", func(s *Settings) *Value { return Duration(&s.idle) }},
	{"screen", "rotate", "rotate by 90, 180 or 270 degrees; auto uses the accelerometer when the LEDs light up", func(s *Settings) *Value { return Choice(&s.rotate, "0", "90", "180", "270", "auto") }},
	{"screen", "brightness", "brightness of the LEDs, 1 to 100; auto fits the room's light (Sense HAT V2)", func(s *Settings) *Value { return brightness(&s.brightness) }},
	{"screen", "palette", "colours: classic, colourblind or night, which is dim, with yellow for blue", func(s *Settings) *Value { return Choice(&s.Palette, hatpanel.Palettes()...) }},
	{"speech", "engine", "what speaks: speech-dispatcher, espeak-ng or lines, which are printed; auto is the first that works", func(s *Settings) *Value { return Choice(&s.Speech.Engine, speech.Engines...) }},
	{"speech", "rate", "words a minute, 80 to 450", func(s *Settings) *Value { return Number(&s.Speech.Rate, speech.Slowest, speech.Fastest) }},
	{"speech", "voice", "the engine's `NAME` of a voice (default: the language's)", func(s *Settings) *Value { return voice(&s.Speech.Voice) }},
	{"speech", "language", "`CODE` of the voice's language, as in en or en-gb; the sentences stay English", func(s *Settings) *Value { return voice(&s.Speech.Language, "en", "en-gb", "en-us") }},
	{"speech", "verbosity", "how much is said", func(s *Settings) *Value { return Choice(&s.Verbosity, "short", "full") }},
	{"machine", "display", "terminal draws the board, plain writes sentences for a screen reader; auto draws if it can", func(s *Settings) *Value { return Choice(&s.Display, "auto", "terminal", "plain") }},
	{"machine", "fb", "the matrix's device `PATH` (default: found by name)", func(s *Settings) *Value { return file(&s.FB) }},
	{"machine", "stick", "the joystick's device `PATH` (default: found by name)", func(s *Settings) *Value { return file(&s.Stick) }},
	{"machine", "i2c", "I2C bus `PATH` for a HAT without kernel drivers (default " + DefaultBus + "), or off", func(s *Settings) *Value { return bus(&s.I2C) }},
	{"machine", "socket", "`PATH` of the service's socket", func(s *Settings) *Value { return file(&s.Socket) }},
	{"", "state", "`FOLDER` of the saved matches", func(s *Settings) *Value { return file(&s.State) }},
	{"", "config", "configuration `FILE` (default " + DefaultConfig + ")", func(s *Settings) *Value { return file(&s.Config) }},
	{"", "seed", "random seed", func(s *Settings) *Value { return Seed(&s.Seed) }},
}

// Add adds flags to those of a command. names are separated by spaces. If the command line names the socket,
// a command that could work without the service fails if the service does not answer.
func (s *Settings) Add(flags *pflag.FlagSet, names string) {
	for name := range strings.FieldsSeq(names) {
		i := slices.IndexFunc(table, func(x setting) bool { return x.name == name })
		flags.Var(table[i].value(s), name, table[i].usage)
	}
}

// Own returns the folder of matches that are played without the service: State if it is set, else
// the folder that follows from the XDG Base Directory Specification. Own returns an empty path if
// the user has no home folder.
func (s *Settings) Own() string {
	if s.State != "" {
		return s.State
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
