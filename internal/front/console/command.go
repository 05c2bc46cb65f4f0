package console

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/words"
)

// command is what somebody can type on a turn, apart from a column.
type command struct {
	short, long string
	args        string // examples of numbers that may follow, such as " 4 2"
	match       bool   // not in a puzzle
	help        string
	do          func(n *narrator, at []int) game.Event // at counts from 0
	least, most int                                    // how many numbers follow; the last ones are a column and a row, or a row alone
}

var commands = []command{
	{short: "u", long: "undo", help: "take back the last disc", match: true, do: event(game.Undo)},
	{short: "?", long: "hint", help: "which column is best, and why", do: event(game.Hint)},
	{short: "b", long: "board", help: "the board, top row first", do: func(n *narrator, _ []int) game.Event {
		n.board(n.Last.Game.Position())
		return nil
	}},
	{short: "c", long: "column", most: 2, do: described(func(p board.Position, at []int) []string {
		switch len(at) {
		case 0:
			return words.OnBoard(p)
		case 1:
			return []string{words.Column(p, at[0])}
		}
		return []string{words.InCell(p, at[0], at[1])}
	}), help: "the discs in each column; c 4 those in column 4, c 4 2 only its second row from the bottom"},
	{short: "r", long: "row", args: " 1", least: 1, most: 1, do: described(func(p board.Position, at []int) []string {
		return []string{words.Row(p, at[0])}
	}), help: "the bottom row, r 2 the one above"},
	{short: "d", long: "diagonal", args: " 4 2", least: 2, most: 2, do: described(func(p board.Position, at []int) []string {
		return words.Diagonals(p, at[0], at[1])
	}), help: "the two diagonals through column 4, row 2"},
	{short: "s", long: "status", help: "how it stands", do: told(func(v *game.View) string { return words.Now(v, true) })},
	{short: "l", long: "last", help: "the last disc", do: told(func(v *game.View) string { return cmp.Or(words.Move(v.Game, v.Computer), words.NoDisc) })},
	{short: "w", long: "who", help: "who plays, and whose turn it is", do: told(words.Who)},
	{short: "q", long: "quit", help: "leave; a match with discs is kept", do: event(game.Quit{})},
}

func event(ev game.Event) func(*narrator, []int) game.Event {
	return func(*narrator, []int) game.Event { return ev }
}

// described answers a question about the board.
func described(say func(board.Position, []int) []string) func(*narrator, []int) game.Event {
	return func(n *narrator, at []int) game.Event {
		n.lines(say(n.Last.Game.Position(), at))
		return nil
	}
}

// told answers a question about the match.
func told(say func(*game.View) string) func(*narrator, []int) game.Event {
	return func(n *narrator, _ []int) game.Event {
		v := n.Last
		if v.Phase == game.Hinting { // whoever asks has heard it
			v.Phase = game.Aim
		}
		n.sentence(say(&v))
		return nil
	}
}

// help lists the commands.
func (n *narrator) help() {
	n.say("A number drops a disc into that column. The other commands:")
	for _, c := range commands {
		if !c.match || !n.Last.Solving.On {
			n.say("%-5s or %s%s: %s", c.short+c.args, c.long, c.args, c.help)
		}
	}
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
	r, puzzle := n.Last.Match.Rules(), n.Last.Solving.On
	want := fmt.Sprintf("type 1 to %d, or %s", r.Columns, others(puzzle))
	args := strings.Fields(strings.ToLower(text))
	if len(args) == 0 {
		n.say("That line is empty: %s.", want)
		return nil
	}
	if first := args[0]; len(first) > 1 && strings.IndexByte("crd", first[0]) >= 0 && first[1] >= '0' && first[1] <= '9' {
		args = append([]string{first[:1], first[1:]}, args[1:]...) // read c4 as c 4
	}
	word, rest := args[0], args[1:]
	if quits(word) {
		word = "q"
	}
	for _, c := range commands {
		switch {
		case word != c.short && word != c.long && word != c.long+"s", puzzle && c.match, c.most == 0 && len(rest) > 0:
			continue
		case c.most == 0:
			return c.do(n, nil)
		}
		if at, ok := numbers(rest, []int{r.Columns, r.Rows}[2-c.most:]); ok && len(at) >= c.least {
			return c.do(n, at)
		}
		n.say("Columns count from 1 to %d, and rows from 1 at the bottom to %d: c 4 is a column, r 2 a row, c 4 2 a cell, d 4 2 its diagonals.", r.Columns, r.Rows)
		return nil
	}
	if word == "h" || word == "help" {
		n.help()
		return nil
	}
	number, err := strconv.ParseUint(word, 10, 8)
	col := int(number) - 1
	switch {
	case err != nil || len(rest) > 0:
		n.say("%s is not a column: %s.", quote(strings.TrimSpace(text)), want)
	case col < 0 || col >= r.Columns:
		n.refuse(game.Notice{Kind: game.NoticeNoColumn, Column: col})
	default:
		return game.Disc{Col: col, Number: n.Last.Discs() + 1} // it never falls twice
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

func quits(word string) bool { return word == "q" || word == "quit" || word == "exit" }

func isHint(word string) bool { return word == "?" || strings.EqualFold(word, "hint") }

func (n *narrator) refuse(notice game.Notice) {
	switch notice.Kind {
	case game.NoticeNone:
	case game.NoticeFull, game.NoticeNoColumn:
		n.say("%s: choose another from 1 to %d.", words.Sentence(words.Notice(notice)), n.Last.Match.Rules().Columns)
	case game.NoticeWrong:
		n.say("%s: choose another.", words.Sentence(words.Notice(notice)))
	default:
		n.sentence(words.Notice(notice))
	}
}

// nextQuestion asks which match to play after this one.
func nextQuestion(why string) string {
	return "Another match? Enter plays the same again, 2 is for two players, c medium against the computer at level medium, 8x8 on that board, q quits; then " + words.Decided(why) + ":"
}

// nextCommand executes the answer to nextQuestion.
func (n *narrator) nextCommand(text string) game.Event {
	setup := n.Last.Setup()
	words := strings.Fields(strings.ToLower(text))
	switch {
	case len(words) == 0:
	case quits(words[0]):
		return game.Quit{}
	case words[0] == "2":
		setup.Computer = board.Empty
	case words[0] == "c" && len(words) == 2:
		level, err := levels.Parse(words[1])
		if err != nil {
			n.sentence(err.Error())
			return nil
		}
		setup.Level = level
		if setup.Computer == board.Empty {
			setup.Computer = board.Yellow
		}
	default:
		columns, rows, err := board.ParseSize(words[0])
		rules := board.Rules{Columns: columns, Rows: rows, Connect: setup.Rules.Connect}
		if err != nil || !rules.Winnable() {
			n.say("%s is no match to play.", quote(strings.TrimSpace(text)))
			return nil
		}
		setup.Rules = rules
	}
	return game.Start{Setup: setup}
}

// quote quotes a user's input, shortened and safe to print.
func quote(text string) string {
	const most = 20
	if len(text) > most {
		return strconv.QuoteToASCII(text[:most]) + " and so on"
	}
	return strconv.QuoteToASCII(text)
}
