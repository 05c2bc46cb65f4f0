package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/front/bot"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/spf13/cobra"
)

func newEngine() *cobra.Command {
	s := settings.New()
	level := levels.Usual
	cmd := &cobra.Command{
		Use:   "engine",
		Short: "Play for another program, line by line",
		Long: `Play one side of a game for another program, as every program in c4hat tournament does.
Each line of standard input has the moves so far, as columns from 1; an empty line is the
start of a game. c4hat engine answers each line with the computer's column. The variables
C4HAT_BOARD and C4HAT_CONNECT describe the board; flags override them.`,
		Example: `  echo 4453 | c4hat engine --level perfect
  c4hat tournament medium "m2=c4hat engine --level medium"`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for flag, variable := range map[string]string{"board": "C4HAT_BOARD", "connect": "C4HAT_CONNECT"} {
				if text := os.Getenv(variable); text != "" && !cmd.Flags().Changed(flag) {
					if err := cmd.Flags().Set(flag, text); err != nil {
						return cli.Usagef("%s=%s: %w", variable, text, err)
					}
				}
			}
			rules, err := s.Rules()
			if err != nil {
				return err
			}
			var player computer.Computer
			chance := rand.New(rand.NewPCG(s.Seed, 0))
			choose := func(ctx context.Context, p board.Position) (int, error) {
				return player.Choose(ctx, level, p, chance.Uint64())
			}
			if cli.IsTerminal(cmd.InOrStdin()) {
				fmt.Fprintln(cmd.ErrOrStderr(), "Type the moves so far, such as 4453, or nothing at the start; Ctrl-D ends.")
			}
			return bot.Engine(cmd.Context(), rules, cmd.InOrStdin(), cmd.OutOrStdout(), choose)
		},
	}
	f := cmd.Flags()
	f.Var(settings.Level(&level, level), "level", "the computer's level")
	s.Add(f, settings.Rules+"seed")
	return cmd
}
