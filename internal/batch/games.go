package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/history"
	"github.com/c4hat/c4hat/internal/tournament"
)

// Game is a game to analyse.
type Game struct {
	Name    string // where the game comes from, as shown to the user
	Game    board.Game
	Opening int    // discs of an opening that the players did not choose
	Fault   string // why the loser could not play on; empty if the game was played to its end
	Err     error  // why there is no game
}

// Choose yields the games to analyse: those of a match that find finds, one game, or lines of standard
// input.
func Choose(
	ctx context.Context, std cli.Streams, rules board.Rules, arg string,
	find func() (history.History, error),
) (iter.Seq2[Game, error], error) {
	number, err := strconv.Atoi(arg)
	switch {
	case arg == "-":
		if cli.IsTerminal(std.In) {
			fmt.Fprintln(std.Errs, "Type the moves of one game per line, such as 44444433526; Ctrl-D ends.")
		}
		return Games(ctx, std.In, rules), nil
	case arg != "" && (err != nil || len(arg) > 3):
		g, err := board.ParseGame(rules, board.Red, arg)
		if err != nil {
			if _, missing := os.Stat(arg); missing == nil {
				return nil, cli.Usagef("%s is a file: use - < %[1]s", arg)
			}
			return nil, cli.Usagef("%s: type the number of a match, the moves of a game, or -", Reason(err))
		}
		return func(yield func(Game, error) bool) { yield(Game{Name: "game", Game: g}, nil) }, nil
	case arg != "" && number < 1:
		return nil, cli.Usagef("analyse %q is not the number of a match: c4hat stats lists them", arg)
	}
	h, err := find()
	if err != nil {
		return nil, err
	}
	m, err := h.Match(number, std.Errs)
	if err != nil {
		return nil, err
	}
	return Rounds(m)
}

// Games yields the games of the standard input, one per line: moves, or a line of a tournament's record.
// Any later line of a record may replace a game, so these games come when the input has ended.
func Games(ctx context.Context, in io.Reader, rules board.Rules) iter.Seq2[Game, error] {
	return func(yield func(Game, error) bool) {
		var held []Game
		last := map[played]int{} // the index in held
		for next := Lines(in); ; {
			l, err := next(ctx)
			if errors.Is(err, io.EOF) {
				break
			}
			g := Game{Name: l.Where}
			moves := strings.TrimSpace(l.Text)
			switch {
			case err != nil:
			case moves == "":
				continue
			case l.Cut:
				g.Err = errors.New("too long for a game")
			case moves[0] == '{':
				var which played
				g, which = recorded(moves, rules)
				if g.Name = l.Where + g.Name; which.Number > 0 {
					held, last[which] = append(held, g), len(held)
					continue
				}
			default:
				g.Game, g.Err = board.ParseGame(rules, board.Red, moves)
			}
			if !yield(g, err) || err != nil {
				return
			}
		}
		for _, i := range slices.Sorted(maps.Values(last)) {
			if !yield(held[i], nil) {
				return
			}
		}
	}
}

// played tells the games of records apart.
type played struct {
	tournament.Key
	seed           uint64
	board, opening string
	connect        int
}

// recorded returns a game of a tournament's record, with its players as its name, and which game it is.
func recorded(line string, rules board.Rules) (g Game, which played) {
	var t tournament.Game
	switch err := json.Unmarshal([]byte(line), &t); {
	case err != nil, !strings.HasPrefix(t.Moves, t.Opening), t.Result == "":
		g.Err = errors.New("not a game of a tournament's record")
	case t.Connect != 0 && t.Connect != rules.Connect:
		g.Err = solver.ErrRules
	default:
		if t.Board != "" {
			rules.Columns, rules.Rows, g.Err = board.ParseSize(t.Board)
		}
		if g.Err == nil {
			g.Game, g.Err = board.ParseGame(rules, board.Red, t.Moves)
		}
		g.Opening, g.Fault = len(t.Opening), t.Fault
		if t.Red != "" {
			g.Name = fmt.Sprintf(", %s (%s) against %s (%s)", t.Red, rules.Name(board.Red), t.Yellow, rules.Name(board.Yellow))
		}
	}
	return g, played{t.Key(), t.Seed, t.Board, t.Opening, t.Connect}
}

// Rounds yields the rounds of a match.
func Rounds(m history.Match) (iter.Seq2[Game, error], error) {
	r := m.Match.Record
	if rules := r.Match.Rules(); rules.Connect != board.Standard.Connect {
		return nil, fmt.Errorf("match %d was played on %v: %s", m.Number, rules, Reason(solver.ErrRules))
	}
	return func(yield func(Game, error) bool) {
		for i, g := range r.Games() {
			if g.String() == "" { // abandoned before its first disc
				continue
			}
			n := Game{Name: fmt.Sprintf("match %d, round %d", m.Number, i+1), Game: g, Opening: r.OpeningOf(i)}
			if !yield(n, nil) {
				return
			}
		}
	}, nil
}
