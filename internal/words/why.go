package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// The moods of a reason's verb.
const (
	could     = iota // "yellow could then win at once, …"
	wouldHave        // "column 4 would have won at once, …"
	does             // "column 4 wins at once, …"
)

// deeds has what a column does, in each mood.
var deeds = map[game.Kind][3]string{
	game.Wins:    {"win at once", "won at once", "wins at once"},
	game.Blocks:  {"block", "blocked", "blocks"},
	game.Threats: {"build two threats", "built two threats", "builds two threats"},
}

// deed says what a column does for a reason: "builds two threats, at columns 3 and 6". It is
// empty for reasons that are no deed.
func deed(w game.Why, mood int) string {
	text := deeds[w.Kind][mood]
	if w.After > 1 && w.Kind == game.Threats { // forced discs come before them
		text = [...]string{"force two threats", "forced two threats", "forces two threats"}[mood]
	}
	if text != "" && (mood == could || w.Kind == game.Threats) { // otherwise the column is named before
		text += ", at " + cells(w.Cells, false)
	}
	return text
}

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

// decides says which cell decides when the other columns are full.
func decides(winner string, c game.Cells) string {
	what, verb := "winning cell", "decides"
	if len(c.All(0)) > 1 {
		what, verb = "winning cells", "decide"
	}
	return fmt.Sprintf("%s's %s, %s, %s when the other columns are full", winner, what, cells(c, true), verb)
}

func later(winner string, c game.Cells) string {
	return fmt.Sprintf("even against the best defence %s gets two threats, at %s", winner, cells(c, false))
}

// seen reports whether people can see the reason on the board.
func seen(w game.Why) bool { return w.Kind == game.Zugzwang || deed(w, does) != "" }

// sees says which end of a game only the solver sees.
func sees(p board.Position, score int) string { return "a perfect player sees that " + Ends(p, score) }

const lost = "lost the game"

// Mistake says why a disc in the position has a mark, and which column would have been better, in whole
// sentences: "Disc 7 lost the game: yellow could then build two threats, at columns 3 and 6. Column 4
// would have kept the win." It is empty if the disc has none. Texts without a picture also name the
// disc's column, from 0; otherwise it is negative.
func Mistake(p board.Position, v game.Verdict, column int) string {
	if !v.Marked() {
		return ""
	}
	name := p.Rules().Name
	other := name(p.Turn().Other())
	text := fmt.Sprintf("Disc %d ", p.Ply()+1)
	if column >= 0 {
		text += "in " + Columns([]int{column}) + " "
	}
	switch {
	case v.Decided:
		text += lost
	case v.Sooner && v.Why.Kind == game.Wins:
		return text + fmt.Sprintf("let %s %s. ", other, deed(v.Why, could)) + better(p, v)
	case v.Sooner:
		text += fmt.Sprintf("let %s win %s", other, with(p, int(v.After)))
	default:
		text += fmt.Sprintf("gave %s's %s away", name(p.Turn()), Outcome(int(v.Before)))
	}
	switch w := v.Why; {
	case v.After == 0 && seen(v.Better): // the better column says more
	case v.After == 0:
		text += plainer(p, v)
	case w.Kind == game.Under:
		text += fmt.Sprintf(": it went under %s's winning cell, %s", other, cells(w.Cells, true))
	case w.Kind == game.Later:
		text += ": " + later(other, w.Cells)
	case w.Kind == game.Zugzwang:
		text += ": " + decides(other, w.Cells)
	case deed(w, could) != "":
		text += fmt.Sprintf(": %s could then %s", other, deed(w, could))
	default:
		text += ": " + sees(p, int(v.After)) + plainer(p, v)
	}
	return text + ". " + better(p, v)
}

// plainer says which later disc undid what only the computer sees, or from which one on people see it.
func plainer(p board.Position, v game.Verdict) string {
	then, own := fmt.Sprintf("with disc %d", v.Then), (int(v.Then)-p.Ply())%2 != 0
	if int(v.Then) == p.Ply()+2 {
		then = "with the next disc"
	}
	switch other := p.Rules().Name(p.Turn().Other()); {
	case v.Then == 0 && v.After == 0:
		return ", and it stayed a draw"
	case v.Then == 0:
		return ""
	case own && v.After == 0:
		return fmt.Sprintf(", and disc %d gave the draw away too", v.Then)
	case own:
		return fmt.Sprintf(", and people can see it from disc %d on", v.Then)
	case v.After == 0:
		return fmt.Sprintf(", but %s gave it back %s", other, then)
	default:
		return fmt.Sprintf(", but %s missed it %s", other, then)
	}
}

func better(p board.Position, v game.Verdict) string {
	w, had, name := v.Better, Outcome(int(v.Before)), p.Rules().Name
	kept := "kept the " + had
	switch {
	case v.Sooner && !v.Known:
		kept = "held out longer"
	case v.Sooner:
		kept = fmt.Sprintf("made %s need %s", name(p.Turn().Other()), more(winners(p, int(v.Before))))
	}
	keep := "would have " + kept
	column := Sentence(Columns([]int{w.Column()}))
	switch {
	case w.Kind == game.Blocks && !v.Known:
		return fmt.Sprintf("%s would have %s %s.", column, deed(w, wouldHave), name(p.Turn().Other()))
	case w.Kind == game.Blocks:
		return fmt.Sprintf("%s would have %s %s and %s.", column, deed(w, wouldHave), name(p.Turn().Other()), kept)
	case w.Kind == game.Zugzwang:
		return fmt.Sprintf("%s %s: %s.", column, keep, decides(name(p.Turn()), w.Cells))
	case deed(w, wouldHave) != "":
		return fmt.Sprintf("%s would have %s.", column, deed(w, wouldHave))
	}
	holding := v.Holding(p)
	text := Sentence(anyColumn(holding)) + " " + keep
	switch {
	case len(holding) == 1:
		text = "Only " + Columns(holding) + " " + keep
	case allOthers(p, holding):
		text = "Any other column " + keep
	}
	if v.After == 0 {
		text += ": " + sees(p, int(v.Before))
	}
	return text + "."
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
	name, score := p.Rules().Name, v.Advice.Score[v.Advice.Best(p)]
	other := name(p.Turn().Other())
	switch {
	case w.Kind == game.Only && score < 0:
		return "every other column loses sooner"
	case w.Kind == game.Only:
		return "every other column loses"
	case w.Kind == game.Later:
		return later(name(p.Turn()), w.Cells)
	case w.Kind == game.Zugzwang:
		return decides(name(p.Turn()), w.Cells)
	case w.Kind == game.Blocks:
		return "it " + deed(w, does) + " " + other
	case deed(w, does) != "":
		return "it " + deed(w, does)
	case w.Kind == game.Distance && score != 0: // the score is above the column
		return Score(v.Advice, v.Advice.Best(p)) + ": " + sees(p, score)
	}
	return ""
}
