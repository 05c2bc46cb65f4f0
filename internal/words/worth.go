package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

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

// winners returns how many discs the winner still drops, given the score of the side to move.
func winners(p board.Position, score int) int {
	return (EndsAt(p.Rules().Cells(), score, p.Ply()) - p.Ply() + 2) / 2
}

// with says how far a win is, always in the winner's discs from a position on, as puzzles do: "disc 7"
// is only a disc's name.
func with(p board.Position, score int) string {
	if n := winners(p, score); n > 1 {
		return fmt.Sprintf("with %d more %s discs", n, winner(p, score))
	}
	return "with its next disc"
}

func more(discs int) string { return count(discs, "more disc") }

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

const nobody = "nobody wins"

// Ends says how a game ends if both play perfectly, given the score of the side to move: "red wins with
// 3 more red discs".
func Ends(p board.Position, score int) string {
	if score == 0 {
		return nobody
	}
	return winner(p, score) + " wins " + with(p, score)
}

// Briefly is [Ends] in a table: "red, 3 discs".
func Briefly(p board.Position, score int) string {
	if score == 0 {
		return "draw"
	}
	return winner(p, score) + ", " + count(winners(p, score), "disc")
}

func winner(p board.Position, score int) string {
	side := p.Turn()
	if score < 0 {
		side = side.Other()
	}
	return p.Rules().Name(side)
}

// EndsAt returns the ply of the game's last disc, given the score of the side that moves at a ply.
func EndsAt(cells, score, ply int) int {
	winner := ply // a ply of the winner's
	if score == 0 {
		return cells - 1
	} else if score < 0 {
		winner++
	}
	end := cells - 2*max(score, -score)
	return end + (end-winner)&1
}

// Outcome returns what a score means, as a noun: win, draw or loss.
func Outcome(score int) string {
	switch {
	case score > 0:
		return "win"
	case score < 0:
		return "loss"
	}
	return "draw"
}

// looked describes what is shown while somebody looks back at a match. text announces its last disc.
func looked(v *game.View, text string) string {
	g := v.Board()
	why := Blame(v)
	switch line := Line(g.Position()); {
	case v.Look.Variation != "" && (v.Look.Step == 0 || v.Look.Hurries()):
		begins := *v
		begins.Look.Step = 0
		return Title(&begins)
	case v.Look.Variation != "" && line != "":
		text += ". " + Sentence(line)
		if v.Look.Long() {
			text = "the variation ends: " + text
		}
	case v.Look.Variation != "":
	case text == "":
		return fmt.Sprintf("round %d, before the first disc", v.Look.Round)
	case why != "":
		text += ". " + why
	}
	if end := g.Position().Ply() == v.Look.Discs; v.Look.Lost > 0 && v.Look.Variation == "" && (end && why == "" || v.Look.Last.Sooner) {
		loser := g.Starter()
		if v.Look.Lost%2 == 0 {
			loser = loser.Other()
		}
		text = fmt.Sprintf("%s. %s %s with disc %d", strings.TrimSuffix(text, "."), Sentence(g.Position().Rules().Name(loser)), lost, v.Look.Lost)
	}
	return text
}

// Blame is [Mistake] for the last disc that is shown while somebody looks back.
func Blame(v *game.View) string {
	g := v.Game
	_ = g.Undo() // before the first disc there is no verdict either
	return Mistake(g.Position(), v.Look.Last, -1)
}

// Next says how the round that somebody looks back at ends with perfect play. It is empty at the end
// of the round, and where blame, which is [Blame]'s text, says it.
func Next(v *game.View, blame string) string {
	position := v.Game.Position()
	next := v.Look.Next
	switch {
	case position.Ply() == v.Look.Discs, v.Look.Variation != "":
		return ""
	case !v.Look.Exact:
		return "known only with four in a line"
	case !next.Known:
		return "not known"
	}
	score, why := int(next.Before), v.Look.Last.Why.Kind
	if score != 0 && blame != "" && (why == game.Wins || strings.Contains(blame, with(position, score))) {
		return ""
	}
	return Ends(position, score)
}

// Puzzle says who moves in a puzzle, and with how many discs that player wins.
func Puzzle(p board.Position, discs int) string {
	return fmt.Sprintf("%s moves and wins with %s", p.Rules().Name(p.Turn()), count(discs, "disc"))
}

// NumberedPuzzle announces a puzzle, in a sentence.
func NumberedPuzzle(number int, p board.Position, discs int) string {
	return fmt.Sprintf("Puzzle %d: %s.", number, Puzzle(p, discs))
}

func areOrIs(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
