package words

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

var hint = screen{
	title: hintTitle, event: func(v *game.View) string { return Hint(v, false) }, help: hintHelp,
	keys: always("the cursor is on the best column; a press ends the hint, and the next press drops there"),
}

func hintHelp(v *game.View) [2]string {
	unknown := "0 draws"
	if !v.Advice.Exact {
		unknown = "? unknown"
	}
	return [2]string{"+9 wins before +1  - loses  " + unknown, fmt.Sprintf("1-%d drop  Enter close  q quit", v.Match.Rules().Columns)}
}

// hintTitle says what the best column does: "column 4 keeps the draw".
func hintTitle(v *game.View) string {
	p, a := v.Game.Position(), v.Advice
	best := a.Best(p)
	column := Columns([]int{best})
	switch score := a.Score[best]; {
	case a.Unknown(best):
		return column + " is the best guess"
	case score == 0:
		return column + " keeps the draw"
	case score < 0:
		return column + " holds out longest"
	}
	return column + " " + does(p, a, best, "s")
}

// does says what a column does; s is the ending of the verb. The number of discs helps only if it is small.
func does(p board.Position, a game.Advice, col int, s string) string {
	score := a.Score[col]
	verb, n := [...]string{"lose", "draw", "win"}[1+cmp.Compare(score, 0)]+s, ToWin(p, score)
	switch {
	case score == 0 || n > game.Near:
		return verb
	case score < 0 && n == 1:
		return fmt.Sprintf("%s to %s's next disc", verb, p.Rules().Name(p.Turn().Other()))
	}
	return verb + in(n)
}

// Hint says which column is best and why: "column 4 wins: two threats, at columns 3 and 6". Unless it is to be brief
// or gives a puzzle away, it says what the others do too, the better ones first.
func Hint(v *game.View, brief bool) string {
	p, a := v.Game.Position(), v.Advice
	text, best := hintTitle(v), a.Best(p)
	if a.Unknown(best) {
		text = "nothing is certain yet: " + text
	} else if why := Because(v); why != "" {
		text += ": " + why
	}
	columns := slices.DeleteFunc(slices.Collect(p.LegalMoves()), func(col int) bool { return col == best || a.Unknown(col) })
	slices.SortStableFunc(columns, func(i, j int) int { return a.Score[j] - a.Score[i] })
	for len(columns) > 0 && !brief && !v.Solving.On {
		what := does(p, a, columns[0], "")
		same := slices.IndexFunc(columns, func(col int) bool { return does(p, a, col, "") != what })
		if same < 0 {
			same = len(columns)
		}
		s := "s"
		if same > 1 {
			s = ""
		}
		slices.Sort(columns[:same])
		text += fmt.Sprintf("; %s %s", Columns(columns[:same]), does(p, a, columns[0], s))
		if !a.Unknown(best) && what == does(p, a, best, "") {
			text += " too"
		}
		columns = columns[same:]
	}
	return text
}

// Because says why the best column of a hint is best. It is empty if there is no short reason.
func Because(v *game.View) string {
	p := v.Game.Position()
	switch v.Advice.Why.Kind {
	case game.Blocks:
		return "it blocks " + p.Rules().Name(p.Turn().Other())
	case game.Only:
		if v.Advice.Score[v.Advice.Best(p)] == 0 {
			return "every other column loses"
		}
	}
	return reason(p.Rules().Name(p.Turn()), v.Advice.Why)
}

// Score returns the score of a column with its sign, such as "+18" or "0", or "?" if it is unknown.
func Score(a game.Advice, col int) string {
	switch {
	case a.Unknown(col):
		return "?"
	case a.Score[col] == 0:
		return "0"
	}
	return fmt.Sprintf("%+d", a.Score[col])
}
