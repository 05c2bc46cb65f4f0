package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// cells names cells, column by column. If none is named with its row, a disc can reach each now.
func cells(c game.Cells, rows bool) string {
	var columns []int
	in := map[int][]int{} // the rows by column
	for _, at := range c.All(0) {
		in[at[0]] = append(in[at[0]], at[1])
		if rows = rows || len(in[at[0]]) > 1; len(in[at[0]]) == 1 {
			columns = append(columns, at[0])
		}
	}
	if !rows {
		return Columns(columns)
	}
	var names []string
	for _, col := range columns {
		names = append(names, Columns([]int{col})+", "+numbered("row", in[col]))
	}
	return strings.Join(names, ", and ")
}

// reason says how a player wins: "two threats, at columns 3 and 6", or that cells at which three of the player's
// discs point decide. It is empty if only the variation shows it.
func reason(player string, w game.Why) string {
	switch w.Kind {
	case game.Threats, game.Later:
		text := "two threats, at " + cells(w.Cells, false)
		if w.Kind == game.Later {
			text += ", even against the best defence"
		}
		return text
	case game.Zugzwang:
		what, verb := "winning cell", "decides"
		if len(w.Cells.All(0)) > 1 {
			what, verb = "winning cells", "decide"
		}
		return fmt.Sprintf("%s's %s, %s, %s once the other columns are full", player, what, cells(w.Cells, true), verb)
	}
	return ""
}

// ToWin returns how many discs the winner still drops, given the score of the side to move. It turns that number
// into the winner's score just as well.
func ToWin(p board.Position, score int) int {
	left := p.Rules().Cells() - p.Ply()
	if score > 0 {
		left++
	}
	return left/2 + 1 - max(score, -score)
}

// in says how soon a win comes, in discs of the winner's.
func in(discs int) string {
	if discs == 1 {
		return " at once"
	}
	return fmt.Sprintf(" in %d discs", discs)
}

// Ends says how a game ends if both play perfectly, given the score of the side to move: "red can force a win in 3
// discs". Another verb may stand for can.
func Ends(p board.Position, score int, can string) string {
	who, n := "nobody", ToWin(p, score)
	if score != 0 {
		who = winner(p, score)
	}
	text := who + " " + can + " force a win"
	switch {
	case score == 0:
		return text
	case n == 1:
		return who + " " + can + " win at once"
	case n > game.Near:
		text += ", though only"
	}
	return text + in(n)
}

// Briefly is [Ends] in a table: "red, 3 discs".
func Briefly(p board.Position, score int) string {
	if score == 0 {
		return "draw"
	}
	return winner(p, score) + ", " + count(ToWin(p, score), "disc")
}

func winner(p board.Position, score int) string {
	side := p.Turn()
	if score < 0 {
		side = side.Other()
	}
	return p.Rules().Name(side)
}

// Outcome returns what a score means, as a noun: win, draw or loss.
func Outcome(score int) string { return [...]string{"loss", "draw", "win"}[1+cmp.Compare(score, 0)] }

// DiscIn and Discs name what [Remark] is about, by plies and a column.
func DiscIn(ply, column int) string {
	return fmt.Sprintf("Disc %d in %s", ply+1, Columns([]int{column}))
}

func Discs(plies []int) string { return Sentence(numbered("disc", plies)) }

// Remark says what there is to say about a disc in a position, and which column would have been better, in
// whole sentences that begin with the subject, the disc's name: "Disc 7 lost the game: yellow could then get two
// threats, at columns 3 and 6. Column 4 would have kept the draw." It is empty if there is nothing to say.
func Remark(p board.Position, v game.Verdict, subject string) string {
	name := p.Rules().Name
	me, other := name(p.Turn()), name(p.Turn().Other())
	switch {
	case !v.Marked():
		return ""
	case v.Decided && v.After == 0:
		subject += " made the game a draw"
	case v.Decided:
		subject += " " + lost
	case v.Changed():
		subject += fmt.Sprintf(" gave %s's %s away", me, Outcome(int(v.Before)))
	}
	text, why := "", reason(other, v.Why)
	switch {
	case v.Remark == game.MissedFour:
		text = fmt.Sprintf("%s missed %s in a row at %s", me, numbers[p.Rules().Connect], cells(v.Cells, false))
	case v.Remark == game.MissedBlock:
		text = fmt.Sprintf("%s had to block %s", me, cells(v.Cells, false))
	case v.Remark == game.Cornered:
		text = fmt.Sprintf("%s had %s threats, at %s, and %s could block only one", other, numbers[len(v.Cells.All(0))], cells(v.Cells, false), me)
	case v.Remark == game.Under:
		text = fmt.Sprintf("%s went under %s's winning cell, %s", me, other, cells(v.Cells, true))
	case v.After < 0 && v.Why.Kind == game.Zugzwang:
		text = why
	case v.After < 0 && why != "":
		text = other + " could then get " + why
	case v.After == 0 || !v.Decided && v.Seen(): // the better column says more
		return subject + ": " + better(p, v) + "."
	default:
		text = Ends(p, int(v.After), "could")
	}
	if text = subject + ": " + text + "."; v.Decided && (v.Remark == "" || v.Remark == game.Under) {
		text += " " + Sentence(better(p, v)) + "."
	}
	return text
}

const lost = "lost the game"

var numbers = [...]string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight"}

// better says what the best column would have done, with its reason, or with the number of discs to its win.
func better(p board.Position, v game.Verdict) string {
	column, best := Columns([]int{v.Better.Column()}), v.AtLeast(p, v.Before)
	won, comma := " would have won", ""
	switch why := reason(p.Rules().Name(p.Turn()), v.Better); {
	case v.Better.Kind == game.Zugzwang:
		return column + won + ", because " + why
	case why != "":
		return column + won + " with " + why
	case len(v.Holding(p)) == 1:
		column, comma = "only "+column, ","
	case allOthers(p, best):
		column = "any other column"
	default:
		column = "column " + list(best, "or")
	}
	if v.Before == 0 {
		return column + " would have kept the draw"
	}
	return column + won + comma + in(ToWin(p, int(v.Before)))
}

// allOthers reports whether columns are so many that nobody wants to hear each: all that have room but one.
func allOthers(p board.Position, columns []int) bool {
	return len(columns) > 2 && len(columns) == len(slices.Collect(p.LegalMoves()))-1
}

// Unseen tells of the discs, by plies, that gave a win or a draw away for no reason that people can see.
func Unseen(plies []int) string {
	return Discs(plies) + " changed the outcome, for reasons that only a perfect player sees."
}

// Missed adds to what was said of a disc that the other player's next one missed the chance.
func Missed(text, player string) string {
	return strings.TrimSuffix(text, ".") + ", but " + player + " missed the chance."
}
