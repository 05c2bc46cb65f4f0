package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/plain"
	"github.com/c4hat/c4hat/internal/term"
	"github.com/spf13/cobra"
)

func newReplay() *cobra.Command {
	var p places
	asJSON := false
	cmd := &cobra.Command{
		Use:   "replay [N]",
		Short: "Play a match that is over once more",
		Long: `Play a match that is over once more in this terminal: the last one, or the Nth as
c4hat stats counts them. Space or the right arrow drops the next disc at once, p
stops and goes on, q quits.

The matches are the running daemon's; without one, those you have played by
yourself. --state reads those of a folder. Where the output is no terminal the
match is told in lines of text.`,
		Example: `  c4hat replay             the last match
  c4hat replay 12          the one that c4hat stats lists as 12
  c4hat replay 12 | less   in words
  c4hat replay --json 12   for programs`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usagef("replay takes the number of one match, not %q as well; see %s --help", args[1], cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: p.completeMatch,
		RunE: func(cmd *cobra.Command, args []string) error {
			number := 0
			if len(args) == 1 {
				n, err := strconv.Atoi(args[0])
				if err != nil || n < 1 {
					return cli.Usagef("replay %q: want the number of a match, as c4hat stats has them", args[0])
				}
				number = n
			}
			if err := p.read(cmd.Flags()); err != nil {
				return err
			}
			h, err := p.history(cmd)
			if err != nil {
				return err
			}
			n, err := h.find(number)
			switch {
			case err != nil:
				return err
			case asJSON:
				return cli.WriteJSON(cmd.OutOrStdout(), n)
			case cli.OnTerminal(cmd):
				return replay(cmd, n)
			}
			return plain.Tell(cmd.OutOrStdout(), game.Record(n.Match.Match))
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&asJSON, "json", false, "the match as an object, for programs")
	p.add(cmd.Flags())
	return cmd
}

// find gives a match by its number, the last one for 0.
func (h history) find(number int) (numbered, error) {
	var n numbered
	for e, err := range h.entries {
		if err != nil {
			return n, err
		}
		n = numbered{n.Number + 1, e}
		if n.Number == number {
			return n, nil
		}
	}
	switch {
	case n.Number == 0:
		return n, fmt.Errorf("no match is over yet (%s)", h.of)
	case number == 0:
		return n, nil
	}
	return n, fmt.Errorf("there is no match %d, the last one is %d (%s)", number, n.Number, h.of)
}

// replay plays a match once more in the terminal.
func replay(cmd *cobra.Command, n numbered) error {
	// The setup is that of the record; of the configuration nothing matters.
	s, err := game.Resume(game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}}, n.beginning(), time.Now())
	if err != nil {
		return err
	}
	p := newProjector(game.Record(n.Match.Match))
	screen, err := term.Open(p.help)
	if err != nil {
		return err
	}
	defer screen.Close()
	p.screen = screen
	_, err = loop.Run(cmd.Context(), s, loop.Options{Panels: []loop.Panel{p}})
	screen.Close()
	if err == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "match %d: %s\n", n.Number, resultText(n.Match))
	}
	return err
}

// beginning is the match before its first disc, its opening apart.
func (n numbered) beginning() game.Record {
	r := game.Record(n.Match.Match)
	m, _ := board.NewMatch(r.Match.Rules(), r.Match.Target(), r.Match.First(), r.Match.Seed()) // it was one before
	first := append(r.Match.Games(), r.Game.String())[0]
	g, _ := board.ParseGame(m.Rules(), m.Starter(), first[:r.Opening])
	// Two people play what the computer played: its moves are known.
	return game.Record{ID: r.ID, Match: m, Game: g, Opening: r.Opening}
}
