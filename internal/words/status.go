package words

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Title says in a few words what a view shows: whose turn it is, a disc that falls, how a round
// ended, or which entry of the menu is chosen.
func Title(v *game.View) string {
	position := v.Game.Position()
	switch v.Phase {
	case game.Looking: // a small window has no room for the round and a variation
		disc := fmt.Sprintf("disc %d of %d", position.Ply(), v.Look.Discs)
		switch {
		case v.Look.Variation == game.Refutation:
			return aside("what follows", v)
		case v.Look.Variation == game.Improvement:
			return aside("better than", v)
		case v.Look.Rounds > 1:
			return fmt.Sprintf("round %d of %d, %s", v.Look.Round, v.Look.Rounds, disc)
		}
		return disc
	case game.Dark:
		if v.UnderWay {
			return "a match waits: " + darkLEDs
		}
	case game.Aim:
		switch seat := v.Seats[position.Turn()-board.Red]; {
		case v.Solving.On:
			return Puzzle(position, v.Solving.Discs)
		case v.Failed != "":
			return fmt.Sprintf("%[1]s's program failed: you play %[1]s", Turn(v.Game))
		case seat.State == game.Taken && seat.Holder != "":
			return Turn(v.Game) + ", " + seat.Holder + ", thinks"
		case seat.State != game.Open:
			return Seat(v.Match.Rules(), position.Turn(), seat)
		}
		return Turn(v.Game) + toMove
	case game.Thinking:
		return Turn(v.Game) + ", the computer, thinks"
	case game.Fall:
		return Move(v.Game, v.Computer)
	case game.Cheer, game.Score, game.Drawn:
		return ended(v, position.Outcome())
	case game.Victory, game.Clear:
		return cmp.Or(Person(v.Match, v.Computer, v.Seats), Match(v.Match), ended(v, position.Outcome()))
	case game.Menu, game.Paused:
		return v.Choices.Page + ": " + v.Choices.Name()
	case game.Reading:
		return Read(v)
	case game.Hinting:
		return worthTo(v, Turn(v.Game))
	case game.Over:
		return "the game has ended"
	}
	return beside(v)
}

const (
	toMove   = " to move"
	darkLEDs = "the LEDs are dark"
)

// beside says what happens while no match is played. It is empty in a match.
func beside(v *game.View) string {
	switch v.Phase {
	case game.Attract:
		switch s := v.Standing; {
		case s != nil && s.Red == "" && s.Played < s.Games:
			return fmt.Sprintf("the scores after %d of %d games", s.Played, s.Games)
		case s != nil && s.Red == "":
			return fmt.Sprintf("the tournament is over after %d of %d games", s.Played, s.Games)
		case s != nil:
			return fmt.Sprintf("game %d of %d: %s against %s", s.Played, s.Games, s.Red, s.Yellow)
		}
		return "nobody plays: a demo runs"
	case game.Making:
		return "a puzzle is being made"
	case game.Admitting:
		return "a browser asks to be admitted"
	case game.Dark:
		return "nobody plays: " + darkLEDs
	}
	return ""
}

// YourTitle is [Title] for the people who play here: it speaks to somebody who plays against the
// computer, and at the end of a match names its winner.
func YourTitle(v *game.View) string {
	winner := v.Game.Position().Outcome().Winner()
	switch ended := v.Phase == game.Cheer || v.Phase == game.Score; {
	case v.Solving.On:
	case ended && v.Match.Winner() != board.Empty:
		return cmp.Or(Person(v.Match, v.Computer, v.Seats), Match(v.Match))
	case !v.Alone():
	case v.Phase == game.Aim && !v.TakenTurn() && v.Failed == "":
		return YourTurn
	case v.Phase == game.Hinting:
		return worthTo(v, you)
	case v.Phase == game.Thinking:
		return "the computer thinks"
	case ended && winner != board.Empty:
		return yourRound(v.Match, winner == v.Computer)
	}
	return Title(v)
}

const you = "you" // against the computer

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

// aside says how much of a variation is shown: "what follows disc 6: 4 discs", then "... 1 of 4".
func aside(what string, v *game.View) string {
	line := len(v.Look.Why().Line)
	shown := count(line, "disc")
	if v.Look.Step > 0 {
		shown = fmt.Sprintf("%d of %d", v.Look.Step, line)
	} else if v.Look.Long() { // only the last disc will be named
		shown = fmt.Sprintf("%s, then %s", Columns([]int{v.Look.Why().Column()}), more(line-1))
	}
	return fmt.Sprintf("%s disc %d: %s", what, v.Game.Position().Ply(), shown)
}

const YourTurn = "your turn"

// NoDisc is said in place of the last disc.
const NoDisc = "no disc in this round yet"

// Paused says that the match or the puzzle waits.
func Paused(v *game.View) string {
	if v.Solving.On {
		return "the puzzle is paused"
	}
	return "the match is paused"
}

// yourLine says to somebody who plays against the computer where the winner's line is.
func yourLine(p board.Position, computer board.Disc) string {
	if p.Outcome().Winner() == computer {
		return "the computer's line: " + Lines(p)
	}
	return "your line: " + Lines(p)
}

// yourRound says to somebody who plays against the computer how a round ended, with the points after it.
func yourRound(m board.Match, lost bool) string {
	if lost {
		return "the computer wins the round (" + Points(m) + ")"
	}
	return "you win the round (" + Points(m) + ")"
}

// Who says who plays, and whose turn it is.
func Who(v *game.View) string {
	players := Opponents(v)
	if players == "" && v.Seats == [2]game.Seat{} && !v.Solving.On {
		players = "two people play"
	}
	return parts(players, YourTitle(v))
}

// Opponents is [Computer] for the people who play here: it says to somebody who plays against the
// computer which player they are.
func Opponents(v *game.View) string {
	switch {
	case v.Solving.On:
		return ""
	case v.Alone():
		return "you are " + v.Match.Rules().Name(v.Computer.Other()) + "; " + Computer(v.Record)
	}
	return Computer(v.Record)
}

// GoesOn says how a match stands that somebody resumes or begins to follow: the points, who plays, the
// discs of the round, and whose turn it is. If plays is set, it speaks to somebody who plays.
func GoesOn(v *game.View, plays bool) string {
	players, turn := Computer(v.Record), Title(v)
	if plays {
		players, turn = Opponents(v), YourTitle(v)
	}
	return "the match goes on: " + parts(Points(v.Match), players, onBoard(v.Game), turn)
}

// parts joins the parts of a sentence that are not empty.
func parts(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// Now says how a match stands: the points, the discs of the round, and whose turn it is.
func Now(v *game.View) string {
	points := Points(v.Match)
	if v.Solving.On {
		points = ""
	}
	return parts(points, discsOnBoard(v.Game.Position().Ply()), YourTitle(v))
}

// Heads is the line over a list: why an entry was refused, the match that an entry resumes, or the
// list's name.
func Heads(v *game.View) string {
	text := v.Choices.Page
	switch {
	case v.Phase == game.Paused:
		text = Paused(v)
	case v.Phase == game.Menu && v.Choices.Name() == game.EntryResume:
		text = Points(v.Match) + "; no disc yet"
		if col, _, ok := v.Game.Last(); ok {
			text = fmt.Sprintf("%s; last disc in column %d", Points(v.Match), col+1)
		}
	}
	return cmp.Or(Refusal(v), text)
}

// Event says what happened last: where a disc fell, how a round or a match ended, what a hint says.
// It is empty before the first disc and outside a match.
func Event(v *game.View) string {
	switch outcome := v.Game.Position().Outcome(); {
	case v.Phase == game.Looking:
		return looked(v, Move(v.Board(), v.Computer))
	case v.Phase == game.Hinting:
		return Hint(v, Turn(v.Game))
	case v.Phase == game.Victory, v.Phase == game.Clear:
		return Title(v)
	case !v.Phase.InMatch() || v.Phase == game.Making:
		return ""
	case outcome != board.Playing && v.Phase != game.Fall:
		return ended(v, outcome)
	}
	return Move(v.Game, v.Computer)
}

// ended says how the round on the screen ended. It is empty while the round is played.
func ended(v *game.View, outcome board.Outcome) string {
	switch {
	case outcome == board.Playing:
		return ""
	case !v.Solving.On:
		return Round(v.Match, outcome)
	case v.Solving.InARow > 1:
		return fmt.Sprintf("solved: %d in a row", v.Solving.InARow)
	}
	return "solved"
}

// You says to the player to move that it is their turn, and to the other player whom they wait for.
// Both are empty unless a person is to move.
func You(v *game.View) (you, wait string) {
	if v.Phase != game.Aim || v.Solving.On {
		return "", ""
	}
	return YourTurn, "waiting for " + Turn(v.Game)
}

// Begins says what a match is about: its rules and who the computer is, or the puzzle to solve.
func Begins(v *game.View) string {
	if v.Solving.On {
		return Puzzle(v.Game.Position(), v.Solving.Discs)
	}
	text := Rules(v.Match)
	if computer := Computer(v.Record); computer != "" {
		text += "; " + computer
	}
	return text
}

// Happened says why a key was refused or a program failed; otherwise it says how the round ended,
// what its first disc does to a match that waits, or where the last disc is.
func Happened(v *game.View) string {
	ended := ""
	if v.Counted { // nothing of a round stays in the next
		ended = Ended(v.Record)
	}
	replaces := ""
	if v.Replaces() {
		replaces = ReplacesSaved
	}
	return cmp.Or(Refusal(v), v.Failed, ended, replaces, Move(v.Game, v.Computer))
}

// Status describes in a sentence what a game is doing.
func Status(v *game.View) string {
	what := Record(v.Record)
	for i, seat := range v.Seats {
		if text := Seat(v.Match.Rules(), board.Red+board.Disc(i), seat); text != "" {
			what += "; " + text
		}
	}
	switch {
	case v.Phase == game.Looking:
		return "somebody is looking back at the last match"
	case v.Solving.On && v.Phase != game.Making:
		return "somebody is solving puzzles"
	case v.Phase == game.Menu:
		return "in the menu: " + v.Choices.Name()
	case v.UnderWay && v.Phase == game.Dark:
		return what + ", " + darkLEDs
	case v.Phase == game.Hinting:
		return what + "; " + Best(v)
	case v.Phase == game.Paused:
		return what + ", in the pause screen"
	case v.Phase == game.Reading:
		return what + ", being read"
	}
	return cmp.Or(beside(v), what)
}

// Players says who plays a match, on which board.
func Players(r game.Record) string {
	rules := r.Match.Rules()
	if r.Computer == board.Empty && r.Programs == [2]string{} {
		return fmt.Sprintf("%v, two players", rules)
	}
	text := rules.String()
	for i, program := range r.Programs {
		switch player := board.Red + board.Disc(i); {
		case program != "":
			text += fmt.Sprintf(", %s is %s", rules.Name(player), program)
		case player == r.Computer:
			text += fmt.Sprintf(", %s is the computer at level %v", rules.Name(player), r.Level)
		}
	}
	return text
}

func Terms(r game.Record) string { return Players(r) + ": " + Points(r.Match) }

// Result says how a finished match ended.
func Result(r game.Record) string {
	m := r.Count().Match
	text := Match(m)
	if text == "" {
		return GivenUp(m)
	}
	if person := Person(m, r.Computer, [2]game.Seat{}); person != "" && r.Programs == [2]string{} {
		return fmt.Sprintf("%s (%s)", text, person)
	}
	return text
}

func GivenUp(m board.Match) string { return "given up (" + Points(m) + ")" }

func Record(r game.Record) string {
	rules, text := r.Match.Rules(), Terms(r)
	position := r.Game.Position()
	switch moves := r.Game.String(); {
	case r.Match.Winner() != board.Empty:
		return text + "; " + Match(r.Match)
	case moves == "":
		return text + fmt.Sprintf("; %s begins a round", rules.Name(position.Turn()))
	case position.Outcome() != board.Playing:
		return text + "; the round is over"
	default:
		return text + "; " + discsOnBoard(len(moves)) + "; " + Turn(r.Game) + toMove
	}
}

var notices = map[game.NoticeKind]string{
	game.NoticeFull:      "column %d is full",
	game.NoticeNoColumn:  "there is no column %d",
	game.NoticeNoUndo:    "nothing to take back in this round yet",
	game.NoticeNoHint:    "no hint can be given here",
	game.NoticeClosed:    "the hint is closed: the next press drops the disc",
	game.NoticeNotDue:    "column %d must wait for its turn",
	game.NoticeThinking:  "no hint while the computer thinks",
	game.NoticeWrong:     "column %d does not win",
	game.NoticeNoMatch:   "no match to look back at yet",
	game.NoticeTaken:     "it is somebody else's turn",
	game.NoticeTakenDisc: "the disc is somebody else's",
	game.NoticeFinal:     "no disc can be taken back in this match",
	game.NoticeGivesUp:   "this replaces your match: press again",
	game.NoticeFirst:     "nothing comes before this",
	game.NoticeLast:      "nothing comes after this",
}

// Notice says why a key was refused. It is empty for [game.NoticeNone] and for unknown kinds.
func Notice(n game.Notice) string {
	return strings.ReplaceAll(notices[n.Kind], "%d", strconv.Itoa(n.Column+1))
}

// Refusal returns the view's notice in words. If a program holds the seat, the words say "program"
// instead of "somebody else".
func Refusal(v *game.View) string {
	turn := v.Game.Position().Turn()
	taken := turn.Other() // the player whose disc Undo would take back
	if v.Computer != board.Empty {
		taken = v.Computer.Other()
	}
	switch {
	case v.Notice.Kind == game.NoticeTaken && v.Seats[turn-board.Red].Holder != "":
		return "it is the program's turn"
	case v.Notice.Kind == game.NoticeTakenDisc && v.Seats[taken-board.Red].Holder != "":
		return "the disc is the program's"
	}
	return Notice(v.Notice)
}
