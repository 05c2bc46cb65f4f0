package main

import (
	"context"
	"slices"

	"github.com/c4hat/c4hat/internal/bot"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type playing struct {
	display   string
	picture   bool // draw in the terminal: it can show pictures, and plain text was not chosen
	continues bool // join the match under way, or resume the last one
	force     bool // end the match under way
	local     bool // play without the service, even if it is running
	showBoard bool // show the board at each turn in plain text
	settings  *settings.Settings
	programs  *bot.Programs
}

func newPlay() *cobra.Command {
	s := settings.New()
	p := playing{settings: s}
	forever := false
	var bots programFlags
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
program plays, or the computer starts in plain text, only --force replaces it.

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
  c4hat play --vs-cpu --cpu red          the computer is red, and starts
  c4hat play --board 8x8 --first loser   on every LED; losers start
  c4hat play --connect 5 --board 8x7     five in a line win
  c4hat play --position 4453             start after these moves
  c4hat play --yellow-program ./bot.py   against your own program
  c4hat play --continue                  resume the last match
  printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play --points 1`,
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
			if err := p.check(flags); err != nil {
				return err
			}
			p.picture = cli.OnTerminal(cmd) && p.display != "plain"
			running, end, err := bots.start(cmd, c, p.picture)
			if err != nil {
				return err
			}
			defer end()
			p.programs = running
			choice := append([]string{"continue", "force", "seed"}, matchFlags...)
			c.Forever = forever || p.picture && len(running.Players()) == 0
			c.Menu = p.picture && !slices.ContainsFunc(choice, flags.Changed) && len(running.Players()) == 0
			return p.play(cmd, c)
		},
	}
	flags := cmd.Flags()
	s.AddOpponent(flags)
	bots.add(flags)
	s.AddMatch(flags)
	flags.StringVar(&s.Position, "position", "", "start the first round after these `MOVES`, as in 4453")
	flags.BoolVar(&p.continues, "continue", false, "join the match under way, or resume the last one")
	flags.BoolVar(&p.force, "force", false, "end the match under way on the HAT, or replace the saved one")
	flags.BoolVar(&forever, "forever", false, "return to the menu after each match")
	flags.BoolVar(&p.local, "local", false, "play without the service, even if it is running")
	flags.BoolVar(&p.showBoard, "show-board", false, "in plain text, show the board at each turn")
	settings.AddDisplay(&p.display, flags)
	s.AddHAT(flags)
	s.Places.Add(flags)
	return cmd
}

// play plays a game: it opens the game, lets the programs join, and shows it on a front until one of the
// two ends.
func (p *playing) play(cmd *cobra.Command, c game.Config) error {
	g, err := p.open(cmd, c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var last game.View
	front, leave, err := p.front(ctx, cmd, g, c)
	if err == nil { // the programs have their seats before the front takes keys
		err = p.programs.Join(ctx, g.session, g.held)
	}
	if err == nil {
		last, err = session.Attach(ctx, g.session, front, g.terms)
	}
	g.stop() // first: restoring the terminal may take time
	leave()
	return g.report(last, err)
}

// front opens what shows a game and takes keys or lines, and returns a function that closes it.
func (p *playing) front(ctx context.Context, cmd *cobra.Command, g *opened, c game.Config) (session.Panel, func(), error) {
	boards := console.EachRound
	if p.showBoard {
		boards = console.EachTurn
	}
	switch {
	case p.picture:
		panel, err := openPicture(g.help)
		if err != nil {
			return nil, func() {}, err
		}
		if g.here != nil {
			panel.Colours, panel.Note = p.settings.Colours(), g.note
		}
		return panel, panel.Close, nil
	case g.here == nil && p.display == "hat":
		return textOutput(console.Follow(cmd.OutOrStdout(), boards)), func() {}, nil
	case g.here != nil && len(g.here.Panels) > 0: // only the HAT plays
		return textOutput(func(game.View) error { return nil }), func() {}, nil
	}
	panel := console.NewPanel(ctx, console.Options{
		In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Boards: boards, Newline: !onOneTerminal(cmd),
		Forever: c.Forever, Why: p.why(cmd), Unaided: g.here == nil && len(p.programs.Players()) > 0,
	})
	return panel, panel.Close, nil
}

// onOneTerminal reports whether input and output are terminals, so that typed lines show up
// between lines of output.
func onOneTerminal(cmd *cobra.Command) bool {
	return cli.IsTerminal(cmd.InOrStdin()) && cli.IsTerminal(cmd.OutOrStdout())
}

// matchFlags choose a match. If none of them is set, the menu opens.
var matchFlags = []string{"vs-cpu", "level", "cpu", "board", "connect", "points", "first", "position"}

// check rejects flags that contradict each other.
func (p *playing) check(flags *pflag.FlagSet) error {
	if p.display == "emulator" && p.settings.Upright() != nil && flags.Changed("rotate") {
		return cli.Usagef("--rotate auto needs an accelerometer, and the emulator's window has none: rotate by 90, 180 or 270, or leave out --rotate")
	}
	alone := "--display " + p.display
	if p.local {
		alone = "--local"
	}
	if flags.Changed("socket") && (p.local || p.display == "terminal" || p.display == "emulator") {
		return cli.Usagef("--socket names the service, and %s plays without it: leave one out", alone)
	}
	for _, name := range append([]string{"force"}, matchFlags...) {
		if p.continues && flags.Changed(name) {
			return cli.Usagef("--continue resumes a match as it is: leave out --%s", name)
		}
	}
	return nil
}
