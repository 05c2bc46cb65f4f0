package tournament

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/words"
)

// Played is a game to analyse.
type Played struct {
	Name    string // where the game comes from, as shown to the user
	Game    board.Game
	Opening int    // discs of an opening that the players did not choose
	Fault   string // why the loser could not play on; empty if the game was played to its end
	Err     error  // why there is no game
}

// Choose yields the games to analyse: those of a match that find finds by its number, one game, or lines of standard
// input. find returns the number too, because 0 is the last match.
func Choose(
	ctx context.Context, std cli.Streams, rules board.Rules, arg string, find func(number int) (int, match.Record, error),
) (iter.Seq2[Played, error], error) {
	number, err := strconv.Atoi(arg)
	switch {
	case arg == "-":
		if cli.IsTerminal(std.In) {
			fmt.Fprintln(std.Errs, "Type the moves of one game per line, such as 44444433526; Ctrl-D ends.")
		}
		return gamesOf(Lines(ctx, nil, std.In), rules), nil
	case arg != "" && (err != nil || len(arg) > 3):
		g, err := board.ParseGame(rules, board.Red, arg)
		if err != nil {
			if _, missing := os.Stat(arg); missing == nil {
				return nil, cli.Usagef("%s is a file: use - < %[1]s", arg)
			}
			return nil, cli.Usagef("%s: type the number of a match, the moves of a game, or -", reason(err))
		}
		return func(yield func(Played, error) bool) { yield(Played{Name: "game", Game: g}, nil) }, nil
	case arg != "" && number < 1:
		return nil, cli.Usagef("%q is not the number of a match: c4hat stats lists them", arg)
	}
	number, r, err := find(number)
	if err != nil {
		return nil, err
	}
	if rules := r.Match.Rules(); rules.Connect != board.Standard.Connect {
		return nil, fmt.Errorf("match %d was played on %v: %s", number, rules, reason(solver.ErrRules))
	}
	return func(yield func(Played, error) bool) {
		for i, g := range r.Games() {
			p := Played{Name: fmt.Sprintf("match %d, round %d", number, i+1), Game: g, Opening: r.OpeningOf(i)}
			if g.String() != "" && !yield(p, nil) { // not abandoned before its first disc
				return
			}
		}
	}, nil
}

// gamesOf yields the games of lines: moves, or a line of a tournament's record.
func gamesOf(lines iter.Seq2[Line, error], rules board.Rules) iter.Seq2[Played, error] {
	return func(yield func(Played, error) bool) {
		for l, err := range lines {
			g := Played{Name: l.Where}
			switch {
			case err != nil:
			case l.Text == "":
				continue
			case l.Text[0] == '{':
				var t *Game
				if t, g.Err = parseGame([]byte(l.Text)); g.Err == nil {
					g.Game, g.Opening, g.Fault = t.played, len(t.Opening), t.Fault
					if rules := g.Game.Position().Rules(); t.Red != "" {
						g.Name += fmt.Sprintf(", %s (%s) against %s (%s)", t.Red, rules.Name(board.Red), t.Yellow, rules.Name(board.Yellow))
					}
				}
			default:
				g.Game, g.Err = board.ParseGame(rules, board.Red, l.Text)
			}
			if !yield(g, err) {
				return
			}
		}
	}
}

// Form is the form of reports.
type Form uint8

// The forms.
const (
	Table Form = iota
	JSON
	Sentences // for a screen reader: no table
)

// Analyse analyses games and writes the reports to out. For each game that it cannot analyse it
// writes a line to errs, and at the end it returns [cli.ErrReported]. Any other error comes from
// games or out, or is the context's cause.
func Analyse(ctx context.Context, games iter.Seq2[Played, error], out, errs io.Writer, form Form) error {
	progress, above := cli.NewProgress(errs), cli.FillLines(words.Legend, out)+"\n\n"
	worker := func() work[Played, answer] {
		doing := ""
		analyst := analysis.New(solver.Options{Progress: func(p solver.Progress) {
			progress.Show("%s, %.0f million positions", doing, float64(p.Nodes)/1e6)
		}})
		return func(ctx context.Context, g Played) (answer, error) {
			doing = g.Name
			r, err := analysis.Report{}, g.Err
			if err == nil {
				r, err = analyst.Report(ctx, g.Game, g.Opening, func(d analysis.Disc) {
					doing = fmt.Sprintf("%s: disc %d", g.Name, d.Ply)
					progress.Show("%s", doing)
				})
			}
			text := ""
			if r.Fault = g.Fault; err == nil {
				text, err = form.write(g.Name, r, above, out)
				above = "\n"
			}
			return answerOf(ctx, g.Name, text, err)
		}
	}
	return writeAll(inOrder(ctx, 1, games, worker), out, errs, progress)
}

// write returns a report as text, for the width of out, with what stands above a table.
func (f Form) write(name string, r analysis.Report, above string, out io.Writer) (string, error) {
	if f == JSON {
		line, err := json.Marshal(r)
		return string(line) + "\n", err
	}
	var text strings.Builder
	if f == Sentences {
		fmt.Fprintf(&text, "%s.\n", words.Sentence(name))
	} else {
		fmt.Fprintf(&text, "%s%s: %v\n", above, name, r.Game)
		_ = r.Table(&text)
	}
	for _, line := range r.Summary() {
		if f == Sentences {
			line = strings.TrimSuffix(words.Sentence(line), ".") + "."
		}
		fmt.Fprintln(&text, cli.FillLines(line, out))
	}
	return text.String(), nil
}
