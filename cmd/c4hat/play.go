package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cpu"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/plain"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/spf13/cobra"
	xterm "golang.org/x/term"
)

// playFlags are what a match can be told.
type playFlags struct {
	size     sizeValue
	connect  numberValue
	points   numberValue
	first    choiceValue
	idle     timeValue
	seed     seedValue
	display  choiceValue
	position string
	forever  bool
	config   string
}

func newPlay() *cobra.Command {
	f := &playFlags{
		size:    sizeValue{board.Standard.Columns, board.Standard.Rows},
		connect: numberValue{board.Standard.Connect, 2, board.MaxSide},
		points:  numberValue{2, 1, 3},
		first:   choiceValue{"red", []string{"red", "yellow", "blue", "alternate", "loser", "random"}},
		idle:    timeValue{10 * time.Minute},
		seed:    seedValue{rand.Uint64()},
		display: choiceValue{"auto", []string{"auto", "terminal", "plain"}},
	}
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play a match for two",
		Long: `Play a match for two in this terminal.

Red and yellow drop discs in turn; four in a line win a round and a point, and
the first to two points wins the match. On the full 8x8 matrix yellow is blue.

Keys: arrows or h j k l move, space or enter drops, a digit drops straight into
that column, u takes a disc back, ? shows what each column is worth, p pauses,
q quits. The mouse works too.

Where input or output is no terminal, or with --display plain, the match is
played as lines of text: a column a line, u, ?, b for the board, q.

Settings may also stand in ` + usualConfig + `, or the file given with
--config, in the tables [game] (board, connect, points, first, idle) and
[machine] (display); a flag wins over the file.`,
		Example: `  c4hat play
  c4hat play --board 8x8 --first loser
  c4hat play --points 3 --connect 5 --board 8x7
  c4hat play --position 4453
  printf '4\n3\n4\n3\n4\n3\n4\n' | c4hat play --points 1`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := readConfig(f.config, cmd.Flags()); err != nil {
				return err
			}
			c, err := f.game(cmd.Flags().Changed("first"))
			if err != nil {
				return err
			}
			return play(cmd, f.display.word, c)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&f.size, "board", "size of the board, up to 8x8")
	flags.Var(&f.connect, "connect", "discs in a line that win, 2 to 8")
	flags.Var(&f.points, "points", "points that win the match, 1 to 3")
	flags.Var(&f.first, "first", "who starts each round; on 8x8 yellow is called blue")
	flags.StringVar(&f.position, "position", "", "start the first round after these moves, as in 4453")
	flags.BoolVar(&f.forever, "forever", false, "after a match go to the menu for the next one")
	flags.Var(&f.idle, "idle", "left alone for so long the screen goes dark, 0 for never")
	flags.Var(&f.seed, "seed", "make what is left to chance repeatable")
	flags.Var(&f.display, "display", "where to play")
	flags.StringVar(&f.config, "config", "", "configuration `FILE` (default "+usualConfig+")")
	complete := func(words ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	for name, words := range map[string][]string{
		"board":    {"7x6", "8x8", "8x7", "7x7", "5x4"},
		"connect":  {"3", "4", "5"},
		"points":   {"1", "2", "3"},
		"first":    f.first.choices,
		"display":  f.display.choices,
		"idle":     {"10m", "0"},
		"position": nil,
		"seed":     nil,
	} {
		_ = cmd.RegisterFlagCompletionFunc(name, complete(words...)) // the flags are right above
	}
	return cmd
}

// game is the configuration of the match. The name of the second player must be
// the one he has on the board, where the command line gives it.
func (f *playFlags) game(strict bool) (game.Config, error) {
	rules := board.Rules{Columns: f.size.columns, Rows: f.size.rows, Connect: f.connect.n}
	first := f.first.word
	if first == "yellow" || first == "blue" {
		if second := rules.Name(board.Yellow); strict && first != second {
			return game.Config{}, usagef("--first %s: on %s the players are red and %s", first, f.size.String(), second)
		}
		first = "yellow"
	}
	rule, err := board.ParseFirst(first)
	if err != nil {
		return game.Config{}, usageError{err}
	}
	c := game.Config{
		Rules: rules, Points: f.points.n, First: rule, Opening: f.position,
		Idle: f.idle.d, Seed: f.seed.n, Forever: f.forever,
	}
	// What the flags cannot see one by one shows when the game is made.
	var move *board.MoveError
	switch _, err := game.New(c, time.Now()); {
	case errors.Is(err, game.ErrNoLine):
		return c, usagef("no line of %d fits on %s: a match could never end; use a smaller --connect or a larger --board", rules.Connect, f.size.String())
	case errors.Is(err, game.ErrOpening):
		return c, usagef("--position %s: the round is already over there", f.position)
	case errors.As(err, &move):
		return c, usagef("--position %.64q: move %d, %q: %s", f.position, move.Move, move.Rune, move.Reason())
	case err != nil:
		return c, usageError{err}
	}
	return c, nil
}

// play plays where the display says.
func play(cmd *cobra.Command, display string, c game.Config) error {
	in, out := isTerminal(cmd.InOrStdin()), isTerminal(cmd.OutOrStdout())
	if display == "auto" {
		display = "plain"
		if kind := os.Getenv("TERM"); in && out && kind != "" && kind != "dumb" {
			display = "terminal"
		}
	}
	if display == "plain" {
		return plain.Play(cmd.Context(), c, plain.Options{
			In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Advise: advise, Newline: !in || !out,
		})
	}
	if !in || !out {
		return errors.New("standard input and output are no terminal: use --display plain")
	}
	return playInTerminal(cmd, c)
}

func playInTerminal(cmd *cobra.Command, c game.Config) error {
	s, err := game.New(c, time.Now())
	if err != nil {
		return err
	}
	panel, err := term.Open()
	if err != nil {
		return err
	}
	defer panel.Close()
	s, err = loop.Run(cmd.Context(), s, loop.Options{Panels: []loop.Panel{panel}, Advise: advise})
	panel.Close()
	// The result stays on the screen that was there before.
	if text := game.MatchText(s.Match()); err == nil && text != "" {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
	}
	return err
}

// advise says what each column is worth. A variable, so that a test can have it
// fail where nothing else can be made to.
var advise loop.Adviser = func(ctx context.Context, g board.Game) (game.Advice, error) {
	scores, exact, err := cpu.Estimate(ctx, g.Position())
	return game.Advice{Score: scores, Exact: exact}, err
}

// isTerminal says whether a stream of the command is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}
