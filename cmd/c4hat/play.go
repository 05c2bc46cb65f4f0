package main

import (
	"slices"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/bot"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/play"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newPlay() *cobra.Command {
	s := settings.New()
	o := play.Options{Settings: s, Bot: bot.Options{MoveTime: 10 * time.Second}}
	forever, log := false, ""
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play a match, for two or against the computer",
		Long: `Play a match for two, or with --vs-cpu against the computer, in this terminal and, if
there is one, on the Sense HAT.

Red and yellow drop discs in turn; four in a line win a round and a point, and two
points win the match. On the 8x8 board the second player is blue.

Keys: left and right or h and l move; down, j, space or enter drops; a digit drops into
that column; up, k, p or Esc pauses; u undoes, ? shows the value of each column, q quits.
In a list, up and down move, enter chooses, left and right change a value, and Esc goes
back. After a round, l looks back at it. The mouse works too. On the joystick, left and
right move, down or a press drops, and up pauses.

In a terminal, a menu opens unless a flag chooses a match. If a match on the service's
HAT has been idle for a while, c4hat first asks whether to resume it or end it.

If the service is running, the match is played on its HAT: the terminal shows the same,
and you play with the keyboard or the joystick. q and Ctrl-C end only this command; the
match continues on the HAT. While a match is under way there, --continue joins it, and
--force ends it and starts another.

Without the service, the match is saved in your own folder, and --continue or the menu's
first entry resumes it. The first disc of a new match replaces the saved match. If a
program starts or, in plain text, the computer, the new match needs --force.

The computer's levels: 1 novice plays at random, 2 beginner notices half of the cells
that win or must be blocked, 3 easy notices all of them, 4 medium looks a few moves
ahead, 5 hard looks many moves ahead, and 6 perfect knows the outcome of every position
on the 7x6 board, and on 8x8 from about disc 20 on.

With --red-program and --yellow-program, programs play. At each turn a program reads a
line with the moves so far, and answers with a column. doc/programs.md explains how to
write one.

In a pipe, or with --display plain, the match is lines of text: type a column or a
command on each line; help lists the commands.

With --display emulator you play in this terminal and on the Sense HAT emulator of the
Raspberry Pi desktop, sense_emu_gui. Start the emulator first.

The configuration file ` + settings.DefaultConfig + `, or the one given with --config, sets
defaults; flags override them. See c4hat help config.`,
		Example: `  c4hat play                             choose a match in the menu
  c4hat play --vs-cpu --level hard       against the computer, which is yellow
  c4hat play --board 8x8 --first loser   on every LED; losers start
  c4hat play --position 4453             start after these moves
  c4hat play --yellow-program ./bot.py   against your own program
  c4hat play --continue                  resume the last match`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := cmd.Flags()
			c, err := s.Read(flags)
			if err != nil {
				return err
			}
			if err := s.Join(&c.Setup, flags); err != nil {
				return err
			}
			c.Forever = forever
			if err := check(flags, &o); err != nil {
				return err
			}
			if o.Programs, err = programs(flags, c); err != nil {
				return err
			}
			if o.Bot.Log, err = cli.Create(log); err != nil {
				return err
			}
			o.Bot.Rules = c.Rules
			o.Streams, o.Computer = cli.StreamsOf(cmd), newComputer()
			o.Picture = o.CanDraw() && o.Display != "plain"
			chosen := slices.ContainsFunc(append([]string{"continue", "force", "seed"}, matchFlags...), flags.Changed)
			c.Forever = forever || o.Picture && len(o.Programs) == 0
			c.Menu = o.Picture && !chosen && len(o.Programs) == 0
			o.Config = c
			readLine(&o, flags)
			return play.Play(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	s.AddOpponent(flags)
	flags.String(programFlags[0], "", "`COMMAND` of a program that plays red, as in ./bot.py")
	flags.String(programFlags[1], "", "`COMMAND` of a program that plays yellow, or blue on an 8x8 board")
	// On an 8x8 board the second player is blue.
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.Replace(name, "blue-program", programFlags[1], 1))
	})
	flags.Var(settings.Duration(&o.Bot.MoveTime), "move-time", "a program's time limit for each move, 0 for none")
	flags.StringVar(&log, "program-log", "", "write the programs' standard error to `FILE`")
	s.AddMatch(flags)
	flags.StringVar(&s.Position, "position", "", "start the first round after these `MOVES`, as in 4453")
	flags.BoolVar(&o.Continue, "continue", false, "join the match under way, or resume the last one")
	flags.BoolVar(&o.Force, "force", false, "end the match under way on the HAT, or replace the saved one")
	flags.BoolVar(&forever, "forever", false, "return to the menu after each match")
	flags.BoolVar(&o.Local, "local", false, "play without the service, even if it is running")
	flags.BoolVar(&o.ShowBoard, "show-board", false, "in plain text, show the board at each turn")
	settings.AddDisplay(&o.Display, flags)
	s.AddHAT(flags)
	s.Places.Add(flags)
	return cmd
}

// matchFlags choose a match. If none of them is set, the menu opens.
var matchFlags = []string{"vs-cpu", "level", "cpu", "board", "connect", "points", "first", "position"}

// check rejects flags that contradict each other.
func check(flags *pflag.FlagSet, o *play.Options) error {
	if o.Display == "emulator" && o.Settings.Upright() != nil && flags.Changed("rotate") {
		return cli.Usagef("--rotate auto needs an accelerometer, and the emulator's window has none: rotate by 90, 180 or 270, or leave out --rotate")
	}
	alone := "--display " + o.Display
	if o.Local {
		alone = "--local"
	}
	if flags.Changed("socket") && (o.Local || o.Display == "terminal" || o.Display == "emulator") {
		return cli.Usagef("--socket names the service, and %s plays without it: leave one out", alone)
	}
	for _, name := range append([]string{"force"}, matchFlags...) {
		if o.Continue && flags.Changed(name) {
			return cli.Usagef("--continue resumes a match as it is: leave out --%s", name)
		}
	}
	return nil
}

var programFlags = [2]string{"red-program", "yellow-program"}

// programs parses the programs' commands, and rejects flags that contradict each other.
func programs(flags *pflag.FlagSet, c game.Config) (map[board.Disc]bot.Command, error) {
	commands := map[board.Disc]bot.Command{}
	for i, name := range programFlags {
		if !flags.Changed(name) {
			continue
		}
		d := board.Red + board.Disc(i)
		command, err := bot.ParseCommand(flags.Lookup(name).Value.String())
		switch {
		case err != nil:
			return nil, cli.Usagef("--%s: %w", name, err)
		case d == c.Computer:
			return nil, cli.Usagef("--%s: the computer plays %s: leave the flag out, or give the computer the other colour with --cpu", name, c.Rules.Name(d))
		case c.Forever:
			return nil, cli.Usagef("--%s plays one match: leave out --forever", name)
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

// readLine tells a game which flags the command line has set, and what to type for other commands.
func readLine(o *play.Options, flags *pflag.FlagSet) {
	o.Device = flags.Changed("fb") || flags.Changed("stick")
	o.Service = flags.Changed("socket")
	o.Emulator = o.Settings.Emulator(flags)
	for _, name := range []string{"state", "idle", "palette", "brightness", "rotate", "i2c"} {
		if flags.Changed(name) {
			o.Fixed = cli.Usagef("--%s cannot change the service's settings: leave it out, or change the service's configuration as c4hat help config says", name)
		}
	}
	o.Resume = cli.Command("play --continue", flags, "local", "display", "state", "socket", "config")
	o.Watch = cli.Command("watch", flags, "socket", "config")
	back := []string{"state", "socket", "config"}
	if o.Display == "plain" {
		back = append(back, "display")
	}
	o.Why, o.Replay = cli.Command("analyse", flags, back...), cli.Command("replay", flags, back...)
}
