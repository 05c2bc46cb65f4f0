package game

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// The functions below return text for panels that show words.

// MoveText announces the last disc: "red: column 4, row 1" or "yellow, the computer: …". Rows are
// numbered from 1, starting at the bottom. The text is empty before the first disc.
func MoveText(g board.Game, computer board.Disc) string {
	col, row, ok := g.Last()
	if !ok {
		return ""
	}
	position := g.Position()
	disc := position.Turn().Other()
	who := position.Rules().Name(disc)
	if disc == computer {
		who += ", the computer"
	}
	return fmt.Sprintf("%s: column %d, row %d", who, col+1, row+1)
}

// RulesText returns the terms of a match: "4 in a row on 7x6, first to 2 points".
func RulesText(m board.Match) string {
	r := m.Rules()
	return fmt.Sprintf("%d in a row on %dx%d, %s", r.Connect, r.Columns, r.Rows, TargetText(m))
}

// TargetText says what wins a match: "first to 2 points".
func TargetText(m board.Match) string {
	if m.Target() == 1 {
		return "first to 1 point"
	}
	return fmt.Sprintf("first to %d points", m.Target())
}

// Estimates reports whether the level is [levels.Perfect] and the board is not the standard one.
// The level plays perfectly only on the standard board; on any other, it only looks ahead.
func Estimates(r board.Rules, level levels.Level) bool {
	return level == levels.Perfect && r != board.Standard
}

// PointsText returns the points of a match: "red 1, yellow 0".
func PointsText(m board.Match) string {
	r := m.Rules()
	return fmt.Sprintf("%s %d, %s %d", r.Name(board.Red), m.Points(board.Red), r.Name(board.Yellow), m.Points(board.Yellow))
}

// RoundText says how a round ended, with the points after it.
func RoundText(m board.Match, o board.Outcome) string {
	if winner := o.Winner(); winner != board.Empty {
		return fmt.Sprintf("%s wins the round (%s)", m.Rules().Name(winner), PointsText(m))
	}
	return fmt.Sprintf("draw (%s)", PointsText(m))
}

// MatchText says who won a match, with the winner's points first. It is empty if the match has no
// winner.
func MatchText(m board.Match) string {
	winner := m.Winner()
	if winner == board.Empty {
		return ""
	}
	return fmt.Sprintf("%s wins the match %d-%d", m.Rules().Name(winner), m.Points(winner), m.Points(winner.Other()))
}

// PersonText tells a person who played against the computer how the match ended. If a program won,
// the text names that program. The text is empty if the match has no winner, or if a person won a
// match without the computer.
func PersonText(m board.Match, computer board.Disc, programs [2]string) string {
	switch winner := m.Winner(); {
	case winner == board.Empty:
		return ""
	case programs[winner-board.Red] != "":
		return fmt.Sprintf("%s, %s, wins %d-%d", m.Rules().Name(winner), programs[winner-board.Red], m.Points(winner), m.Points(winner.Other()))
	case computer == board.Empty:
		return ""
	case winner == computer:
		return "the computer wins"
	}
	return "you win"
}

// LinesText says where the winning lines of a round are: "columns 3 to 6, row 1" or, for a diagonal
// from its left end, "columns 2 to 5, rows 4 to 1". It is empty if there is no winning line.
func LinesText(p board.Position) string {
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

// span names one column or row, or a range of them: "column 4", "rows 4 to 1". first counts from 0;
// more is how far the last one is from the first, negative if it has a lower number.
func span(what string, first, more int) string {
	if more == 0 {
		return fmt.Sprintf("%s %d", what, first+1)
	}
	return fmt.Sprintf("%ss %d to %d", what, first+1, first+more+1)
}

// ColumnsText names columns: "column 4", "columns 2, 3 and 5". The argument counts columns from 0
// on the left, the text from 1.
func ColumnsText(columns []int) string {
	text := "column"
	for i, col := range columns {
		switch {
		case i == 0 && len(columns) > 1:
			text = "columns"
		case i > 0 && i == len(columns)-1:
			text += " and"
		case i > 0:
			text += ","
		}
		text += " " + strconv.Itoa(col+1)
	}
	return text
}

// EndedText says how the last round ended: "red won the round: columns 3 to 6, row 1". It is empty
// once the next round has a disc, and before a round has ended.
func EndedText(r Record) string {
	g, ok := r.Ended()
	if !ok {
		return ""
	}
	position := g.Position()
	winner := position.Outcome().Winner()
	if winner == board.Empty {
		return "the round was a draw"
	}
	return fmt.Sprintf("%s won the round: %s", r.Match.Rules().Name(winner), LinesText(position))
}

// SeatText says who holds a player's seat. It is empty if the seat is open.
func SeatText(r board.Rules, player board.Disc, seat Seat) string {
	switch seat {
	case Taken:
		return r.Name(player) + " is played by another client"
	case Away:
		return r.Name(player) + " is away: waiting"
	case Program:
		return r.Name(player) + " is a program"
	}
	return ""
}
