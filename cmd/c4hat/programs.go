package main

import (
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/bot"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/pflag"
)

type programFlags struct {
	commands [2]string // red's, yellow's
	moveTime time.Duration
	log      string
}

var programNames = [2]string{"red-program", "yellow-program"}

func (f *programFlags) add(flags *pflag.FlagSet) {
	f.moveTime = 10 * time.Second
	flags.StringVar(&f.commands[0], programNames[0], "", "let a program play red: its `COMMAND`, as in ./bot.py")
	flags.StringVar(&f.commands[1], programNames[1], "", "let a program play yellow, or blue on an 8x8 board: its `COMMAND`")
	flags.Var(settings.Duration(&f.moveTime), "move-time", "a program's time limit for each move, 0 for none")
	flags.StringVar(&f.log, "program-log", "", "write the programs' standard error to `FILE`")
}

// parse parses the programs' commands, and rejects flags that contradict each other.
func (f *programFlags) parse(flags *pflag.FlagSet, c game.Config) (map[board.Disc]bot.Command, error) {
	commands := map[board.Disc]bot.Command{}
	for i, text := range f.commands {
		if !flags.Changed(programNames[i]) {
			continue
		}
		d := board.Red + board.Disc(i)
		command, err := bot.ParseCommand(text)
		switch {
		case err != nil:
			return nil, cli.Usagef("--%s: %w", programNames[i], err)
		case d == c.Computer:
			return nil, cli.Usagef("--%s: the computer plays %s: leave the flag out, or give the computer the other colour with --cpu", programNames[i], c.Rules.Name(d))
		case c.Forever:
			return nil, cli.Usagef("--%s plays one match: leave out --forever", programNames[i])
		}
		commands[d] = command
	}
	for _, name := range []string{"move-time", "program-log"} {
		if flags.Changed(name) && len(commands) == 0 {
			return nil, cli.Usagef("--%s is for programs: add --red-program or --yellow-program", name)
		}
	}
	return commands, nil
}
