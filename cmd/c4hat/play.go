package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/cpu"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/plain"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	xterm "golang.org/x/term"
)

func newPlay() *cobra.Command {
	s := newSettings()
	display := choiceValue{"auto", []string{"auto", "hat", "terminal", "plain"}}
	level := levelValue{cpu.Medium}
	disc := choiceValue{"yellow", []string{"red", "yellow", "blue"}}
	alone := false
	forever := false
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play a match, for two or against the computer",
		Long: `Play a match for two, or with --vs-cpu against the computer, on the Sense HAT
where there is one, and in this terminal.

Red and yellow drop discs in turn; four in a line win a round and a point, and
the first to two points wins the match. On the full 8x8 matrix yellow is blue.

Keys: arrows or h j k l move, space or enter drops, a digit drops straight into
that column, u takes a disc back, ? shows what each column is worth, p pauses,
q quits. The mouse works too. On the HAT its joystick plays as well: left and
right move, down or a press drops, up pauses.

The computer's levels: 1 novice plays anywhere, 2 easy wins and blocks where one
disc does it, 3 medium looks a few moves ahead, 4 hard many, and 5 perfect knows
the end of every game on the 7x6 board.

Where input or output is no terminal, or with --display plain, the match is
played as lines of text: a column a line, u, ?, b for the board, q.

Settings may also stand in ` + usualConfig + `, or the file given with
--config; a flag wins over the file. Its tables are [game] (board, connect,
points, first, idle), [screen] (rotate) and [machine] (display, fb, stick).`,
		Example: `  c4hat play
  c4hat play --vs-cpu --level hard
  c4hat play --board 8x8 --first loser
  c4hat play --points 3 --connect 5 --board 8x7
  c4hat play --position 4453
  printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play --points 1`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.read(cmd.Flags())
			if err != nil {
				return err
			}
			if err := computerPlays(&c, cmd.Flags(), alone, level.level, disc.word); err != nil {
				return err
			}
			c.Forever = forever
			return play(cmd, display.word, c, s.hat())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&alone, "vs-cpu", false, "play against the computer")
	flags.Var(&level, "level", "how well it plays")
	flags.Var(&disc, "cpu", "which player it is; on 8x8 yellow is called blue")
	s.addMatch(flags)
	flags.StringVar(&s.position, "position", "", "start the first round after these `MOVES`, as in 4453")
	flags.BoolVar(&forever, "forever", false, "after a match go to the menu for the next one")
	flags.Var(&display, "display", "where to play")
	s.addHAT(flags)
	s.complete(cmd)
	return cmd
}

// computerPlays makes it a match against the computer, if that is wanted. The name
// of the second player must be the one he has on the board.
func computerPlays(c *game.Config, flags *pflag.FlagSet, wanted bool, level cpu.Level, disc string) error {
	for _, name := range []string{"level", "cpu"} {
		if flags.Changed(name) && !wanted {
			return usagef("--%s is for a match against the computer: add --vs-cpu", name)
		}
	}
	second := c.Rules.Name(board.Yellow)
	switch {
	case !wanted:
		return nil
	case disc == "red":
		c.Computer = board.Red
	case disc != second && flags.Changed("cpu"):
		return usagef("--cpu %s: on this board the players are red and %s", disc, second)
	default:
		c.Computer = board.Yellow
	}
	c.Level = int(level)
	return nil
}

// play plays where the display says. By itself that is plain text where input or
// output is no terminal, else the HAT if there is one, else the terminal.
func play(cmd *cobra.Command, display string, c game.Config, o *hat.Opts) error {
	in, out := isTerminal(cmd.InOrStdin()), isTerminal(cmd.OutOrStdout())
	tty := in && out && usableTerminal()
	if display == "auto" {
		switch {
		case o.Framebuffer != "" || o.Stick != "":
			display = "hat"
		case !tty:
			display = "plain"
		}
	}
	switch display {
	case "plain":
		c4 := new(computer)
		return plain.Play(cmd.Context(), c, plain.Options{
			In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Newline: !in || !out,
			Advise: c4.advise, Think: c4.think,
		})
	case "terminal":
		if !in || !out {
			return errors.New("standard input and output are no terminal: use --display plain")
		}
		return playOn(cmd, c, nil, true)
	}
	panel, err := openHAT(o, tty)
	switch {
	case err == nil:
		defer panel.Close()
		return playOn(cmd, c, panel, tty)
	case display == "auto" && errors.Is(err, hat.ErrNotFound):
		return playOn(cmd, c, nil, true)
	case errors.Is(err, hat.ErrNotFound):
		return fmt.Errorf("%w (%s)", err, describeHost())
	case display == "auto":
		return fmt.Errorf("%w; or play in the terminal with --display terminal", err)
	}
	return err
}

// openHAT opens the HAT's devices. The joystick may be plugged in later if there
// is a keyboard until then.
func openHAT(o *hat.Opts, keyboard bool) (*loop.HAT, error) {
	matrix, err := hat.OpenMatrix(o)
	if err != nil {
		return nil, err
	}
	stick, err := hat.OpenStick(o)
	if err != nil && !(keyboard && errors.Is(err, hat.ErrNotFound)) {
		matrix.Close() // err says more
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	if !keyboard {
		log = newLog(os.Stderr)
	}
	return loop.NewHAT(o, matrix, stick, log), nil
}

// playOn plays on the HAT, if there is one, and in the terminal, if told to.
func playOn(cmd *cobra.Command, c game.Config, onHAT *loop.HAT, inTerminal bool) error {
	s, err := game.New(c, time.Now())
	if err != nil {
		return err
	}
	o := new(computer).options(slog.New(slog.DiscardHandler))
	dark, leave := func() {}, func() {}
	if onHAT != nil {
		o.Panels = append(o.Panels, onHAT)
		dark = onHAT.Close
		signal.Ignore(syscall.SIGPIPE) // the LEDs must go dark whoever stops listening
	}
	if inTerminal {
		panel, err := term.Open(term.PlayHelp)
		if err != nil {
			return err
		}
		defer panel.Close()
		leave = panel.Close
		o.Panels = append(o.Panels, panel)
	}
	s, err = loop.Run(cmd.Context(), s, o)
	dark() // first: a terminal may take its time
	leave()
	// The result stays on the screen that was there before.
	for _, text := range []string{game.PersonText(s.Match(), c.Computer), game.MatchText(s.Match())} {
		if err == nil && text != "" {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
		}
	}
	return err
}

// isTerminal says whether a stream of the command is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// usableTerminal says whether the terminal can show a picture.
func usableTerminal() bool {
	kind := os.Getenv("TERM")
	return runtime.GOOS == "windows" || kind != "" && kind != "dumb"
}
