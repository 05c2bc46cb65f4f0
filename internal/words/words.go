// Package words has the sentences about a game, each of them once. Terminals, plain text, commands
// and the page in a browser show them. A sentence has no capital at its start and no full stop at
// its end, because it may become a part of another one; [Sentence] adds the capital.
package words

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
)

// Sentence returns a text with a capital at its start.
func Sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Move announces the last disc: "red: column 4, row 1" or "yellow, the computer: …". It is empty
// before the first disc.
func Move(g board.Game, computer board.Disc) string { return last(g, computer, ": ") }

// BriefMove announces the last disc in the fewest words: "red 4".
func BriefMove(g board.Game) string {
	col, _, ok := g.Last()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s %d", g.Position().Rules().Name(g.Position().Turn().Other()), col+1)
}

// Dropped names the last disc within a sentence: "red, column 4, row 1".
func Dropped(g board.Game, computer board.Disc) string { return last(g, computer, ", ") }

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

// Cell names a cell: "column 4, row 1" is the lowest of the fourth column. The arguments count from 0.
func Cell(col, row int) string { return fmt.Sprintf("column %d, row %d", col+1, row+1) }

// Turn returns the name of the player to move.
func Turn(g board.Game) string { return g.Position().Rules().Name(g.Position().Turn()) }

func TurnOf(g board.Game) string { return Turn(g) + "'s turn" }

// Rules returns the terms of a match: "4 in a row on 7x6, first to 2 points".
func Rules(m board.Match) string {
	r := m.Rules()
	return fmt.Sprintf("%d in a row on %dx%d, %s", r.Connect, r.Columns, r.Rows, Target(m))
}

// Target says what wins a match: "first to 2 points".
func Target(m board.Match) string { return "first to " + count(m.Target(), "point") }

// Computer says which player the computer is, and how well it plays. It is empty between two
// people.
func Computer(r game.Record) string {
	if r.Computer == board.Empty {
		return ""
	}
	text := fmt.Sprintf("the computer is %s, level %v", r.Match.Rules().Name(r.Computer), r.Level)
	if Estimates(r.Match.Rules(), r.Level) {
		text += ", which on this board looks far ahead at first, and plays perfectly later"
	}
	return text
}

// Estimates reports whether a level that knows everything on the standard board only looks ahead on
// this one.
func Estimates(r board.Rules, level levels.Level) bool {
	return level == levels.Perfect && r != board.Standard
}

// Points returns the points of a match: "red 1, yellow 0".
func Points(m board.Match) string {
	r := m.Rules()
	return fmt.Sprintf("%s %d, %s %d", r.Name(board.Red), m.Points(board.Red), r.Name(board.Yellow), m.Points(board.Yellow))
}

// Starts announces a round, at its start or later: "round 2: red 1, yellow 0; yellow starts".
func Starts(r game.Record, number int) string {
	starts := "starts"
	if r.Game.Position().Ply() > 0 {
		starts = "started, and " + onBoard(r.Game)
	}
	return fmt.Sprintf("round %d: %s; %s %s", number, Points(r.Match), r.Match.Rules().Name(r.Game.Starter()), starts)
}

func discsOnBoard(n int) string {
	return fmt.Sprintf("%s %s on the board", count(n, "disc"), areOrIs(n))
}

// onBoard says how many discs are on the board, and where the last one is.
func onBoard(g board.Game) string {
	text, last := discsOnBoard(g.Position().Ply()), Dropped(g, board.Empty)
	switch g.Position().Ply() {
	case 0:
		return text
	case 1:
		return text + ": " + last
	}
	return text + ", the last one " + last
}

// Round says how a round ended, with the points after it.
func Round(m board.Match, o board.Outcome) string {
	if winner := o.Winner(); winner != board.Empty {
		return fmt.Sprintf("%s wins the round (%s)", m.Rules().Name(winner), Points(m))
	}
	return fmt.Sprintf("draw (%s)", Points(m))
}

// Match says who won a match: "red wins the match 2-0". It is empty if the match has no winner.
func Match(m board.Match) string { return wins(m, "", " the match") }

// wins says that a player wins, with the winner's points first.
func wins(m board.Match, who, what string) string {
	winner := m.Winner()
	if winner == board.Empty {
		return ""
	}
	return fmt.Sprintf("%s%s wins%s %d-%d", m.Rules().Name(winner), who, what, m.Points(winner), m.Points(winner.Other()))
}

// Person tells a person how a match against the computer ended, or which program won. It is empty for
// other matches.
func Person(m board.Match, computer board.Disc, seats [2]game.Seat) string {
	switch winner := m.Winner(); {
	case winner == board.Empty:
		return ""
	case seats[winner-board.Red].Holder != "":
		return wins(m, ", "+seats[winner-board.Red].Holder+",", "")
	case computer == board.Empty:
		return ""
	case winner == computer:
		return "the computer wins"
	}
	return "you win"
}

// Lines says where the winning lines are: "columns 3 to 6, row 1" or, for a diagonal from its left
// end, "columns 2 to 5, rows 4 to 1".
func Lines(p board.Position) string {
	lines := p.Lines()
	r := p.Rules()
	var texts []string
	for _, d := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		for col := range r.Columns {
			for row := range r.Rows {
				if lines.Has(col-d[0], row-d[1]) { // not the first disc of the line
					continue
				}
				n := 0
				for lines.Has(col+n*d[0], row+n*d[1]) {
					n++
				}
				if n >= r.Connect {
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

// Columns names columns: "column 4", "columns 2, 3 and 5". The argument counts from 0.
func Columns(columns []int) string { return numbered("column", columns) }

// anyColumn names columns of which one would do: "column 2, 3 or 5".
func anyColumn(columns []int) string { return "column " + list(columns, "or") }

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

// count returns a number of things in words: "1 disc", "2 discs".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Ended says how the last round ended: "red won the round: columns 3 to 6, row 1". It is empty while
// a round is played.
func Ended(r game.Record) string {
	g, ok := r.Ended()
	if !ok {
		return ""
	}
	position := g.Position()
	winner := position.Outcome().Winner()
	if winner == board.Empty {
		return "the round was a draw"
	}
	return fmt.Sprintf("%s won the round: %s", r.Match.Rules().Name(winner), Lines(position))
}

// Seat says who holds a player's seat. It is empty if the seat is open.
func Seat(r board.Rules, player board.Disc, seat game.Seat) string {
	switch {
	case seat.State == game.Open:
		return ""
	case seat.State == game.Away:
		return r.Name(player) + " is away: waiting"
	case seat.Holder != "":
		return r.Name(player) + " is played by " + seat.Holder
	}
	return "somebody else plays " + r.Name(player)
}

// Line says where the winner's line is.
func Line(p board.Position) string {
	lines := Lines(p)
	if lines == "" {
		return ""
	}
	return fmt.Sprintf("%s's line: %s", p.Rules().Name(p.Outcome().Winner()), lines)
}

// Back says which discs were taken back, each as [Dropped] names it.
func Back(discs ...string) string { return "taken back: " + strings.Join(discs, "; ") }
