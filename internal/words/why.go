package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// cells names cells. Their columns suffice if each is in another column, and a disc can reach it.
func cells(c game.Cells, rows bool) string {
	in, all := map[int][]int{}, c.All(0) // in has the rows by column
	for _, at := range all {
		in[at[0]] = append(in[at[0]], at[1])
	}
	columns := slices.Sorted(maps.Keys(in))
	if !rows && len(columns) == len(all) {
		return Columns(columns)
	}
	var names []string
	for _, col := range columns {
		names = append(names, Columns([]int{col})+", "+numbered("row", in[col]))
	}
	return strings.Join(names, ", and ")
}

// The forms of a verb in a sentence about a column.
const (
	could     = iota // "yellow could then build two threats"
	wouldHave        // "column 4 would have built two threats"
	does             // "column 4 builds two threats"
)

// threats says which two threats a column leads to: "builds two threats, at columns 3 and 6".
func threats(w game.Why, form int) string {
	verbs := [...]string{"build", "built", "builds"}
	if w.After > 1 { // forced discs come before them
		verbs = [...]string{"force", "forced", "forces"}
	}
	return verbs[form] + " " + two(w.Cells)
}

// decides says which winning cells decide when the other columns are full. Three discs point at each.
func decides(winner string, c game.Cells) string {
	what, verb := "winning cell", "decides"
	if len(c.All(0)) > 1 {
		what, verb = "winning cells", "decide"
	}
	return fmt.Sprintf("%s's %s, %s, %s when the other columns are full", winner, what, cells(c, true), verb)
}

func two(c game.Cells) string { return "two threats, at " + cells(c, false) }

// later is [threats] for threats that the opponent's answers do not force.
func later(c game.Cells) string { return two(c) + ", even against the best defence" }

// DiscIn and Discs name what [Remark] is about, by plies and a column.
func DiscIn(ply, column int) string {
	return fmt.Sprintf("Disc %d in %s", ply+1, Columns([]int{column}))
}

func Discs(plies []int) string { return Sentence(numbered("disc", plies)) }

// Remark says what there is to say about a disc in a position, and which column would have been better, in
// whole sentences that begin with the subject, the disc's name: "Disc 7 lost the game: yellow could then build
// two threats, at columns 3 and 6. Column 4 would have kept the draw." It is empty if there is nothing to say.
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
	text := ""
	switch w := v.Why; {
	case v.Remark == game.MissedFour:
		text = fmt.Sprintf("%s had %s in a row at %s", me, numbers[p.Rules().Connect], cells(v.Cells, false))
	case v.Remark == game.MissedBlock:
		text = fmt.Sprintf("%s had to block %s", me, cells(v.Cells, false))
	case v.Remark == game.Cornered:
		text = fmt.Sprintf("%s had %s threats, at %s, and %s could block only one", other, numbers[len(v.Cells.All(0))], cells(v.Cells, false), me)
	case v.Remark == game.Under:
		text = fmt.Sprintf("%s went under %s's winning cell, %s", me, other, cells(v.Cells, true))
	case v.After < 0 && w.Kind == game.Threats:
		text = other + " could then " + threats(w, could)
	case v.After < 0 && w.Kind == game.Later:
		text = other + " then gets " + later(w.Cells)
	case v.After < 0 && w.Kind == game.Zugzwang:
		text = decides(other, w.Cells)
	case v.After == 0 || !v.Decided && v.Seen(): // the better column says more
		return subject + ": " + better(p, v) + "."
	default:
		text = other + " could force a win"
		if n := winners(p, int(v.After)); n <= game.Near {
			text += " in " + count(n, "disc")
		} else {
			text += fmt.Sprintf(", though only in %d discs", n)
		}
	}
	if text = subject + ": " + text + "."; v.Decided && (v.Remark == "" || v.Remark == game.Under) {
		text += " " + Sentence(better(p, v)) + "."
	}
	return text
}

const lost = "lost the game"

var numbers = [...]string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight"}

// Unseen tells of the discs, by plies, that gave a win or a draw away for no reason that people can see.
func Unseen(plies []int, wins, draws bool) string {
	what := "a win"
	switch {
	case !wins:
		what = "a draw"
	case draws:
		what = "a win or a draw"
	}
	return fmt.Sprintf("%s gave %s away, but it takes a perfect player to see that.", Discs(plies), what)
}

// Missed adds to what was said of a disc that the next one missed the chance.
func Missed(text string, ply int) string {
	return fmt.Sprintf("%s, but disc %d missed it.", strings.TrimSuffix(text, "."), ply+1)
}

// better says what the best column would have done, with its reason, or with the number of discs to its win.
func better(p board.Position, v game.Verdict) string {
	w := v.Better
	column, best := Columns([]int{w.Column()}), v.AtLeast(p, v.Before)
	switch w.Kind {
	case game.Threats:
		return column + " would have " + threats(w, wouldHave)
	case game.Later:
		return fmt.Sprintf("%s would have won with %s", column, later(w.Cells))
	case game.Zugzwang:
		return fmt.Sprintf("%s would have won, because %s", column, decides(p.Rules().Name(p.Turn()), w.Cells))
	}
	in := " in "
	switch {
	case len(v.Holding(p)) == 1:
		column, in = "only "+column, ", in "
	case allOthers(p, best):
		column = "any other column"
	default:
		column = anyColumn(best)
	}
	if v.Before == 0 {
		return column + " would have kept the draw"
	}
	return column + " would have won" + in + count(winners(p, int(v.Before)), "disc")
}

// allOthers reports whether columns are so many that nobody wants to hear each: all that have room but one.
func allOthers(p board.Position, columns []int) bool {
	return len(columns) > 2 && len(columns) == len(slices.Collect(p.LegalMoves()))-1
}

// Best names the best column of a hint, with its reason: "best: column 4, it builds two threats, at
// columns 3 and 6".
func Best(v *game.View) string {
	p, col := v.Game.Position(), v.Advice.Best(v.Game.Position())
	if guesses(v) {
		return uncertain + Columns([]int{col})
	}
	text := fmt.Sprintf("best: column %d", col+1)
	if equal := slices.DeleteFunc(slices.Collect(p.LegalMoves()), func(other int) bool {
		return other == col || v.Advice.Score[other] != v.Advice.Score[col] || v.Advice.Unknown(other)
	}); allOthers(p, equal) {
		text += " (all others are as good)"
	} else if len(equal) > 0 {
		text += fmt.Sprintf(" (%s %s as good)", Columns(equal), areOrIs(len(equal)))
	}
	if why := Because(v); why != "" && v.Advice.Why.Kind != game.Distance { // each worth has the number of discs
		text += ", " + why
	}
	return text
}

// Because says why the best column of a hint is best. It is empty if there is no reason.
func Because(v *game.View) string {
	p, w := v.Game.Position(), v.Advice.Why
	me, best := p.Turn(), v.Advice.Best(p)
	score := v.Advice.Score[best]
	switch w.Kind {
	case game.Wins:
		return "it wins at once"
	case game.Blocks:
		return "it blocks " + p.Rules().Name(me.Other())
	case game.Threats:
		return "it " + threats(w, does)
	case game.Later:
		return "it gets " + later(w.Cells)
	case game.Zugzwang:
		return decides(p.Rules().Name(me), w.Cells)
	case game.Only:
		if score < 0 {
			return "every other column loses sooner"
		}
		return "every other column loses"
	case game.Distance:
		if score != 0 { // the score is above the column
			return Score(v.Advice, best) + ": a perfect player sees that " + Ends(p, score)
		}
	}
	return ""
}
