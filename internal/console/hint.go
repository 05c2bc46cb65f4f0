package console

import (
	"fmt"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// hint says what each column is worth, the best ones first, and which one is best.
func (n *narrator) hint(v game.View) {
	position := v.Game.Position()
	kind := "Worth"
	if !v.Advice.Exact {
		kind = "Estimated worth"
	}
	columns := slices.Collect(position.LegalMoves())
	slices.SortStableFunc(columns, func(a, b int) int { return v.Advice.Score[b] - v.Advice.Score[a] })
	var texts []string
	for rest := columns; len(rest) > 0; {
		what := worth(position, v.Advice, rest[0])
		same := 1
		for same < len(rest) && worth(position, v.Advice, rest[same]) == what {
			same++
		}
		verb := what[0]
		if same > 1 {
			verb = what[1]
		}
		slices.Sort(rest[:same])
		texts = append(texts, fmt.Sprintf("%s %s%s", game.ColumnsText(rest[:same]), verb, what[2]))
		rest = rest[same:]
	}
	best := v.Advice.Best(position)
	equal := slices.DeleteFunc(columns, func(col int) bool {
		return col == best || v.Advice.Score[col] != v.Advice.Score[best] || v.Advice.Unknown(col)
	})
	text := fmt.Sprintf("best: column %d", best+1)
	switch len(equal) {
	case 0:
	case 1:
		text += fmt.Sprintf(" (%s is as good)", game.ColumnsText(equal))
	default:
		text += fmt.Sprintf(" (%s are as good)", game.ColumnsText(equal))
	}
	n.say("%s to %s: %s; %s", kind, position.Rules().Name(position.Turn()), strings.Join(texts, "; "), text)
}

// worth says what a column is worth. It returns the verb for one column, the verb for several
// columns, and what follows the verb. Only exact scores tell how many discs the win takes.
func worth(p board.Position, a game.Advice, col int) (text [3]string) {
	score, wins := a.Score[col], p.Threats(p.Turn()).Has(col, p.Height(col))
	discs := (game.EndsAt(score, p.Ply()) - p.Ply() + 2) / 2 // of the winner
	switch other := p.Rules().Name(p.Turn().Other()); {
	case wins:
		return [3]string{"wins", "win", " at once"}
	case a.Unknown(col):
		return [3]string{"is", "are", " unknown"}
	case score == 0:
		return [3]string{"draws", "draw"}
	case score > 0:
		text = [3]string{"wins", "win"}
		if a.Exact {
			text[2] = " with " + game.DiscsText(discs)
		}
	default:
		text = [3]string{"loses", "lose"}
		switch {
		case !a.Exact:
		case discs == 1:
			text[2] = fmt.Sprintf(" to %s's next disc", other)
		default:
			text[2] = fmt.Sprintf(" after %d discs of %s", discs, other)
		}
	}
	return text
}
