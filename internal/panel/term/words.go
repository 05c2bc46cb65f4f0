package term

import (
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// headline describes the phase.
func headline(v *game.View) string {
	position := v.Game.Position()
	switch v.Phase {
	case game.Attract:
		return "nobody plays: a demo"
	case game.Dark:
		if v.UnderWay {
			return "a match, left alone in the dark"
		}
		return "nobody plays"
	case game.Menu:
		return v.Choices.Name()
	case game.Aim:
		if v.TakenTurn() {
			return game.SeatText(v.Match.Rules(), position.Turn())
		}
		return turn(v.Game) + " to move"
	case game.Thinking:
		return turn(v.Game) + ", the computer, thinks"
	case game.Fall:
		return game.MoveText(v.Game, v.Computer)
	case game.Cheer, game.Score, game.Drawn:
		return game.RoundText(v.Match, position.Outcome())
	case game.Victory:
		if person := game.PersonText(v.Match, v.Computer); person != "" {
			return person
		}
		return game.MatchText(v.Match)
	case game.Paused:
		return v.Choices.Page + ": " + v.Choices.Name()
	case game.Hinting:
		if v.Advice.Exact {
			return "each column's worth to " + turn(v.Game)
		}
		return "estimated worth to " + turn(v.Game)
	}
	return ""
}

// PlayHelp is the help for playing.
func PlayHelp(v *game.View) [2]string {
	switch v.Phase {
	case game.Aim, game.Fall:
		if v.Phase == game.Aim && v.TakenTurn() {
			return [2]string{"another client's turn", "u undo  p pause  q quit"}
		}
		return [2]string{
			fmt.Sprintf("arrows move  space drop  1-%d column", v.Match.Rules().Columns),
			"u undo  ? hint  p pause  q quit",
		}
	case game.Thinking:
		return [2]string{"the computer's turn", "u undo  p pause  q quit"}
	case game.Menu:
		return [2]string{"left, right choose  space start", "q quit"}
	case game.Paused:
		return [2]string{"left, right choose  space do it", "p play on  q quit"}
	case game.Hinting:
		return [2]string{"+ wins  - loses  0 draws  space goes on", "q quit"}
	case game.Over:
		return [2]string{}
	}
	return [2]string{"space goes on", "q quit"}
}

// beside returns the lines beside the picture: points, why a key was refused, and the moves
// or the hint.
func beside(v *game.View) []string {
	if !v.Phase.InMatch() {
		return nil
	}
	lines := []string{game.PointsText(v.Match), game.TargetText(v.Match)}
	if v.Computer != board.Empty {
		level := fmt.Sprintf("level %d", v.Level)
		if game.Estimates(v.Match.Rules(), v.Level) {
			level += ", estimates"
		}
		lines = append(lines, v.Match.Rules().Name(v.Computer)+": computer,", level)
	}
	notice := wrap(v.Notice.String(), sideWidth)
	for len(notice) < 2 {
		notice = append(notice, "")
	}
	lines = append(lines, notice...)
	if v.Phase == game.Hinting {
		return append(lines, advice(v)...)
	}
	if moves := v.Game.String(); moves != "" {
		lines = append(lines, "moves")
		lines = append(lines, chunks(moves, sideWidth)...)
	}
	return lines
}

// advice lists the scores of the columns, two per line.
func advice(v *game.View) []string {
	position := v.Game.Position()
	var lines []string
	for col := range v.Match.Rules().Columns {
		worth := "  full"
		if position.Legal(col) {
			worth = fmt.Sprintf("%6s", game.ScoreText(v.Advice.Score[col]))
		}
		entry := fmt.Sprintf("%d:%s", col+1, worth)
		if col%2 == 0 {
			lines = append(lines, entry)
		} else {
			lines[len(lines)-1] += "   " + entry
		}
	}
	return lines
}

// wrap breaks a text between words.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// chunks breaks a text anywhere.
func chunks(text string, width int) []string {
	var lines []string
	for len(text) > width {
		lines = append(lines, text[:width])
		text = text[width:]
	}
	return append(lines, text)
}
