package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os/signal"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/loop"
	hatpanel "github.com/c4hat/c4hat/internal/panel/hat"
	"github.com/c4hat/c4hat/internal/panel/term"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/plain"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// playing is what play was told beside the match.
type playing struct {
	display   string
	continues bool // a match that was left
	force     bool // in the place of one that is under way
	device    bool // a device was named: play on that, here
	settings  *settings.Settings
}

func newPlay() *cobra.Command {
	s := settings.New()
	p := playing{settings: s}
	display := settings.Choice{Word: "auto", Choices: []string{"auto", "hat", "terminal", "emulator", "plain"}}
	level := settings.Level{Level: levels.Usual}
	disc := settings.Choice{Word: "yellow", Choices: []string{"red", "yellow", "blue"}}
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

Where the daemon runs, as it does from boot once it is installed, it is asked for
the match: the terminal shows what the LEDs show, and its keys work beside the
joystick. q or Ctrl-C only leave; the match goes on at the HAT until it is won or
ended from its pause screen. While a match is under way there, --continue joins
it, c4hat watch shows it, and --force ends it and starts another.

Without a daemon the match is kept in your own folder after every disc. --continue
goes on with one that was left; any other new match gives that up.

The computer's levels: 1 novice plays anywhere, 2 easy wins and blocks where one
disc does it, 3 medium looks a few moves ahead, 4 hard many, and 5 perfect knows
the end of every game on the 7x6 board.

Where input or output is no terminal, or with --display plain, the match is
played as lines of text: a column a line, u, ?, b for the board, q.

--display emulator plays on the Sense HAT emulator of the Raspberry Pi desktop,
sense_emu_gui, which must run, and in this terminal as well.

Settings may also stand in ` + settings.DefaultConfig + `, or the file given with
--config; a flag wins over the file. c4hat help config tells of it.`,
		Example: `  c4hat play                             a match for two
  c4hat play --vs-cpu --level hard       against the computer, which is yellow
  c4hat play --vs-cpu --cpu red          the computer is red, and starts
  c4hat play --board 8x8 --first loser   on every LED; who lost a round starts the next
  c4hat play --connect 5 --board 8x7     five in a line win
  c4hat play --position 4453             from a position
  c4hat play --continue                  the match that was left
  printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play --points 1`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := cmd.Flags()
			c, err := s.Read(flags)
			if err != nil {
				return err
			}
			if err := computerPlays(&c.Setup, flags, alone, level.Level, disc.Word); err != nil {
				return err
			}
			c.Forever = forever
			p.display = display.Word
			p.device = flags.Changed("fb") || flags.Changed("stick")
			if err := p.check(flags); err != nil {
				return err
			}
			return p.play(cmd, c)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&alone, "vs-cpu", false, "play against the computer")
	flags.Var(&level, "level", "how well it plays")
	flags.Var(&disc, "cpu", "which player it is; on 8x8 yellow is called blue")
	s.AddMatch(flags)
	flags.StringVar(&s.Position, "position", "", "start the first round after these `MOVES`, as in 4453")
	flags.BoolVar(&p.continues, "continue", false, "go on with the match that is under way, or was left")
	flags.BoolVar(&p.force, "force", false, "end the match that is under way on the HAT, and start this one")
	flags.BoolVar(&forever, "forever", false, "after a match go to the menu for the next one")
	flags.Var(&display, "display", "where c4hat play shows the match; auto takes the HAT where there is one")
	s.AddHAT(flags)
	s.Places.Add(flags)
	return cmd
}

// check refuses flags that contradict each other.
func (p *playing) check(flags *pflag.FlagSet) error {
	if p.display == "emulator" && p.settings.Upright() != nil && flags.Changed("rotate") {
		return cli.Usagef("--rotate auto: the emulator's window stands upright: leave it out, or turn by 90, 180 or 270")
	}
	if !p.continues {
		return nil
	}
	for _, name := range []string{"vs-cpu", "level", "cpu", "board", "connect", "points", "first", "position", "force"} {
		if flags.Changed(name) {
			return cli.Usagef("--continue goes on with a match as it is: leave out --%s", name)
		}
	}
	return nil
}

// computerPlays makes it a match against the computer, if that is wanted. The name
// of the second player must be the one he has on the board.
func computerPlays(c *game.Setup, flags *pflag.FlagSet, wanted bool, level levels.Level, disc string) error {
	for _, name := range []string{"level", "cpu"} {
		if flags.Changed(name) && !wanted {
			return cli.Usagef("--%s is for a match against the computer: add --vs-cpu", name)
		}
	}
	second := c.Rules.Name(board.Yellow)
	switch {
	case !wanted:
		return nil
	case disc == "red":
		c.Computer = board.Red
	case disc != second && flags.Changed("cpu"):
		return cli.Usagef("--cpu %s: on this board the players are red and %s", disc, second)
	default:
		c.Computer = board.Yellow
	}
	c.Level = int(level)
	return nil
}

// play plays where the display says. By itself that is plain text where input or
// output is no terminal, else through the daemon if one runs, else the HAT if
// there is one, else the terminal.
func (p *playing) play(cmd *cobra.Command, c game.Config) error {
	in, out := cli.IsTerminal(cmd.InOrStdin()), cli.IsTerminal(cmd.OutOrStdout())
	tty := cli.OnTerminal(cmd)
	display := p.display
	if display == "auto" {
		switch {
		case p.device:
			display = "hat"
		case !tty:
			display = "plain"
		}
	}
	switch display {
	case "plain":
		return p.here(cmd, c, func(k *kept) (bool, error) {
			c4 := new(computer)
			return false, plain.Play(cmd.Context(), k.config, plain.Options{
				In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Newline: !in || !out,
				Advise: c4.advise, Think: c4.think,
				Save: k.save, Finish: k.finish, Saved: k.saved, Resume: k.left,
			})
		})
	case "terminal":
		if !in || !out {
			return errors.New("standard input and output are no terminal: use --display plain")
		}
		return p.here(cmd, c, func(k *kept) (bool, error) { return p.playOn(cmd, k, nil, true) })
	case "emulator":
		panel, err := openEmulator(p.settings.Emulator(cmd.Flags()), tty)
		if err != nil {
			return err
		}
		defer panel.Close()
		return p.here(cmd, c, func(k *kept) (bool, error) { return p.playOn(cmd, k, panel, tty) })
	}
	if !p.device {
		client := control.Dial(p.settings.Socket)
		status, err := client.Status(cmd.Context())
		if err == nil {
			return p.attach(cmd, client, status, c, tty)
		}
		if !errors.Is(err, control.ErrNoDaemon) {
			return err
		}
	}
	o := p.settings.HAT()
	panel, err := openHAT(o, tty)
	switch {
	case err == nil:
		defer panel.Close()
		return p.here(cmd, c, func(k *kept) (bool, error) { return p.playOn(cmd, k, panel, tty) })
	case display == "auto" && errors.Is(err, hat.ErrNotFound):
		return p.here(cmd, c, func(k *kept) (bool, error) { return p.playOn(cmd, k, nil, true) })
	case errors.Is(err, hat.ErrNotFound):
		return fmt.Errorf("%w (%s); c4hat doctor looks further", err, pi.Describe())
	case display == "auto":
		return fmt.Errorf("%w; or play in the terminal with --display terminal", err)
	}
	return err
}

// openHAT opens the HAT's devices. The joystick may be plugged in later if there
// is a keyboard until then.
func openHAT(o *hat.Opts, keyboard bool) (*hatpanel.Panel, error) {
	matrix, err := hat.OpenMatrix(o)
	if err != nil {
		return nil, err
	}
	stick, err := hat.OpenJoystick(o)
	if err != nil && !(keyboard && errors.Is(err, hat.ErrNotFound)) {
		matrix.Close() // err says more
		return nil, err
	}
	return hatpanel.New(o, matrix, stick, cli.LogBeside(keyboard)), nil
}

// playOn plays on the HAT, if there is one, and in the terminal, if told to. It
// says whether a match was left that can be gone on with.
func (p *playing) playOn(cmd *cobra.Command, k *kept, onHAT *hatpanel.Panel, inTerminal bool) (left bool, err error) {
	s, err := k.state()
	if err != nil {
		return false, err
	}
	o := new(computer).options(slog.New(slog.DiscardHandler))
	o.Save, o.Finish, o.Saved = k.save, k.finish, k.saved
	dark, leave := func() {}, func() {}
	if onHAT != nil {
		onHAT.Paint = p.settings.Look().Frame
		if p.display != "emulator" { // whose window stands upright
			onHAT.Follow(p.settings.Upright())
		}
		o.Panels = append(o.Panels, onHAT)
		dark = onHAT.Close
		signal.Ignore(syscall.SIGPIPE) // the LEDs must go dark whoever stops listening
	}
	if inTerminal {
		panel, err := term.Open(term.PlayHelp)
		if err != nil {
			return false, err
		}
		panel.Look = p.settings.Look()
		defer panel.Close()
		leave = panel.Close
		o.Panels = append(o.Panels, panel)
	}
	s, err = loop.Run(cmd.Context(), s, o)
	dark() // first: a terminal may take its time
	leave()
	v := s.View(time.Now())
	if err == nil {
		err = printResult(cmd, v)
	}
	quit := err == nil || errors.Is(err, loop.ErrInterrupted)
	return quit && v.UnderWay && begun(game.Record{Match: v.Match, Game: v.Game, Opening: len(k.config.Opening)}), err
}

// printResult leaves the result on the screen that was there before.
func printResult(cmd *cobra.Command, v game.View) error {
	for _, text := range []string{game.PersonText(v.Match, v.Computer), game.MatchText(v.Match)} {
		if text == "" {
			continue
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), text); err != nil {
			return err
		}
	}
	return nil
}
