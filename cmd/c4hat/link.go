package main

import (
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/link"
	"github.com/c4hat/c4hat/internal/play"
	"github.com/c4hat/c4hat/internal/quote"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/spf13/cobra"
)

func newLink() *cobra.Command {
	s := settings.New()
	as, there := "red", settings.DefaultSocket
	force := false
	cmd := &cobra.Command{
		Use:   "link USER@HOST",
		Short: "Play a match of another HAT with this one",
		Long: `Play a match of another machine on this machine's HAT. This machine's joystick drops the
red discs, the other machine's joystick the yellow ones, and both HATs show the match.

The link runs over ssh, with your keys and your ssh configuration. If the command ssh
USER@HOST c4hat status works, the link works. Both machines need the service and the
same version of c4hat. doc/link.md explains step by step how to set up two Pis.

The match is the other machine's. If none is under way there, one starts; otherwise you
take a seat in it. This HAT must be idle; it is lent to the link until the link ends, or
somebody here holds up for two seconds. When a match is over, start the next one on
either HAT.

If the connection is lost, this HAT is dimmed and the link tries again; the other one
plays on. After 30 seconds, anybody there can drop your discs.

The terminal shows the match, and its keys play too. q and Ctrl-C end the link; the match
continues.`,
		Example: `  c4hat link pi@raspberrypi2.local   you are red, the other HAT is yellow
  c4hat link --as yellow pi@raspberrypi2.local
  c4hat link --board 8x8 --force pi@192.168.1.23`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return cli.Usagef("link needs the other machine, as in c4hat link pi@raspberrypi2.local; see %s --help", cmd.CommandPath())
			case args[0] == "" || strings.HasPrefix(args[0], "-") || strings.ContainsAny(args[0], " \t\n"):
				return cli.Usagef("%s is not a machine: a machine is USER@HOST", quote.Short(args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.Match(cmd.Flags())
			if err != nil {
				return err
			}
			l := &link.Link{Here: socket.Dial(s.Socket), Host: args[0], Socket: there, Play: board.Red, Asks: cli.IsTerminal(cmd.InOrStdin())}
			if as != "red" {
				l.Play = board.Yellow
			}
			l.Match = game.Start{Setup: c.Setup, Force: force}
			return play.Link(cmd.Context(), l, cli.StreamsOf(cmd), s.Picture())
		},
	}
	flags := cmd.Flags()
	flags.Var(settings.Choice(&as, "red", "yellow", "blue"), "as", "the colour this joystick plays; on an 8x8 board blue replaces yellow")
	flags.BoolVar(&force, "force", false, "end the match under way on the other machine")
	flags.Var(settings.String(&there, there), "their-socket", "`PATH` of the service's socket on the other machine")
	s.Add(flags, settings.Terms+"palette "+settings.Service)
	return cmd
}
