// Package settings reads settings from flags and from the configuration file: those of the
// match and of the HAT, and the paths of sockets and folders.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/quote"
	"github.com/c4hat/c4hat/internal/speech"
	"github.com/spf13/pflag"
	"periph.io/x/conn/v3/i2c"
)

// Settings describes the match, and the devices and paths of the machine.
type Settings struct {
	Position string // moves that start the first round
	Seed     uint64

	rules  board.Rules
	points int
	first  string // empty if neither a flag nor the file sets it
	idle   time.Duration

	fb, stick, i2c string
	bus            *hat.I2C // nil before Bus opens it
	rotate         string
	level          levels.Level // 0 until a flag or the configuration sets it
	brightness     int
	follows        bool // the brightness follows the room

	vsCPU bool
	cpu   string // the computer's colour

	Places
}

// New returns the default settings.
func New() *Settings {
	return &Settings{
		rules: board.Standard, points: 2, idle: 10 * time.Minute, Seed: rand.Uint64(),
		rotate: "0", brightness: light.Full,
	}
}

// AddDisplay adds --display, at first auto.
func AddDisplay(p *string, flags *pflag.FlagSet) {
	*p = "auto"
	flags.Var(Choice(p, "auto", "terminal", "plain"), "display", "terminal draws the board, plain writes sentences; auto draws if it can")
}

// AddPlain adds --display to a command that shows a match or a game, so that plain can be set for all.
func AddPlain(p *string, flags *pflag.FlagSet) {
	AddDisplay(p, flags)
	flags.Lookup("display").Usage = "plain prints sentences for a screen reader"
}

// Speech says how c4hat speak speaks.
type Speech struct {
	speech.Options
	verbosity string
}

// Add adds the flags, at their defaults.
func (s *Speech) Add(flags *pflag.FlagSet) {
	*s = Speech{speech.Options{Engine: speech.Engines[0], Rate: speech.Usual, Language: "en"}, "short"}
	flags.Var(Choice(&s.Engine, speech.Engines...), "engine", "what speaks: speech-dispatcher, espeak-ng or lines, which are printed; auto is the first that works")
	flags.Var(Number(&s.Rate, speech.Slowest, speech.Fastest), "rate", "words a minute, 80 to 450")
	flags.Var(Name(&s.Voice), "voice", "the engine's `NAME` of a voice (default: the language's)")
	flags.Var(Name(&s.Language, "en", "en-gb", "en-us"), "language", "`CODE` of the voice's language, as in en or en-gb; the sentences stay English")
	flags.Var(Choice(&s.verbosity, "short", "full"), "verbosity", "how much is said")
}

// Brief reports whether few words are wanted.
func (s *Speech) Brief() bool { return s.verbosity == "short" }

func (s *Settings) AddMatch(flags *pflag.FlagSet) {
	s.AddTerms(flags)
	flags.Var(Duration(&s.idle), "idle", "turn the screen off after this idle time, 0 for never")
	s.AddSeed(flags)
}

// AddMenu adds the flags of AddMatch, and the level with which the menu begins.
func (s *Settings) AddMenu(flags *pflag.FlagSet) {
	s.AddMatch(flags)
	flags.Var(Level(&s.level, levels.Beginner), "level", "the computer's level in the menu, until another is played, and with --vs-cpu")
}

// AddTerms adds the flags for the rules, for the points, and for who starts.
func (s *Settings) AddTerms(flags *pflag.FlagSet) {
	s.AddRules(flags)
	flags.Var(Number(&s.points, 1, game.MaxPoints), "points", "points that win the match, 1 to 3")
	first := Choice(&s.first, "red", "yellow", "blue", "alternate", "loser", "random")
	first.text = func() string { return cmp.Or(s.first, usualFirst) }
	flags.Var(first, "first", "who starts each round: red, yellow (blue on an 8x8 board), alternate, loser or random")
}

const usualFirst = "alternate"

func (s *Settings) AddRules(flags *pflag.FlagSet) {
	flags.Var(Size(&s.rules), "board", "size of the board, up to 8x8")
	flags.Var(Number(&s.rules.Connect, 2, board.MaxSide), "connect", "discs in a line that win, 2 to 8")
}

func (s *Settings) AddSeed(flags *pflag.FlagSet) { flags.Var(Seed(&s.Seed), "seed", "random seed") }

// Rules returns the rules that the flags of [Settings.AddRules] describe.
func (s *Settings) Rules() (board.Rules, error) {
	if !s.rules.Winnable() {
		return s.rules, cli.Usagef("nobody can get %d in a line on %v: a match could never end; use a smaller --connect or a larger --board", s.rules.Connect, Size(&s.rules))
	}
	return s.rules, nil
}

func (s *Settings) AddHAT(flags *pflag.FlagSet) {
	flags.StringVar(&s.fb, "fb", "", "the matrix's device `PATH` (default: found by name)")
	flags.StringVar(&s.stick, "stick", "", "the joystick's device `PATH` (default: found by name)")
	flags.Var(bus(&s.i2c), "i2c", "I2C bus `PATH` for a HAT without kernel drivers (default "+pi.Bus+"), or off")
	flags.Var(Choice(&s.rotate, "0", "90", "180", "270", "auto"), "rotate", "rotate by 90, 180 or 270 degrees; auto uses the accelerometer when the LEDs light up")
	flags.Var(orAuto(Number(&s.brightness, light.Least, light.Full), &s.follows), "brightness", "brightness of the LEDs, 1 to 100; auto fits the room's light (Sense HAT V2)")
	s.AddPalette(flags)
}

func (s *Settings) AddDaemon(flags *pflag.FlagSet) {
	s.State = SystemState
	s.AddMenu(flags)
	s.AddHAT(flags)
	s.Places.Add(flags)
}

// HAT returns the options for opening the HAT.
func (s *Settings) HAT() *hat.Opts {
	return &hat.Opts{Framebuffer: s.fb, Joystick: s.stick, I2C: s.Bus(), Rotate: s.Degrees()}
}

// Emulator returns the options for opening the emulator. Only the command line can name the
// emulator's files: the devices in the configuration are a HAT's.
func (s *Settings) Emulator(flags *pflag.FlagSet) *hat.Opts {
	o := &hat.Opts{Rotate: s.Degrees()}
	if flags.Changed("fb") {
		o.Framebuffer = s.fb
	}
	if flags.Changed("stick") {
		o.Joystick = s.stick
	}
	return o
}

// Bus returns the I²C bus for a HAT without kernel drivers, or nil if no bus may be used. It always
// returns the same bus, because a bus counts its errors.
func (s *Settings) Bus() *hat.I2C {
	device := s.i2c
	if s.bus != nil || device == "off" {
		return s.bus
	}
	if device == "" {
		if !pi.Is() { // on another machine's bus any device may have the HAT's address
			return nil
		}
		device = pi.Bus
	}
	s.bus = &hat.I2C{Device: device, Open: func() (i2c.BusCloser, error) { return pi.OpenBus(device) }}
	return s.bus
}

// Upright returns a function that reads the rotation of the HAT from the accelerometer, in
// degrees. If rotate is not auto, Upright returns nil.
func (s *Settings) Upright() func() (degrees int, err error) {
	if s.rotate != "auto" {
		return nil
	}
	return sensor(s.Bus(), "accelerometer", "rotate", (*hat.I2C).Rotation)
}

// Room returns a function that reads the light of the room, and the palette. If brightness is not
// auto, the function is nil.
func (s *Settings) Room() (ask func() (room float64, err error), palette string) {
	if !s.follows {
		return nil, ""
	}
	ask = sensor(s.Bus(), "light sensor", "brightness", (*hat.I2C).Light)
	return ask, s.palette
}

// sensor returns a function that reads a sensor on a bus, which may be nil. Its errors say how to do
// without the sensor.
func sensor[T any](bus *hat.I2C, name, setting string, read func(*hat.I2C) (T, error)) func() (T, error) {
	if bus == nil {
		return func() (T, error) {
			return *new(T), fmt.Errorf("there is no I²C bus to read the %s: set i2c, or set %s to a number", name, setting)
		}
	}
	return func() (T, error) {
		value, err := read(bus)
		if err != nil {
			err = fmt.Errorf("%w; or set %s to a number", err, setting)
		}
		return value, err
	}
}

// Degrees returns the initial rotation of the picture and the joystick, in degrees.
func (s *Settings) Degrees() int {
	degrees, _ := strconv.Atoi(s.rotate) // a number, or auto
	return degrees
}

// Colours returns those of the palette at the brightness. A brightness that follows the room begins
// in the middle.
func (s *Settings) Colours() *light.Colours {
	if s.follows {
		return light.New(s.palette, light.Full/2)
	}
	return light.New(s.palette, s.brightness)
}

// Devices returns the device paths in the settings, separated by spaces, for messages to the user.
func (s *Settings) Devices() string { return strings.TrimSpace(s.fb + " " + s.stick) }

// NoI2C reports whether the settings forbid driving the HAT over I²C, without kernel drivers.
func (s *Settings) NoI2C() bool { return s.i2c == "off" }

// Read completes the settings from the configuration file and returns the match that they
// describe.
func (s *Settings) Read(flags *pflag.FlagSet) (game.Config, error) {
	if err := s.Places.Read(flags); err != nil {
		return game.Config{}, err
	}
	c, err := s.game(flags.Changed("first"))
	if !s.rules.Winnable() && !flags.Changed("board") && !flags.Changed("connect") {
		err = cli.Usagef("%s: %w", cmp.Or(s.Config, DefaultConfig), err)
	}
	return c, err
}

// Checked returns a sentence that says which settings were read and are valid.
func (s *Settings) Checked() string {
	name := cmp.Or(s.Config, DefaultConfig)
	if _, err := os.Stat(name); err != nil {
		return fmt.Sprintf("%s does not exist: the defaults apply, and all settings are valid", name)
	}
	return name + ": all settings are valid"
}

// Reread reads the configuration file again; the flags on the service's command line still override
// it. restart reports whether some change takes effect only after a restart.
func (s *Settings) Reread(commandLine *pflag.FlagSet) (again *Settings, c game.Config, restart bool, err error) {
	again = New()
	again.bus = s.Bus() // the bus changes only at a restart
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	again.AddDaemon(flags)
	commandLine.Visit(func(f *pflag.Flag) {
		if flags.Lookup(f.Name) != nil && f.Name != "seed" { // the seed is used only at the start
			_ = flags.Set(f.Name, f.Value.String()) // no error: the value was accepted before
		}
	})
	c, err = again.Read(flags)
	restart = again.fb != s.fb || again.stick != s.stick || again.i2c != s.i2c || again.Socket != s.Socket
	return again, c, restart, err
}

// game returns the configuration of the match. If strict is true, --first must use the name that
// the second player has on the board, yellow or blue.
func (s *Settings) game(strict bool) (game.Config, error) {
	rules, noLine := s.Rules()
	first := cmp.Or(s.first, usualFirst)
	if first == "yellow" || first == "blue" {
		if second := rules.Name(board.Yellow); strict && first != second {
			return game.Config{}, cli.Usagef("--first %s: on %v the players are red and %s", first, Size(&s.rules), second)
		}
		first = "yellow"
	}
	rule, err := board.ParseFirst(first)
	if err != nil {
		return game.Config{}, cli.Usage(err)
	}
	c := game.Config{
		Setup: game.Setup{Rules: rules, Points: s.points, First: rule, Opening: s.Position},
		Idle:  s.idle, Seed: s.Seed, MenuLevel: s.level, LastFirst: s.first == "",
	}
	// Check the settings together: a flag checks only its own value.
	var move *board.MoveError
	switch err := c.Check(); {
	case errors.Is(err, game.ErrNoLine):
		return c, noLine
	case errors.Is(err, game.ErrOpening):
		return c, cli.Usagef("--position %s: these moves end the round; leave out the last one", s.Position)
	case errors.As(err, &move):
		return c, cli.Usagef("--position %s: move %d, %q: %s", quote.Short(s.Position), move.Move, move.Rune, move.Reason())
	case err != nil:
		return c, cli.Usage(err)
	}
	return c, nil
}

// AddOpponent adds the flags for a match against the computer.
func (s *Settings) AddOpponent(flags *pflag.FlagSet) {
	flags.BoolVar(&s.vsCPU, "vs-cpu", false, "play against the computer")
	flags.Var(Level(&s.level, levels.Usual), "level", "the computer's level")
	s.cpu = "yellow"
	flags.Var(Choice(&s.cpu, "red", "yellow", "blue"), "cpu", "the computer's colour; on an 8x8 board blue replaces yellow")
}

// Join adds the computer to the match if a flag asks for it. --cpu must be red, or the second player's
// colour on this board.
func (s *Settings) Join(c *game.Setup, flags *pflag.FlagSet) error {
	second := c.Rules.Name(board.Yellow)
	switch {
	case !s.vsCPU && !flags.Changed("level") && !flags.Changed("cpu"):
		return nil
	case s.cpu == "red":
		c.Computer = board.Red
	case s.cpu != second && flags.Changed("cpu"):
		return cli.Usagef("--cpu %s: on this board the players are red and %s", s.cpu, second)
	default:
		c.Computer = board.Yellow
	}
	c.Level = cmp.Or(s.level, levels.Usual)
	return nil
}

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
