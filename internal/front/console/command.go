package console

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// commands are what somebody can type on a turn, apart from a column.
var commands = []struct{ short, long, args, help string }{
	{"u", "undo", "", "take back the last disc"},
	{"?", "hint", "", "which column is best, and why"},
	{"b", "board", "", "the board, top row first"},
	{"c", "column", "", "the discs in each column; c 4 those in column 4, c 4 2 the cell in row 2"},
	{"r", "row", " 1", "the bottom row, r 2 the one above"},
	{"d", "diagonal", " 4 2", "the two diagonals through column 4, row 2"},
	{"s", "status", "", "how it stands, who plays, and whose turn it is"},
	{"l", "last", "", "the last disc"},
	{"q", "quit", "", "leave; a match with discs is kept"},
}

// help lists the commands.
func (n *narrator) help() {
	n.say("A number drops a disc into that column. The other commands:")
	for _, c := range commands {
		if c.short != "u" || !n.Last.Solving.On {
			n.say(fmt.Sprintf("%-5s or %s%s: %s", c.short+c.args, c.long, c.args, c.help))
		}
	}
}

// others names the commands that somebody needs most.
func others(puzzle bool) string {
	undo := "u undo, "
	if puzzle {
		undo = ""
	}
	return undo + "? hint, b board, q quit; help lists all commands"
}

// question asks the player whose turn it is for a column.
func (n *narrator) question() string {
	position := n.Last.Game.Position()
	r := position.Rules()
	who := r.Name(position.Turn())
	if n.Last.Alone() && !n.Last.Solving.On {
		who = words.YourTurn
	}
	return fmt.Sprintf("%s, column 1-%d:", who, r.Columns)
}

// command executes a line that was typed during a match or a puzzle, and returns the event for the
// game. If the line is a question or makes no sense, command writes an answer and returns nil.
func (n *narrator) command(text string) game.Event {
	v := n.Last
	if v.Phase == game.Hinting { // whoever asks has heard it
		v.Phase = game.Aim
	}
	p, r, puzzle := v.Game.Position(), v.Match.Rules(), v.Solving.On
	want := fmt.Sprintf("type 1 to %d, or %s.", r.Columns, others(puzzle))
	args := strings.Fields(strings.ToLower(text))
	if len(args) == 0 {
		n.say("That line is empty: " + want)
		return nil
	}
	word := args[0]
	for _, c := range commands {
		if word == c.long || word == c.long+"s" {
			word = c.short
		}
	}
	limits := []int{r.Columns, r.Rows}
	if word == "r" {
		limits = limits[1:]
	}
	at, exist := numbers(args[1:], limits)
	switch does := fmt.Sprint(word, len(args)-1); {
	case does == "u0" && !puzzle:
		return game.Undo
	case does == "?0" && n.Last.Phase == game.Hinting:
		n.Hint()
	case does == "?0":
		return game.Hint
	case does == "q0", does == "exit0":
		return game.Quit{}
	case does == "h0", does == "help0":
		n.help()
	case does == "b0":
		n.board(p)
	case does == "s0":
		n.sentence(words.Now(&v, true))
	case does == "l0":
		n.sentence(cmp.Or(words.Move(v.Game, v.Computer), words.NoDisc))
	case does == "c0":
		n.say(words.OnBoard(p)...)
	case does == "c1" && exist:
		n.say(words.Column(p, at[0]))
	case does == "c2" && exist:
		n.say(words.InCell(p, at[0], at[1]))
	case does == "r1" && exist:
		n.say(words.Row(p, at[0]))
	case does == "d2" && exist:
		n.say(words.Diagonals(p, at[0], at[1])...)
	case word == "c", word == "r", word == "d":
		n.say(fmt.Sprintf("Columns count from 1 to %d, and rows from 1 at the bottom to %d: c 4 is a column, r 2 a row, c 4 2 a cell, d 4 2 its diagonals.", r.Columns, r.Rows))
	default:
		number, err := strconv.ParseUint(word, 10, 8)
		switch {
		case err != nil || len(args) > 1:
			n.say(words.Quote(strings.TrimSpace(text)) + " is not a column: " + want)
		case number < 1 || int(number) > r.Columns:
			n.sentence(words.Notice(game.Notice{Kind: game.NoticeNoColumn, Column: int(number)}))
		default:
			return game.Disc{Col: int(number) - 1, Number: v.Discs() + 1} // it never falls twice
		}
	}
	return nil
}

// numbers reads numbers from 1 to their limits, and returns them as counted from 0.
func numbers(args []string, limits []int) (at []int, ok bool) {
	for i, arg := range args {
		number, err := strconv.ParseUint(arg, 10, 8)
		if err != nil || i >= len(limits) || number < 1 || int(number) > limits[i] {
			return nil, false
		}
		at = append(at, int(number)-1)
	}
	return at, true
}
