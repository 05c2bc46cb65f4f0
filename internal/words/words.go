// Package words has the sentences about a game, each of them once. Terminals, plain text, commands
// and the page in a browser show them. A sentence has no capital at its start and no full stop at
// its end, because it may become a part of another one; [Sentence] adds the capital.
package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

// Sentence returns a text with a capital at its start.
func Sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// parts joins the parts of a sentence that are not empty.
func parts(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// count returns a number of things in words: "1 disc", "2 discs".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Columns names columns: "column 4", "columns 2, 3 and 5". The argument counts from 0.
func Columns(columns []int) string { return numbered("column", columns) }

func numbered(what string, numbers []int) string {
	if len(numbers) > 1 {
		what += "s"
	}
	return what + " " + list(numbers, "and")
}

// list lists numbers, with a word before the last one. They count from 0.
func list(numbers []int, word string) (text string) {
	for i, n := range numbers {
		switch {
		case i > 0 && i == len(numbers)-1:
			text += " " + word + " "
		case i > 0:
			text += ", "
		}
		text += strconv.Itoa(n + 1)
	}
	return text
}

// Cell names a cell: "column 4, row 1" is the lowest of the fourth column. The arguments count from 0.
func Cell(col, row int) string { return fmt.Sprintf("column %d, row %d", col+1, row+1) }

// Move announces the last disc: "red: column 4, row 1" or "yellow, the computer: …". It is empty
// before the first disc.
func Move(g board.Game, computer board.Disc) string { return last(g, computer, ": ") }

// dropped names the last disc within a sentence: "red, column 4, row 1".
func dropped(g board.Game, computer board.Disc) string { return last(g, computer, ", ") }

func last(g board.Game, computer board.Disc, separator string) string {
	col, row, ok := g.Last()
	if !ok {
		return ""
	}
	disc := g.Position().Turn().Other()
	who := g.Position().Rules().Name(disc)
	if disc == computer {
		who += ", the computer"
	}
	return who + separator + Cell(col, row)
}

// briefMove announces the last disc in the fewest words: "red 4".
func briefMove(g board.Game) string {
	col, _, ok := g.Last()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s %d", g.Position().Rules().Name(g.Position().Turn().Other()), col+1)
}

// NoDisc is said in place of the last disc.
const NoDisc = "no disc in this round yet"

// onBoard says how many discs are on the board, and where the last one is.
func onBoard(g board.Game) string {
	if g.Position().Ply() == 0 {
		return NoDisc
	}
	return count(g.Position().Ply(), "disc") + " on the board, the last one " + dropped(g, board.Empty)
}

// Back says which discs were taken back, each as [dropped] names it.
func Back(discs ...string) string { return "taken back: " + strings.Join(discs, "; ") }

// Turn returns the name of the player to move.
func Turn(g board.Game) string { return g.Position().Rules().Name(g.Position().Turn()) }

// you returns the computer's disc if what is said addresses the person who plays alone against it, and otherwise
// none: then nobody is "you".
func you(v *game.View, addressed bool) board.Disc {
	if addressed && v.Alone() {
		return v.Computer
	}
	return board.Empty
}

// wins says that a player wins: "red wins" or, to the person who plays against a computer, "you win".
func wins(r board.Rules, player, computer board.Disc) string {
	switch computer {
	case board.Empty:
		return r.Name(player) + " wins"
	case player:
		return "the computer wins"
	}
	return "you win"
}

// Round says how a round ended, with the points after it. Unless computer is empty, it addresses the person who
// plays against it.
func Round(m board.Match, o board.Outcome, computer board.Disc) string {
	if winner := o.Winner(); winner != board.Empty {
		return fmt.Sprintf("%s the round (%s)", wins(m.Rules(), winner, computer), Points(m))
	}
	return fmt.Sprintf("draw (%s)", Points(m))
}

// Match says who won a match: "red wins the match 2-0". It is empty if the match has no winner.
func Match(m board.Match) string {
	winner := m.Winner()
	if winner == board.Empty {
		return ""
	}
	return fmt.Sprintf("%s the match %d-%d", wins(m.Rules(), winner, board.Empty), m.Points(winner), m.Points(winner.Other()))
}

// Person tells a person how a match against the computer ended, or which program won. It is empty for
// other matches, and if a program's discs were dropped by others at the end.
func Person(r game.Record, seats [2]game.Seat) string {
	m, winner := r.Match, r.Match.Winner()
	switch {
	case winner == board.Empty:
		return ""
	case seats[winner-board.Red].Holder != "":
		return fmt.Sprintf("%s, %s, wins %d-%d", m.Rules().Name(winner), seats[winner-board.Red].Holder, m.Points(winner), m.Points(winner.Other()))
	case r.Computer == board.Empty, r.Programs[winner-board.Red] != "":
		return ""
	}
	return wins(m.Rules(), winner, r.Computer)
}

// Line says where the winner's line is. Unless computer is empty, it addresses the person who plays against it.
func Line(p board.Position, computer board.Disc) string {
	winner := p.Outcome().Winner()
	if winner == board.Empty {
		return ""
	}
	whose := "your"
	switch computer {
	case board.Empty:
		whose = p.Rules().Name(winner) + "'s"
	case winner:
		whose = "the computer's"
	}
	return whose + " line: " + Lines(p)
}

// Lines says where the winning lines are: "columns 3 to 6, row 1" or, for a diagonal from its left
// end, "columns 2 to 5, rows 4 to 1".
func Lines(p board.Position) string {
	lines, r := p.Lines(), p.Rules()
	var texts []string
	for _, d := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		for col := range r.Columns {
			for row := range r.Rows {
				n := 0
				for lines.Has(col+n*d[0], row+n*d[1]) {
					n++
				}
				if n >= r.Connect && !lines.Has(col-d[0], row-d[1]) { // from its first disc
					texts = append(texts, span("column", col, d[0]*(n-1))+", "+span("row", row, d[1]*(n-1)))
				}
			}
		}
	}
	return strings.Join(texts, " and ")
}

// span names one column or row, or a range of them: "rows 4 to 1". more is how far the last one is
// from the first, which counts from 0.
func span(what string, first, more int) string {
	if more == 0 {
		return fmt.Sprintf("%s %d", what, first+1)
	}
	return fmt.Sprintf("%ss %d to %d", what, first+1, first+more+1)
}

const longestQuote = 64

// Quote returns a foreign text in quotes, printable, and cut after 64 bytes so that it fits on a line.
func Quote(s string) string {
	if len(s) > longestQuote {
		return fmt.Sprintf("%q and so on", s[:longestQuote])
	}
	return fmt.Sprintf("%q", s)
}

// Clean returns a foreign text on one line, see [match.Printable], with a space for each run of white space.
func Clean(s string) string { return match.Printable(strings.Join(strings.Fields(s), " ")) }
