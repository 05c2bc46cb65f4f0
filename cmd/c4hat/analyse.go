package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/history"
	"github.com/c4hat/c4hat/internal/lines"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/solver"
	"github.com/spf13/cobra"
)

func newAnalyse() *cobra.Command {
	var p settings.Places
	asJSON := false
	cmd := &cobra.Command{
		Use:   "analyse [N | MOVES | -]",
		Short: "Find the discs that decided a game",
		Long: `Look back at a game, disc by disc: how it would have ended with perfect play before
and after each disc, which columns were best, and which discs changed the outcome.

Without an argument it is the last finished match. A number of up to three digits is a
match of c4hat stats; more digits are the moves of a game, as columns from 1 to 7. With
- each line of standard input is a game, and its analysis follows at once. A bad line is
named on standard error, and the exit status is 1.

Everything is exact, on the standard 7x6 board only. doc/analysis.md explains the text.`,
		Example: `  c4hat analyse                    the last match
  c4hat analyse 12                 the one that c4hat stats lists as 12
  c4hat analyse 44444433526        a game
  c4hat analyse --json - < games   many games, a JSON object per line`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usagef("analyse takes one match or game, not %q as well: use - for many; see %s --help", args[1], cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return completeMatch(&p, cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			games, err := gamesOf(cmd, &p, strings.Join(args, ""))
			if err != nil {
				return err
			}
			return analyse(cmd, games, asJSON)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per game")
	p.Add(cmd.Flags())
	return cmd
}

// named is a game to analyse.
type named struct {
	name    string // for people
	game    board.Game
	opening int   // plies that nobody chose
	err     error // why there is no game
}

// analyse writes the analysis of each game as soon as it is ready.
func analyse(cmd *cobra.Command, games iter.Seq2[named, error], asJSON bool) error {
	ctx, out, errs := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	progress := cli.NewProgress(errs)
	defer progress.Clear()
	doing := ""
	analyst := analysis.New(solver.Options{Progress: func(p solver.Progress) {
		progress.Show("%s, %.0f million positions", doing, float64(p.Nodes)/1e6)
	}})
	var result error
	before := analysis.Legend + "\n\n"
	for g, err := range games {
		if err != nil {
			return err
		}
		doing = g.name
		var r analysis.Report
		if err = g.err; err == nil {
			r, err = analyst.Report(ctx, g.game, g.opening, func(d analysis.Disc) {
				doing = fmt.Sprintf("%s: disc %d", g.name, d.Ply)
				progress.Show("%s", doing)
			})
		}
		progress.Clear()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			fmt.Fprintf(errs, "%s: %s\n", g.name, reason(err))
			result = cli.ErrReported
			continue
		case asJSON:
			err = json.NewEncoder(out).Encode(r)
		default:
			if _, err = fmt.Fprintf(out, "%s%s: %v\n", before, g.name, r.Game); err == nil {
				err = r.Write(out)
			}
			before = "\n"
		}
		if err != nil {
			return err
		}
	}
	return result
}

// reason says what is wrong with a game.
func reason(err error) string {
	var move *board.MoveError
	switch {
	case errors.As(err, &move):
		return fmt.Sprintf("move %d, %q: %s", move.Move, move.Rune, move.Reason())
	case errors.Is(err, solver.ErrRules):
		return "only games on the 7x6 board, with four in a line, can be analysed"
	}
	return err.Error()
}

// gamesOf yields the games that an argument stands for.
func gamesOf(cmd *cobra.Command, p *settings.Places, arg string) (iter.Seq2[named, error], error) {
	number, err := strconv.Atoi(arg)
	switch {
	case arg == "-":
		return gamesIn(cmd), nil
	case arg != "" && (err != nil || len(arg) > 3):
		g, err := board.ParseGame(board.Standard, board.Red, arg)
		if err != nil {
			return nil, cli.Usagef("%s: want the number of a match, the moves of a game, or -", reason(err))
		}
		return func(yield func(named, error) bool) { yield(named{name: "game", game: g}, nil) }, nil
	case arg != "" && number < 1:
		return nil, cli.Usagef("analyse %q: want the number of a match, as c4hat stats has them", arg)
	}
	if err := p.Read(cmd.Flags()); err != nil {
		return nil, err
	}
	h, err := history.Find(cmd.Context(), p)
	if err != nil {
		return nil, err
	}
	m, err := h.Match(number)
	if err != nil {
		return nil, err
	}
	return roundsOf(m)
}

// gamesIn yields the games of standard input, one per line.
func gamesIn(cmd *cobra.Command) iter.Seq2[named, error] {
	in := cmd.InOrStdin()
	if cli.IsTerminal(in) {
		fmt.Fprintln(cmd.ErrOrStderr(), "Type the moves of one game per line, such as 44444433526; Ctrl-D ends.")
	}
	return func(yield func(named, error) bool) {
		input := lines.Read(cmd.Context(), in)
		for n := 1; ; n++ {
			var l lines.Line
			select {
			case l = <-input:
			case <-cmd.Context().Done():
				yield(named{}, context.Cause(cmd.Context()))
				return
			}
			if errors.Is(l.Err, io.EOF) {
				return
			}
			if l.Err != nil {
				yield(named{}, fmt.Errorf("standard input: %w", l.Err))
				return
			}
			g := named{name: fmt.Sprint("line ", n)}
			moves := strings.TrimSpace(l.Text)
			switch {
			case moves == "":
				continue
			case l.Cut:
				g.err = errors.New("too long for a game")
			default:
				g.game, g.err = board.ParseGame(board.Standard, board.Red, moves)
			}
			if !yield(g, nil) {
				return
			}
		}
	}
}

// roundsOf yields the rounds of a match.
func roundsOf(m history.Match) (iter.Seq2[named, error], error) {
	r := m.Match.Record
	if rules := r.Match.Rules(); rules != board.Standard {
		return nil, fmt.Errorf("match %d was played on %v: only games on the 7x6 board, with four in a line, can be analysed", m.Number, rules)
	}
	return func(yield func(named, error) bool) {
		for i, g := range r.Games() {
			if g.String() == "" { // abandoned before its first disc
				continue
			}
			n := named{name: fmt.Sprintf("match %d, round %d", m.Number, i+1), game: g}
			if i == 0 {
				n.opening = r.Opening
			}
			if !yield(n, nil) {
				return
			}
		}
	}, nil
}
