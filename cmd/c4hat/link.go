package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/link"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

func newLink() *cobra.Command {
	s := settings.New()
	as, there := "red", settings.DefaultSocket
	force := false
	cmd := &cobra.Command{
		Use:   "link USER@HOST",
		Short: "Play one match on two HATs",
		Long: `Play the match of another machine on this machine's HAT. This machine's joystick drops the
red discs, the other machine's joystick the yellow ones, and both HATs show the match.

The link uses your ssh keys: ssh USER@HOST c4hat status must work without a
password. The terminal's keys play too. To end the link, type q, or push this joystick up
for two seconds; the other machine's match continues. doc/link.md explains how to set up
two Pis.`,
		Example: `  c4hat link pi@raspberrypi2.local   you are red, the other HAT is yellow
  c4hat link --as yellow pi@raspberrypi2.local
  c4hat link --board 8x8 --force pi@192.168.1.23`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              takes(1, 1, "link needs the other machine, as in c4hat link pi@raspberrypi2.local"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "" || strings.HasPrefix(args[0], "-") || strings.ContainsAny(args[0], " \t\n") {
				return cli.Usagef("%s is not a machine: a machine is USER@HOST", words.Quote(args[0]))
			}
			c, err := s.Match(cmd.Flags())
			if err != nil {
				return err
			}
			std := cli.StreamsOf(cmd)
			l := &link.Link{
				Host: args[0], Socket: there, Plays: board.Red, Match: game.Start{Setup: c.Setup, Force: force},
				Tell: func(text string) { fmt.Fprintln(std.Errs, "c4hat:", text) },
			}
			if as != "red" {
				l.Plays = board.Yellow
			}
			hat, err := socket.Dial(s.Socket).Borrow(cmd.Context())
			if err != nil {
				return err
			}
			leave := func() {}
			if std.CanDraw() {
				panel, err := openPicture(s)
				if err != nil {
					return err
				}
				l.Beside, l.Tell, leave = panel, func(string) {}, panel.Close // the picture says what matters
			}
			err = l.Run(cmd.Context(), hat)
			leave()
			if errors.Is(err, socket.ErrReturned) {
				fmt.Fprintln(std.Errs, "c4hat: the link ends: the HAT here was given back")
				return nil
			}
			return leaving(err)
		},
	}
	flags := cmd.Flags()
	flags.Var(settings.Choice(&as, "red", "yellow", "blue"), "as", "the colour this joystick plays; on an 8x8 board blue replaces yellow")
	flags.BoolVar(&force, "force", false, "end the match under way on the other machine")
	flags.Var(settings.String(&there, there), "their-socket", "`PATH` of the service's socket on the other machine")
	s.Add(flags, settings.Terms+"palette "+settings.Service)
	return cmd
}
