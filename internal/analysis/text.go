package analysis

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Legend explains the table of [Report.Write].
const Legend = `before, after: how the game ends for the player who drops the disc, if both play perfectly
kept by: the columns that keep that result; * marks a disc that changed the outcome`

// Write writes the report as text: a table with a line for each disc, then the discs that
// changed the outcome, then how many of each player's discs kept the score.
func (r Report) Write(out io.Writer) error {
	w := bufio.NewWriter(out)
	if len(r.Discs) > 0 {
		fmt.Fprintf(w, "  disc  player  column  %-17s %-17s kept by\n", "before", "after")
	}
	for _, d := range r.Discs {
		mark := ' '
		if d.Marked() {
			mark = '*'
		}
		fmt.Fprintf(w, "%c %4d  %-6v  %6d  %-17s %-17s %s\n", mark, d.Ply+1, d.Player, d.Column+1,
			game.EndText(d.Before, d.Ply), game.EndText(d.After, d.Ply), strings.Trim(fmt.Sprint(fromOne(d.Best())), "[]"))
	}
	fmt.Fprintf(w, "%s\n", r.result())
	marks := 0
	for _, d := range r.Discs {
		if d.Marked() {
			marks++
			fmt.Fprintf(w, "%s\n", d.Story())
		}
	}
	if marks == 0 && len(r.Discs) > 0 {
		fmt.Fprintf(w, "no disc changed the outcome\n")
	}
	for _, player := range [2]board.Disc{board.Red, board.Yellow} {
		if t := r.Tally(player); t.Discs > 0 {
			times := "times"
			if t.Kept == 1 {
				times = "time"
			}
			fmt.Fprintf(w, "%v kept the value %d %s of %d\n", player, t.Kept, times, t.Discs)
		}
	}
	if len(r.Discs) > 0 {
		fmt.Fprint(w, r.decision())
	}
	return w.Flush()
}

// decision returns the line that names the disc that lost a finished game, or gave away the
// win in a drawn one: the last disc that changed the outcome.
func (r Report) decision() string {
	outcome := r.Game.Position().Outcome()
	if outcome == board.Playing {
		return ""
	}
	for _, d := range slices.Backward(r.Discs) {
		switch {
		case d.Marked() && outcome == board.Draw:
			return fmt.Sprintf("%v gave the win away with disc %d\n", d.Player, d.Ply+1)
		case d.Marked():
			return fmt.Sprintf("%v lost the game with disc %d\n", d.Player, d.Ply+1)
		}
	}
	if outcome == board.Draw {
		return "neither player could win\n"
	}
	return fmt.Sprintf("no disc lost the game: %v could always win\n", outcome.Winner())
}

// result says how the game ended, or how it would end with perfect play.
func (r Report) result() string {
	position := r.Game.Position()
	switch outcome := position.Outcome(); {
	case outcome == board.Draw:
		return "the game ended in a draw"
	case outcome != board.Playing:
		return fmt.Sprintf("%v won the game with disc %d", outcome.Winner(), position.Ply())
	case len(r.Discs) == 0:
		return "the game has no discs to judge"
	}
	last := r.Discs[len(r.Discs)-1]
	return fmt.Sprintf("the game is not over; with perfect play %v %s", last.Player, game.EndText(last.After, last.Ply))
}

// Story says how the disc changed the outcome, and which columns would have kept it: "disc 12,
// yellow, column 1: turned a win into a loss; column 4 kept it".
func (d Disc) Story() string {
	return fmt.Sprintf("disc %d, %v, column %d: turned a %s into a %s; %s kept it",
		d.Ply+1, d.Player, d.Column+1, game.OutcomeText(d.Before), game.OutcomeText(d.After), game.ColumnsText(d.Holding()))
}
