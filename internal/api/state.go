// Package api encodes and decodes the game's JSON: states, presses and requests for a match,
// as doc/socket.md describes them. It does not know how they are transported.
package api

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/quote"
	"github.com/c4hat/c4hat/internal/words"
)

// State is a [game.View] as it is sent over the socket. Columns are numbered from 1, and players
// have the names that they have on the match's board. Fields that could be computed from the moves
// are for clients that do not know the rules; [State.View] ignores them.
type State struct {
	Phase    string            `json:"phase"`
	UnderWay bool              `json:"under_way"`         // there is a match that nobody has won yet, perhaps with the screen off
	Match    *game.Record      `json:"match"`             // nil before the first match
	Counted  bool              `json:"counted,omitempty"` // the round on the screen is over and its point is counted
	Turn     string            `json:"turn,omitempty"`
	Cursor   int               `json:"cursor"`        // has a meaning only while a player chooses a column, or somebody reads the board
	Row      int               `json:"row,omitempty"` // of the cell that is being read; 0: the whole column
	Points   map[string]int    `json:"points,omitempty"`
	Outcome  string            `json:"outcome,omitempty"` // of the round: a player or "draw"
	Winner   string            `json:"winner,omitempty"`  // of the match
	Starts   string            `json:"starts,omitempty"`  // who started the round on the screen
	Page     string            `json:"page,omitempty"`    // of the menu, or "pause"
	Items    []string          `json:"items,omitempty"`   // the choices on that page
	Item     string            `json:"item,omitempty"`    // the selected item
	Hint     *Hint             `json:"hint,omitempty"`
	Look     *game.Look        `json:"look,omitempty"`     // set while looking back at the match
	Puzzle   *game.Solving     `json:"puzzle,omitempty"`   // set if the match is a puzzle
	Standing *game.Standing    `json:"standing,omitempty"` // of a tournament, while the demo shows a game of it
	Notice   *Notice           `json:"notice,omitempty"`
	Admit    *Admission        `json:"admission,omitempty"` // the last browser that asked to be admitted
	Seats    map[string]string `json:"seats,omitempty"`     // of a match under way, by player: open, taken, computer
	Holders  map[string]string `json:"holders,omitempty"`   // the names of programs that hold seats, or held them in the last match
	Failed   string            `json:"failed,omitempty"`    // why a program has given up its seat, until the next disc
	Away     []string          `json:"away,omitempty"`      // players who cannot play at the moment although their seats are taken
	Unsaved  bool              `json:"unsaved,omitempty"`   // a power cut would lose discs that have landed, because they are not on the disk yet
	Frame    [8]string         `json:"frame"`               // rows from the top, RRGGBB words from the left
	LEDs     [8]string         `json:"leds"`                // the same rows, with a letter for the meaning of each LED
	Text     Text              `json:"text"`
	Waits    bool              `json:"waits,omitempty"` // the menu offers to resume a match
	Next     *MatchRequest     `json:"next,omitempty"`  // what a new match against the computer has unless somebody chooses otherwise
	Number   uint64            `json:"number"`          // each view has a higher one than the view before it, until the service restarts
}

// Text says in sentences what the other fields say, for clients that show or speak them.
type Text struct {
	Title string `json:"title"`           // what is shown: whose turn, an entry of the menu, …
	You   string `json:"you,omitempty"`   // the title for the player to move, in aim
	Wait  string `json:"wait,omitempty"`  // the title for the other player
	Event string `json:"event,omitempty"` // what happened last: a disc, the end of a round, a hint
	Back  string `json:"back,omitempty"`  // what to say if the last disc is taken back
	Match string `json:"match,omitempty"` // the match or the puzzle: its rules
}

func newText(v *game.View) Text {
	t := Text{Title: words.Title(v), Event: words.Event(v)}
	if v.Phase == game.Menu && v.Choices.Name() == game.EntryResume {
		t.Title = words.Waits(v)
	}
	t.You, t.Wait = words.You(v)
	if v.UnderWay || v.Solving.On {
		t.Match = words.Begins(v)
		if disc := words.Dropped(v.Game, v.Computer); disc != "" {
			t.Back = words.Back(disc)
		}
	}
	return t
}

// Hint is a [game.Advice].
type Hint struct {
	Exact  bool   `json:"exact"`
	Scores []*int `json:"scores"` // by column; nil for a full column

	Why game.Why `json:"why,omitzero"`
}

// Notice is a [game.Notice].
type Notice struct {
	Text   string          `json:"text"`
	Kind   game.NoticeKind `json:"kind"`
	Column int             `json:"column,omitempty"` // if the notice names one
	Again  int             `json:"again,omitempty"`
}

// Admission is a [game.Admission].
type Admission struct {
	ID     int    `json:"id"`
	Digit  int    `json:"digit"`
	Answer string `json:"answer"`
}

var answers = [...]string{game.Unanswered: "waiting", game.Admitted: "admitted", game.Rejected: "refused"}

// NewState returns the state that describes a view.
func NewState(v game.View) State {
	s := State{
		Number:   v.Number,
		Phase:    v.Phase.String(),
		UnderWay: v.UnderWay,
		Unsaved:  v.Unsaved,
		Cursor:   v.Cursor + 1,
		Page:     v.Choices.Page,
		Items:    v.Choices.All(),
		Item:     v.Choices.Name(),
		Frame:    writeColours(&v.Frame),
		LEDs:     writeLEDs(&v.Frame),
		Text:     newText(&v),
		Standing: v.Standing,
		Waits:    v.Parked,
	}
	if v.Next.Points > 0 {
		next := RequestFor(game.Start{Setup: v.Next})
		s.Next = &next
	}
	if v.Notice.Kind != game.NoticeNone {
		s.Notice = &Notice{Text: words.Notice(v.Notice), Kind: v.Notice.Kind, Again: v.Notice.Again}
		if v.Notice.NamesColumn() {
			s.Notice.Column = v.Notice.Column + 1
		}
	}
	if a := v.Admission; a.ID > 0 {
		s.Admit = &Admission{ID: a.ID, Digit: a.Digit, Answer: answers[a.Answer]}
	}
	if v.Phase == game.Reading {
		s.Row = v.Row
	}
	if v.Phase == game.Looking {
		s.Look = &v.Look
	}
	if v.Solving.On {
		s.Puzzle = &v.Solving
	}
	if v.ID == "" {
		return s
	}
	record := v.Record
	record.Opening = 0 // the opening is saved in files, but not sent
	s.Match, s.Counted = &record, v.Counted
	position, rules := v.Game.Position(), v.Match.Rules()
	s.Starts = rules.Name(v.Game.Starter())
	switch outcome := position.Outcome(); outcome {
	case board.Playing:
		s.Turn = rules.Name(position.Turn())
	case board.Draw:
		s.Outcome = "draw"
	default:
		s.Outcome = rules.Name(outcome.Winner())
	}
	s.Points = map[string]int{
		rules.Name(board.Red):    v.Match.Points(board.Red),
		rules.Name(board.Yellow): v.Match.Points(board.Yellow),
	}
	s.writeSeats(&v)
	s.Failed = v.Failed
	if winner := v.Match.Winner(); winner != board.Empty {
		s.Winner = rules.Name(winner)
	}
	if v.Phase == game.Hinting {
		s.Hint = &Hint{Exact: v.Advice.Exact, Why: v.Advice.Why, Scores: make([]*int, rules.Columns)}
		for col := range position.LegalMoves() {
			s.Hint.Scores[col] = &v.Advice.Score[col]
		}
	}
	return s
}

// View returns the view from which the state was made, except that a hint has no scores for full
// columns. If a field has a value that no service sends, the error names the field.
func (s State) View() (game.View, error) {
	v := game.View{Number: s.Number, UnderWay: s.UnderWay, Unsaved: s.Unsaved, Parked: s.Waits, Cursor: s.Cursor - 1, Row: s.Row}
	var err error
	if v.Phase, err = readPhase(s.Phase); err != nil {
		return v, err
	}
	if v.Frame, err = readLEDs(s.LEDs); err != nil {
		return v, err
	}
	columns := board.MaxSide
	if s.Match != nil {
		v.Record = *s.Match
		if s.Counted {
			v.Record = v.Count()
		}
		if v.Counted != s.Counted {
			return v, errors.New("counted: the round is not over")
		}
		columns = v.Match.Rules().Columns
	} else if v.Phase.InMatch() {
		return v, fmt.Errorf("match: missing in phase %s", s.Phase)
	}
	if s.Cursor < 1 || s.Cursor > columns {
		return v, fmt.Errorf("cursor: %d is not from 1 to %d", s.Cursor, columns)
	}
	if s.Row < 0 || s.Row > board.MaxSide {
		return v, fmt.Errorf("row: %d is not 1 to %d", s.Row, board.MaxSide)
	}
	if v.Choices, err = s.choices(); err != nil {
		return v, err
	}
	if s.Next != nil {
		next, err := s.Next.Start(game.Setup{})
		if err != nil {
			return v, fmt.Errorf("next: %w", err)
		}
		v.Next = next.Setup
	}
	if v.Seats, err = s.seats(v.Record); err != nil {
		return v, err
	}
	if v.Failed = s.Failed; !printable(s.Failed) {
		return v, fmt.Errorf("failed: %q cannot be printed", s.Failed)
	}
	if v.Standing = s.Standing; v.Standing != nil {
		if err := checkStanding(v.Standing); err != nil {
			return v, err
		}
	}
	if h := s.Hint; h != nil {
		v.Advice.Exact, v.Advice.Why = h.Exact, h.Why
		if len(h.Scores) != columns {
			return v, fmt.Errorf("hint: %d scores for %d columns", len(h.Scores), columns)
		}
		for col, score := range h.Scores {
			if score != nil {
				v.Advice.Score[col] = *score
			}
		}
	}
	if n := s.Notice; n != nil {
		v.Notice = game.Notice{Kind: n.Kind, Column: max(n.Column-1, 0), Again: n.Again}
		if words.Notice(v.Notice) == "" {
			return v, fmt.Errorf("unknown notice %q", n.Kind)
		}
	}
	if v.Look, err = readLook(s.Look, v.Game); err != nil {
		return v, err
	}
	if s.Puzzle != nil {
		v.Solving = *s.Puzzle
		v.Solving.On = true
	}
	if a := s.Admit; a != nil {
		answer := slices.Index(answers[:], a.Answer)
		if answer < 0 || a.ID < 1 || a.Digit < 1 || a.Digit > 9 {
			return v, errors.New("admission: must have an id, a digit from 1 to 9 and an answer")
		}
		v.Admission = game.Admission{ID: a.ID, Digit: a.Digit, Answer: game.Answer(answer)}
	}
	return v, nil
}

func (s State) choices() (c game.Choices, err error) {
	if len(s.Items) > game.MaxChoices {
		return c, fmt.Errorf("items: %d are more than %d", len(s.Items), game.MaxChoices)
	}
	for _, text := range append(s.Items, s.Page) {
		if !printable(text) {
			return c, fmt.Errorf("%q cannot be printed", text)
		}
	}
	c.Page = s.Page
	copy(c.Names[:], s.Items)
	c.Chosen = slices.Index(c.Names[:], s.Item)
	if c.Chosen < 0 || slices.Contains(s.Items, "") {
		return c, fmt.Errorf("item: %q is none of %q", s.Item, s.Items)
	}
	return c, nil
}

// readLook returns the look back at a game. The variation that is shown must follow the rules.
func readLook(l *game.Look, g board.Game) (game.Look, error) {
	if l == nil {
		return game.Look{}, nil
	}
	line, err := l.Why().Line, error(nil)
	if l.Variation == game.Improvement {
		err = g.Undo()
	}
	for i := 0; i < len(line) && err == nil; i++ {
		err = g.Play(int(line[i]) - '1')
	}
	if err != nil || l.Step < 0 || l.Step > len(line) || (line == "") != (l.Variation == "") {
		return *l, fmt.Errorf("look: the variation %q has no %d discs that follow the rules", l.Variation, l.Step)
	}
	return *l, nil
}

// maxText is the length of the longest text in a document, in bytes.
const maxText = 100

// Short returns a text that a document can have: one printable line that is not too long.
func Short(s string) string {
	s = quote.Clean(s)
	for len(s) > maxText {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}

// printable reports whether a text can be shown on a terminal.
func printable(s string) bool {
	return len(s) <= maxText && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func readPhase(name string) (game.Phase, error) {
	for p := game.Attract; p <= game.Over; p++ {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("unknown phase %q", name)
}

// writeColours returns the colours of a frame in the classic palette.
func writeColours(f *game.Frame) (rows [8]string) {
	colours := light.New(light.Classic, light.Full).Frame(f)
	for y := range rows {
		row := make([]byte, 0, 8*7)
		for _, c := range colours[8*y : 8*y+8] {
			if len(row) > 0 {
				row = append(row, ' ')
			}
			row = hex.AppendEncode(row, []byte{c.R, c.G, c.B})
		}
		rows[y] = string(row)
	}
	return rows
}

func writeLEDs(f *game.Frame) (rows [8]string) {
	for y := range rows {
		var row [8]byte
		for x := range row {
			row[x] = f[8*y+x].Letter()
		}
		rows[y] = string(row[:])
	}
	return rows
}

func readLEDs(rows [8]string) (f game.Frame, err error) {
	for y, row := range rows {
		if len(row) != 8 {
			return f, fmt.Errorf("leds: row %d has not 8 letters", y+1)
		}
		for x := range row {
			led, ok := game.ParseLED(row[x])
			if !ok {
				return f, fmt.Errorf("leds: row %d: unknown letter %q", y+1, row[x])
			}
			f[8*y+x] = led
		}
	}
	return f, nil
}
