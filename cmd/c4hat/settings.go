package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/spf13/pflag"
)

// settings are what flags and the configuration file say of the match and of
// the HAT.
type settings struct {
	size     sizeValue
	connect  numberValue
	points   numberValue
	first    choiceValue
	idle     timeValue
	seed     seedValue
	position string

	fb, stick  string
	i2c        busValue
	direct     *hat.I2C // what that means, see bus
	rotate     choiceValue
	brightness numberValue
	palette    choiceValue

	places
}

func newSettings() *settings {
	return &settings{
		size:    sizeValue{board.Standard.Columns, board.Standard.Rows},
		connect: numberValue{board.Standard.Connect, 2, board.MaxSide},
		points:  numberValue{2, 1, game.MaxPoints},
		first:   choiceValue{"red", []string{"red", "yellow", "blue", "alternate", "loser", "random"}},
		idle:    timeValue{10 * time.Minute},
		seed:    seedValue{rand.Uint64()},
		rotate:  choiceValue{"0", []string{"0", "90", "180", "270", "auto"}},

		brightness: numberValue{light.Full, light.Least, light.Full},
		palette:    choiceValue{light.Classic, light.Palettes()},
	}
}

// addMatch adds the flags of a match.
func (s *settings) addMatch(flags *pflag.FlagSet) {
	flags.Var(&s.size, "board", "size of the board, up to 8x8")
	flags.Var(&s.connect, "connect", "discs in a line that win, 2 to 8")
	flags.Var(&s.points, "points", "points that win the match, 1 to 3")
	flags.Var(&s.first, "first", "who starts each round; on 8x8 yellow is called blue")
	flags.Var(&s.idle, "idle", "left alone for so long the screen goes dark, 0 for never")
	flags.Var(&s.seed, "seed", "make what is left to chance repeatable")
}

// addHAT adds the flags of the HAT.
func (s *settings) addHAT(flags *pflag.FlagSet) {
	flags.StringVar(&s.fb, "fb", "", "the matrix's device `PATH`, rather than the one with the HAT's name")
	flags.StringVar(&s.stick, "stick", "", "the joystick's device `PATH`, likewise")
	flags.Var(&s.i2c, "i2c", "bus of a HAT without the kernel's drivers, a `PATH`, usually "+usualBus+", or off")
	flags.Var(&s.rotate, "rotate", "turn picture and joystick clockwise by so many degrees; auto as the HAT stands, but never in a match")
	flags.Var(&s.brightness, "brightness", "brightness of the LEDs, 1 to 100")
	flags.Var(&s.palette, "palette", "the colours; night is dim, without blue")
}

// hat is how the HAT is opened.
func (s *settings) hat() *hat.Opts {
	return &hat.Opts{Framebuffer: s.fb, Stick: s.stick, I2C: s.bus(), Rotate: s.degrees()}
}

// bus is the way to the HAT without the kernel's drivers, always the same one: it counts
// its errors. It is nil where there is none.
func (s *settings) bus() *hat.I2C {
	if s.direct == nil {
		s.direct = s.i2c.way()
	}
	return s.direct
}

// look is how pictures are lit.
func (s *settings) look() *light.Look { return light.New(s.palette.word, s.brightness.n) }

// read completes the settings from the configuration file, and gives the match
// that they describe.
func (s *settings) read(flags *pflag.FlagSet) (game.Config, error) {
	if err := readConfig(s.config, flags); err != nil {
		return game.Config{}, err
	}
	c, err := s.game(flags.Changed("first"))
	if c.Rules.Check() == nil && !c.Rules.Winnable() && !flags.Changed("board") && !flags.Changed("connect") {
		err = cli.Usagef("%s: %w", cmp.Or(s.config, usualConfig), err)
	}
	return c, err
}

// game is the configuration of the match. The name of the second player must be
// the one he has on the board, where the command line gives it.
func (s *settings) game(strict bool) (game.Config, error) {
	rules := board.Rules{Columns: s.size.columns, Rows: s.size.rows, Connect: s.connect.n}
	first := s.first.word
	if first == "yellow" || first == "blue" {
		if second := rules.Name(board.Yellow); strict && first != second {
			return game.Config{}, cli.Usagef("--first %s: on %s the players are red and %s", first, s.size.String(), second)
		}
		first = "yellow"
	}
	rule, err := board.ParseFirst(first)
	if err != nil {
		return game.Config{}, cli.Usage(err)
	}
	c := game.Config{
		Setup: game.Setup{Rules: rules, Points: s.points.n, First: rule, Opening: s.position},
		Idle:  s.idle.d, Seed: s.seed.n,
	}
	// What the flags cannot see one by one shows when the game is made.
	var move *board.MoveError
	switch err := c.Check(); {
	case errors.Is(err, game.ErrNoLine):
		return c, cli.Usagef("nobody can get %d in a line on %s: a match could never end; use a smaller --connect or a larger --board", rules.Connect, s.size.String())
	case errors.Is(err, game.ErrOpening):
		return c, cli.Usagef("--position %s: the round is already over there; leave out its last move", s.position)
	case errors.As(err, &move):
		return c, cli.Usagef("--position %s: move %d, %q: %s", shorten(s.position), move.Move, move.Rune, move.Reason())
	case err != nil:
		return c, cli.Usage(err)
	}
	return c, nil
}

// shorten quotes what somebody typed, so that it can be printed.
func shorten(s string) string {
	const most = board.MaxCells
	if len(s) > most {
		return fmt.Sprintf("%q and so on", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
