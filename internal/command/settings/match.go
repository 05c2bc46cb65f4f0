package settings

import (
	"cmp"
	"errors"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/spf13/pflag"
)

// Rules returns the rules of the board.
func (s *Settings) Rules() (board.Rules, error) {
	if !s.rules.Winnable() {
		return s.rules, cli.Usagef("nobody can get %d in a line on %v: a match could never end; use a smaller --connect or a larger --board", s.rules.Connect, Size(&s.rules))
	}
	return s.rules, nil
}

// Match reads the configuration file, and returns the match that the settings describe.
func (s *Settings) Match(flags *pflag.FlagSet) (game.Config, error) {
	if err := s.Read(flags); err != nil {
		return game.Config{}, err
	}
	c, err := s.match()
	if errors.Is(err, match.ErrNoLine) {
		_, err = s.Rules()
		if !flags.Changed("board") && !flags.Changed("connect") {
			err = cli.Usagef("%s: %w", cmp.Or(s.Config, DefaultConfig), err)
		}
	}
	return c, err
}

func (s *Settings) match() (game.Config, error) {
	c := game.Config{
		Setup: game.Setup{Rules: s.rules, Points: s.points, Opening: s.Position},
		Idle:  s.idle, Seed: s.Seed, MenuLevel: s.level, LastFirst: s.first == "",
	}
	first := cmp.Or(s.first, usualFirst)
	if first == "blue" { // yellow on an 8x8 board
		first = "yellow"
	}
	var err error
	if c.First, err = board.ParseFirst(first); err == nil {
		err = c.Check() // of all together: a flag checks only its own value
	}
	if err != nil {
		return c, cli.Usage(err)
	}
	return c, nil
}

// Level returns the computer's level.
func (s *Settings) Level() levels.Level { return cmp.Or(s.level, s.Usual) }

// Reread reads the configuration file again for the service, whose command line still overrides it. restart
// reports whether some change takes effect only after a restart.
func (s *Settings) Reread(commandLine *pflag.FlagSet) (again *Settings, c game.Config, restart bool, err error) {
	again = New()
	again.bus = s.Bus() // the bus changes only at a restart
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	again.Add(flags, Daemon)
	commandLine.Visit(func(f *pflag.Flag) {
		if flags.Lookup(f.Name) != nil {
			_ = flags.Set(f.Name, f.Value.String()) // no error: the value was accepted before
		}
	})
	c, err = again.Match(flags)
	restart = again.FB != s.FB || again.Stick != s.Stick || again.I2C != s.I2C || again.Socket != s.Socket
	return again, c, restart, err
}
