package main

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/play"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/front/bot"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newPlay() *cobra.Command {
	s := settings.New()
	o := play.Options{Settings: s, Bot: bot.Options{MoveTime: 10 * time.Second, StartTime: bot.StartTime}}
	forever, against, colour, log := false, false, "yellow", ""
	var programs [2]string
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play a match, for two or against the computer",
		Long: `Play a match for two, or with --vs-cpu against the computer: on the service's HAT and in
this terminal or, if no service runs, in the terminal alone. A menu opens unless a flag
chooses a match.

Left and right move, down or enter drops, a digit drops into that column, up pauses, u
undoes, ? shows what each column is worth, q quits. In a pipe or with --display plain, the
match is lines of text: a column or a command on each; help lists them.

The match goes on on the HAT, or is saved in your own folder: --continue resumes it, and
--force replaces it. The computer's levels are 1 novice, 2 beginner, 3 easy, 4 medium, 5
hard and 6 perfect. More is in doc/terminal.md, doc/programs.md and c4hat config.`,
		Example: `  c4hat play --vs-cpu --level hard       against the computer, which is yellow
  c4hat play --board 8x8 --first loser   on every LED; losers start
  c4hat play --yellow-program ./bot.py   against your own program
  c4hat play --continue                  resume the last match`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := cmd.Flags()
			c, err := s.Match(flags)
			if err != nil {
				return err
			}
			if against || flags.Changed("level") || flags.Changed("cpu") {
				c.Computer, c.Level = board.Yellow, s.Level()
				if colour == "red" {
					c.Computer = board.Red
				}
			}
			o.Programs = map[board.Disc]bot.Command{}
			for i, text := range programs {
				if !flags.Changed(programFlags[i]) {
					continue
				}
				d := board.Red + board.Disc(i)
				if o.Programs[d], err = bot.ParseCommand(text); err != nil {
					return cli.Usagef("--%s: %w", programFlags[i], err)
				}
				if d == c.Computer {
					return cli.Usagef("--%s: the computer plays %s: leave the flag out, or give the computer the other colour with --cpu", programFlags[i], c.Rules.Name(d))
				}
			}
			o.Local = o.Local || flags.Changed("state") // the service has a folder of its own
			chosen := slices.IndexFunc(matchFlags, flags.Changed)
			switch program := len(o.Programs) > 0; {
			case flags.Changed("socket") && o.Local:
				return cli.Usagef("--socket names the service, and --local and --state play without it: leave one out")
			case o.Continue && o.Force:
				return cli.Usagef("--continue resumes a match as it is: leave out --force")
			case o.Continue && chosen >= 0:
				return cli.Usagef("--continue resumes a match as it is: leave out --%s", matchFlags[chosen])
			case program && forever:
				return cli.Usagef("a program plays one match: leave out --forever")
			case !program && (flags.Changed("move-time") || flags.Changed("program-log")):
				return cli.Usagef("--move-time and --program-log are for programs: add --red-program or --yellow-program")
			}
			if o.Bot.Log, err = cli.Create(log); err != nil {
				return err
			}
			o.Bot.Rules = c.Rules
			o.Streams, o.Computer = cli.StreamsOf(cmd), newComputer()
			o.Picture = s.Display == "terminal" || s.Display == "auto" && o.CanDraw()
			if s.Display == "terminal" && !o.OneTerminal() {
				return errors.New("standard input or output is not a terminal: use --display plain")
			}
			c.Forever = forever || o.Picture && len(o.Programs) == 0
			c.Menu = o.Picture && len(o.Programs) == 0 && chosen < 0 && !o.Continue && !o.Force && !flags.Changed("seed")
			o.Config, o.Service = c, flags.Changed("socket")
			o.Resume = cli.Command("play --continue", flags, "local", "display", "state", "socket", "config")
			o.Watch = cli.Command("watch", flags, "socket", "config")
			o.Why = cli.Command("analyse", flags, "state", "socket", "config", "display")
			o.Replay = cli.Command("replay", flags, "state", "socket", "config", "display")
			return play.Play(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&against, "vs-cpu", false, "play against the computer")
	s.Usual = levels.Usual
	s.Add(flags, "level")
	flags.Var(settings.Choice(&colour, "red", "yellow", "blue"), "cpu", "the computer's colour; on an 8x8 board blue replaces yellow")
	flags.StringVar(&programs[0], programFlags[0], "", "`COMMAND` of a program that plays red, as in ./bot.py")
	flags.StringVar(&programs[1], programFlags[1], "", "`COMMAND` of a program that plays yellow, or blue on an 8x8 board")
	// On an 8x8 board the second player is blue.
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.Replace(name, "blue-program", programFlags[1], 1))
	})
	flags.Var(settings.Duration(&o.Bot.MoveTime), "move-time", "a program's time limit for each move, 0 for none")
	flags.StringVar(&log, "program-log", "", "write the programs' standard error to `FILE`")
	s.Add(flags, settings.Terms+"seed")
	flags.Var(settings.String(&s.Position), "position", "start the first round after these `MOVES`, as in 4453")
	flags.BoolVar(&o.Continue, "continue", false, "join the match under way, or resume the last one")
	flags.BoolVar(&o.Force, "force", false, "end the match under way on the HAT, or replace the saved one")
	flags.BoolVar(&forever, "forever", false, "return to the menu after each match")
	flags.BoolVar(&o.Local, "local", false, "play without the service, even if it is running")
	flags.BoolVar(&o.ShowBoard, "show-board", false, "in plain text, show the board at each turn")
	s.Add(flags, "display palette "+settings.Places)
	return cmd
}

// matchFlags choose a match. If none of them is set, the menu opens.
var matchFlags = []string{"vs-cpu", "level", "cpu", "board", "connect", "points", "first", "position"}

var programFlags = [2]string{"red-program", "yellow-program"}
