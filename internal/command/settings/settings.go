// Package settings has the settings that commands share, in one table: each is a flag, and most are keys
// of the configuration file too.
package settings

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/front/speech"
	"github.com/c4hat/c4hat/internal/game"
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
	Usual    match.Level
	rules    board.Rules
	points   int
	first    string      // empty if neither a flag nor the file sets it
	level    match.Level // 0 if neither a flag nor the file sets it
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
		Seed: rand.Uint64(), Usual: match.Beginner, rules: board.Standard, points: 2, idle: 10 * time.Minute,
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
	value              *Value
}

func (s *Settings) table() []setting {
	return []setting{
		{"game", "board", "size of the board, up to 8x8", Size(&s.rules)},
		{"game", "connect", "discs in a line that win, 2 to 8", Number(&s.rules.Connect, 2, board.MaxSide)},
		{"game", "points", "points that win the match, 1 to 3", Number(&s.points, 1, match.MaxPoints)},
		{"game", "first", "who starts each round: red, yellow (blue on an 8x8 board), alternate, loser or random", first(&s.first)},
		{"game", "level", "the computer's level", Level(&s.level, s.Usual)},
		{"game", "idle", "turn the LEDs off after this idle time, 0 for never", Duration(&s.idle)},
		{"screen", "rotate", "rotate by 90, 180 or 270 degrees; auto uses the accelerometer when the LEDs light up", Choice(&s.rotate, "0", "90", "180", "270", "auto")},
		{"screen", "brightness", "brightness of the LEDs, 1 to 100; auto fits the room's light (Sense HAT V2)", brightness(&s.brightness)},
		{"screen", "palette", "colours: classic, colourblind, or night (dim; blue shows as yellow)", Choice(&s.Palette, hatpanel.Palettes()...)},
		{"speech", "engine", "what speaks: speech-dispatcher, espeak-ng or lines, which are printed; auto is the first that works", Choice(&s.Speech.Engine, speech.Engines...)},
		{"speech", "rate", "words a minute, 80 to 450", Number(&s.Speech.Rate, speech.Slowest, speech.Fastest)},
		{"speech", "voice", "voice `NAME` of the engine (default: by language)", String(&s.Speech.Voice)},
		{"speech", "language", "`CODE` of the voice's language, as in en or en-gb; the sentences stay English", String(&s.Speech.Language, "en", "en-gb", "en-us")},
		{"speech", "verbosity", "how much is said", Choice(&s.Verbosity, "short", "full")},
		{"machine", "display", "terminal draws the board, plain writes sentences for a screen reader; auto draws if it can", Choice(&s.Display, "auto", "terminal", "plain")},
		{"machine", "fb", "the matrix's device `PATH` (default: found by name)", file(&s.FB)},
		{"machine", "stick", "the joystick's device `PATH` (default: found by name)", file(&s.Stick)},
		{"machine", "i2c", "I2C bus `PATH` for a HAT without kernel drivers (default " + DefaultBus + "), or off", file(&s.I2C, DefaultBus, "off\tonly the kernel's drivers")},
		{"machine", "socket", "`PATH` of the service's socket", file(&s.Socket)},
		{"", "state", "`FOLDER` of the saved matches", file(&s.State)},
		{"", "config", "configuration `FILE` (default " + DefaultConfig + ")", file(&s.Config)},
		{"", "seed", "random seed", Seed(&s.Seed)},
	}
}

// Add adds flags to those of a command. names are separated by spaces. If the command line names the socket,
// a command that could work without the service fails if the service does not answer.
func (s *Settings) Add(flags *pflag.FlagSet, names string) {
	table := s.table()
	for name := range strings.FieldsSeq(names) {
		x := table[slices.IndexFunc(table, func(x setting) bool { return x.name == name })]
		flags.Var(x.value, name, x.usage)
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

// Rules returns the rules of the board.
func (s *Settings) Rules() (board.Rules, error) {
	if !s.rules.Winnable() {
		return s.rules, cli.Usagef("nobody can get %d in a line on %v: a match could never end; use a smaller --connect or a larger --board", s.rules.Connect, Size(&s.rules))
	}
	return s.rules, nil
}

// Level returns the computer's level.
func (s *Settings) Level() match.Level { return cmp.Or(s.level, s.Usual) }

// Match reads the configuration file, and returns the match that the settings describe.
func (s *Settings) Match(flags *pflag.FlagSet) (c game.Config, err error) {
	if err = s.Read(flags); err == nil {
		_, err = s.Rules()
	}
	if err != nil {
		return c, err
	}
	c = game.Config{
		Setup: game.Setup{Rules: s.rules, Points: s.points, Opening: s.Position},
		Idle:  s.idle, Seed: s.Seed, MenuLevel: s.level, LastFirst: s.first == "",
	}
	first := strings.Replace(cmp.Or(s.first, usualFirst), "blue", "yellow", 1) // blue is yellow on an 8x8 board
	if c.First, err = board.ParseFirst(first); err == nil {
		err = c.Check() // of all together: a flag checks only its own value
	}
	if err != nil {
		return c, cli.Usage(err)
	}
	return c, nil
}

// Reread reads the configuration file again for the service, whose command line still overrides it.
func (s *Settings) Reread(commandLine *pflag.FlagSet) (again *Settings, c game.Config, err error) {
	again = New()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	again.Add(flags, Daemon)
	commandLine.Visit(func(f *pflag.Flag) {
		if flags.Lookup(f.Name) != nil {
			_ = flags.Set(f.Name, f.Value.String()) // no error: the value was accepted before
		}
	})
	c, err = again.Match(flags)
	again.I2C, again.bus = s.I2C, s.Bus() // the bus changes only at a restart
	return again, c, err
}
