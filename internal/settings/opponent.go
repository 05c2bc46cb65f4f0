package settings

import (
	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/spf13/pflag"
)

// Opponent has the flags for a match against the computer.
type Opponent struct {
	plays bool
	level Level
	disc  Choice
}

func NewOpponent() *Opponent {
	return &Opponent{level: Level{levels.Usual}, disc: Choice{"yellow", []string{"red", "yellow", "blue"}}}
}

func (o *Opponent) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&o.plays, "vs-cpu", false, "play against the computer")
	flags.Var(&o.level, "level", "the computer's level")
	flags.Var(&o.disc, "cpu", "the computer's colour; on an 8x8 board blue replaces yellow")
}

// Join adds the computer to the match if --vs-cpu is set. --cpu must be red, or the second player's
// colour on this board.
func (o *Opponent) Join(c *game.Setup, flags *pflag.FlagSet) error {
	for _, name := range []string{"level", "cpu"} {
		if flags.Changed(name) && !o.plays {
			return cli.Usagef("--%s is for a match against the computer: add --vs-cpu", name)
		}
	}
	second := c.Rules.Name(board.Yellow)
	switch {
	case !o.plays:
		return nil
	case o.disc.Word == "red":
		c.Computer = board.Red
	case o.disc.Word != second && flags.Changed("cpu"):
		return cli.Usagef("--cpu %s: on this board the players are red and %s", o.disc.Word, second)
	default:
		c.Computer = board.Yellow
	}
	c.Level = o.level.Level
	return nil
}
