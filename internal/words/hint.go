package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

var hint = screen{
	title: hintTitle, mine: hintMine, event: func(v *game.View) string { return Hint(v, Turn(v.Game)) }, help: hintHelp,
	keys: always("the cursor is on the best column; the hint ends with a press or after twenty seconds, then a press drops there"),
}

const you = "you" // against the computer

func hintTitle(v *game.View) string { return worthTo(v, Turn(v.Game)) }

func hintMine(v *game.View) string {
	if alone(v) {
		return worthTo(v, you)
	}
	return hintTitle(v)
}

func hintHelp(v *game.View) [2]string {
	unknown := "0 draws"
	if !v.Advice.Exact {
		unknown = "? unknown"
	}
	return [2]string{"larger + wins sooner  - loses  " + unknown, fmt.Sprintf("1-%d drop  Enter close  q quit", v.Match.Rules().Columns)}
}

// worthTo is the title of a hint. who names the player to move.
func worthTo(v *game.View, who string) string {
	best := v.Advice.Best(v.Game.Position()) + 1
	if guesses(v) {
		return uncertain + strconv.Itoa(best)
	}
	worth, what := "each column's worth", "best"
	if !v.Advice.Exact {
		worth = "known worth"
	}
	if v.Advice.Unknown(best - 1) {
		what = bestGuess
	}
	return fmt.Sprintf("%s to %s; %s: %d", worth, who, what, best)
}

const (
	uncertain = "nothing is certain yet; " + bestGuess + ": " // begins what is said of a hint that [guesses]
	bestGuess = "best guess"
)

// guesses reports whether a hint knows nothing about any column.
func guesses(v *game.View) bool {
	position := v.Game.Position()
	for col := range position.LegalMoves() {
		if !v.Advice.Unknown(col) {
			return false
		}
	}
	return true
}

// Hint says which column is best and why, and what each column is worth to who, the player to move,
// the best ones first.
func Hint(v *game.View, who string) string {
	position := v.Game.Position()
	if v.Solving.On {
		return fmt.Sprintf("only column %d wins, with %s", v.Advice.Best(position)+1, count(v.Solving.Discs, "disc"))
	}
	if guesses(v) {
		return Best(v)
	}
	if !v.Advice.Exact {
		who += ", as far as known"
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
		texts = append(texts, fmt.Sprintf("%s %s%s", Columns(rest[:same]), verb, what[2]))
		rest = rest[same:]
	}
	return fmt.Sprintf("%s; worth to %s: %s", Best(v), who, strings.Join(texts, "; "))
}

// worth says what a column is worth. It returns the verb for one column, the verb for several
// columns, and what follows the verb. Only exact scores tell how many discs the win takes.
func worth(p board.Position, a game.Advice, col int) (text [3]string) {
	score, wins := a.Score[col], p.Threats(p.Turn()).Has(col, p.Height(col))
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
			text[2] = " with " + more(winners(p, score))
		}
	default:
		text = [3]string{"loses", "lose"}
		switch {
		case !a.Exact:
		case winners(p, score) == 1:
			text[2] = fmt.Sprintf(" to %s's next disc", other)
		default:
			text[2] = ": " + Ends(p, score)
		}
	}
	return text
}
