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
	as := "red"
	answers, force := false, false
	cmd := &cobra.Command{
		Use:   "link USER@HOST",
		Short: "Play one match on two HATs",
		Long: `Play one match on two machines. This machine's joystick drops the red discs, the other
machine's joystick drops the yellow ones, and both HATs show the same match.

The link runs over ssh, with your keys and your ssh configuration. If the command ssh
USER@HOST c4hat status works, the link works. Both machines need the service and the
same version of c4hat. doc/link.md explains step by step how to set up two Pis.

If neither machine has a match, one starts on both. If both have the same match, for
example after a lost connection, this match continues. Otherwise the link says so and
ends, unless --force ends the matches. When a match is over, start the next one on either
HAT. If somebody ends the match, it ends on both. There is no undo.

If the connection is lost, each HAT shows a white LED between the points: below the
middle if red is away, above it for the other player; on a board with eight columns, the
cursor is dim. Play continues when the connection is back. After 30 seconds, anybody at
either HAT can drop the other player's discs.

The terminal shows the match, and its keys play too. q and Ctrl-C end the link; the match
continues.`,
		Example: `  c4hat link pi@raspberrypi2.local   you are red, the other HAT is yellow
  c4hat link --as yellow pi@raspberrypi2.local
  c4hat link --board 8x8 --force pi@192.168.1.23`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case answers:
				return noArguments(cmd, args)
			case len(args) != 1:
				return cli.Usagef("link needs the other machine, as in c4hat link pi@raspberrypi2.local; see %s --help", cmd.CommandPath())
			case args[0] == "" || strings.HasPrefix(args[0], "-") || strings.ContainsAny(args[0], " \t\n"):
				return cli.Usagef("%s is not a machine: a machine is USER@HOST", quote.Short(args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.Read(cmd.Flags())
			if err != nil {
				return err
			}
			service := socket.Dial(s.Socket)
			if answers {
				return link.Answer(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), service)
			}
			l := &link.Link{Here: service, Host: args[0], Play: board.Red, Asks: cli.IsTerminal(cmd.InOrStdin())}
			if as != "red" {
				l.Play = board.Yellow
			}
			l.Match = game.Start{Setup: c.Setup, Force: force}
			return play.Link(cmd.Context(), l, cli.StreamsOf(cmd), s.Picture())
		},
	}
	flags := cmd.Flags()
	flags.Var(settings.Choice(&as, "red", "yellow", "blue"), "as", "the colour this joystick plays; on an 8x8 board blue replaces yellow")
	flags.BoolVar(&force, "force", false, "end the matches under way on both machines")
	s.AddTerms(flags)
	s.AddPalette(flags)
	s.Places.AddSocket(flags)
	flags.BoolVar(&answers, "answer", false, "be the far end of a link; run by ssh")
	_ = flags.MarkHidden("answer")
	return cmd
}
