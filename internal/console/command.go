package console

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/words"
)

// The help describes the commands.
const (
	help = `A number drops a disc into that column. The other commands:
u     or undo: take back the last disc
?     or hint: what each column is worth
` + boardHelp + `
s     or status: how the match stands; score: only the points
l     or last: the last disc
w     or who: who plays, and whose turn it is
q     or quit; a match with discs is kept`

	puzzleHelp = `A number drops a disc into that column. The other commands:
?     or hint: the column that wins
` + boardHelp + `
q     or quit`

	boardHelp = `b     or board: the board, top row first
c     or column: the discs in each column; c 4 those in column 4, c 4 2 only its second row from the bottom
r 1   or row 1: the bottom row, r 2 the one above
d 4 2 or diagonal 4 2: the two diagonals through column 4, row 2`
)

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
	position, puzzle := n.Last.Game.Position(), n.Last.Solving.On
	columns := position.Rules().Columns
	want, all := fmt.Sprintf("type 1 to %d, or u undo, ? hint, b board, q quit; help lists all commands", columns), help
	if puzzle {
		want, all = strings.Replace(want, "u undo, ", "", 1), puzzleHelp
	}
	args := strings.Fields(strings.ToLower(text))
	if len(args) == 0 {
		n.say("That line is empty: %s.", want)
		return nil
	}
	switch word := args[0]; {
	case n.describes(position, args), n.tells(args):
		return nil
	case len(args) > 1:
	case quits(word):
		return game.Quit{}
	case isHint(word):
		return game.Hint
	case word == "h" || word == "help":
		n.say("%s", all)
		return nil
	case !puzzle && (word == "u" || word == "undo"):
		return game.Undo
	default:
		number, err := strconv.ParseUint(word, 10, 8)
		col := int(number) - 1
		switch {
		case err != nil:
		case col < 0 || col >= columns:
			n.refuse(game.Notice{Kind: game.NoticeNoColumn, Column: col})
			return nil
		default:
			return game.Disc{Col: col, Number: n.Last.Discs() + 1} // it never falls twice
		}
	}
	n.say("%s is not a column: %s.", quote(strings.TrimSpace(text)), want)
	return nil
}

// tells answers a question about the match. It reports whether args are such a question.
func (n *narrator) tells(args []string) bool {
	v := n.Last
	if v.Phase == game.Hinting { // whoever asks has heard it
		v.Phase = game.Aim
	}
	switch strings.Join(args, " ") {
	case "s", "status":
		n.sentence(words.Now(&v))
	case "score":
		n.sentence(words.Points(v.Match) + ", " + words.Target(v.Match))
	case "l", "last":
		n.sentence(cmp.Or(words.Move(v.Game, v.Computer), words.NoDisc))
	case "w", "who":
		n.sentence(words.Who(&v))
	default:
		return false
	}
	return true
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
		v := n.Last
		v.Notice = notice
		n.sentence(words.Refusal(&v))
	}
}

// describes executes a command that asks what is on the board. It reports whether words are such a
// command.
func (w *writer) describes(p board.Position, words []string) bool {
	first := words[0]
	switch {
	case slices.Contains([]string{"column", "row", "diagonal", "diagonals"}, first):
		words = append([]string{first[:1]}, words[1:]...)
	case len(first) > 1 && strings.IndexByte("crd", first[0]) >= 0 && first[1] >= '0' && first[1] <= '9':
		words = append([]string{first[:1], first[1:]}, words[1:]...) // read c4 as c 4
	}
	switch {
	case words[0] == "c", words[0] == "r", words[0] == "d":
		w.cells(p, words)
	case len(words) == 1 && (first == "b" || first == "board"):
		w.board(p)
	default:
		return false
	}
	return true
}

// cells says what is in a column, in a cell or in all columns, in a row, or in diagonals.
func (w *writer) cells(p board.Position, args []string) {
	r := p.Rules()
	most := []int{r.Columns, r.Rows}
	if args[0] == "r" {
		most = []int{r.Rows}
	}
	var at [2]int
	form := args[0]
	for i, word := range args[1:] {
		number, err := strconv.ParseUint(word, 10, 8)
		if err != nil || i >= len(most) || number < 1 || int(number) > most[i] {
			form = ""
			break
		}
		form += " #"
		at[i] = int(number) - 1
	}
	switch form {
	case "c":
		w.lines(words.OnBoard(p))
	case "c #":
		w.say("%s", words.Column(p, at[0]))
	case "c # #":
		w.say("%s", words.InCell(p, at[0], at[1]))
	case "r #":
		w.say("%s", words.Row(p, at[0]))
	case "d # #":
		w.lines(words.Diagonals(p, at[0], at[1]))
	default:
		w.say("Columns count from 1 to %d, and rows from 1 at the bottom to %d: c 4 is a column, r 2 a row, c 4 2 a cell, d 4 2 its diagonals.", r.Columns, r.Rows)
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
