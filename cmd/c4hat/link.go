package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/link"
	"github.com/c4hat/c4hat/internal/panel/mirror"
	"github.com/c4hat/c4hat/internal/plain"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/wire"
	"github.com/spf13/cobra"
)

func newLink() *cobra.Command {
	s := settings.New()
	as := settings.Choice{Word: "red", Choices: []string{"red", "yellow", "blue"}}
	answers, force := false, false
	cmd := &cobra.Command{
		Use:   "link USER@HOST",
		Short: "Play one match on two HATs",
		Long: `Play one match on two machines: the joystick here drops the red discs, the other one
drops the yellow ones, and both HATs show the same match.

ssh carries the discs, with your keys and your configuration: if
ssh USER@HOST c4hat status works, this works. Both machines need the service and the
same version of c4hat. See doc/link.md for two Pis, step by step.

If there is no match on either machine, one starts on both. If both are in the same
match, for example after a lost connection, it continues. When it is over, start the
next match on either HAT: it starts on both. Ending a match on one machine ends it on
both. No disc can be undone.

If the connection is lost, a white LED between the points shows on both HATs who is
away. Play continues when the connection is back. After 30 seconds anybody at a HAT
that lost the connection can drop the other side's discs there.

The terminal shows the match, and you can also play with its keys. q and Ctrl-C end the
link, not the match.`,
		Example: `  c4hat link pi@raspberrypi2.local             red here, yellow there
  c4hat link --as yellow pi@raspberrypi2.local
  c4hat link --board 8x8 --force pi@192.168.1.23`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case answers:
				return noArguments(cmd, args)
			case len(args) != 1:
				return cli.Usagef("want the other machine, as in c4hat link pi@raspberrypi2.local; see %s --help", cmd.CommandPath())
			case args[0] == "" || strings.HasPrefix(args[0], "-") || strings.ContainsAny(args[0], " \t\n"):
				return cli.Usagef("%q is no machine, want USER@HOST", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.Read(cmd.Flags())
			if err != nil {
				return err
			}
			service := control.Dial(s.Socket)
			if answers {
				return link.Answer(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), service)
			}
			l := &link.Link{Here: service, Host: args[0], Play: board.Red, Asks: cli.IsTerminal(cmd.InOrStdin())}
			if as.Word != "red" {
				l.Play = board.Yellow
			}
			l.Match = wire.RequestFor(c, force)
			return runLink(cmd, l)
		},
	}
	flags := cmd.Flags()
	flags.Var(&as, "as", "the colour that this joystick plays; on 8x8 yellow is called blue")
	flags.BoolVar(&force, "force", false, "end the matches under way on both machines")
	s.AddTerms(flags)
	s.Places.AddSocket(flags)
	flags.BoolVar(&answers, "answer", false, "be the other end, for ssh")
	_ = flags.MarkHidden("answer")
	return cmd
}

// runLink runs the link, and shows the match here meanwhile.
func runLink(cmd *cobra.Command, l *link.Link) error {
	tty := cli.OnTerminal(cmd)
	var state atomic.Pointer[string]
	state.Store(new(string))
	var picture atomic.Bool // from now on the picture shows the state
	l.Tell = func(text string) {
		state.Store(&text)
		if !picture.Load() {
			fmt.Fprintln(cmd.ErrOrStderr(), "c4hat:", text)
		}
	}
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	err := l.Start(ctx)
	picture.Store(tty)
	if err == nil {
		go func() { cancel(l.Wait()) }()
		cmd.SetContext(ctx)
		_, err = mirrored(cmd, &mirror.Mirror{Client: l.Here, Keys: true}, tty, func(v *game.View) [2]string {
			lines := attachedHelp(v)
			lines[0] = *state.Load()
			return lines
		}, plain.EachRound)
		cancel(err)
		if ended := l.Wait(); errors.Is(ended, link.ErrConflict) {
			err = ended
		}
	}
	if detached(err) {
		return nil
	}
	return err
}
