package analysis

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// Report is the analysis of a whole game.
type Report struct {
	Game  board.Game
	Discs []Disc // in the order of the game, without the opening
	Fault string // why the loser could not play on; empty if the game was played to its end
}

// Report analyses a game, as [Analyst.Discs] does. Unless done is nil, Report passes each disc to
// done as soon as the disc has been analysed.
func (a *Analyst) Report(ctx context.Context, g board.Game, from int, done func(Disc)) (Report, error) {
	r := Report{Game: g}
	for d, err := range a.Discs(ctx, g, from) {
		if err != nil {
			return Report{}, err
		}
		if done != nil {
			done(d)
		}
		r.Discs = append(r.Discs, d)
	}
	slices.Reverse(r.Discs)
	return r, nil
}

// Tally counts a player's discs.
type Tally struct {
	Discs int `json:"discs"` // without those that are unknown
	Kept  int `json:"kept"`  // those that kept the position's score
}

// Tally counts the discs of a player.
func (r Report) Tally(player board.Disc) (t Tally) {
	for _, d := range r.Discs {
		if d.Player != player || !d.Known {
			continue
		}
		t.Discs++
		if d.Kept() {
			t.Kept++
		}
	}
	return t
}

// Table writes a line for each disc.
func (r Report) Table(out io.Writer) error {
	w := bufio.NewWriter(out)
	if len(r.Discs) > 0 {
		fmt.Fprintf(w, "  disc  player  column  %-17s %-17s best\n", "before", "after")
	}
	for _, d := range r.Discs {
		mark, worth := ' ', "unknown"
		if d.Marked() {
			mark = '*'
		}
		if d.Known {
			worth = fmt.Sprintf("%-17s %-17s %s", words.Briefly(d.before, int(d.Before)), words.Briefly(d.before, int(d.After)),
				strings.Trim(fmt.Sprint(fromOne(d.Best())), "[]"))
		}
		fmt.Fprintf(w, "%c %4d  %-6s  %6d  %s\n", mark, d.Ply+1, d.before.Rules().Name(d.Player), d.Column+1, worth)
	}
	return w.Flush()
}

// Summary says how the game ended, what there is to say about its discs, and how many of each player's discs
// kept the score.
func (r Report) Summary() []string {
	position := r.Game.Position()
	outcome := position.Outcome()
	result := words.Finished(position)
	if r.Fault != "" {
		result = words.ByFault(r.Fault)
	}
	if len(r.Discs) == 0 {
		if outcome == board.Playing && r.Fault == "" {
			result = "the game has no discs to judge"
		}
		return []string{result}
	}
	last := r.Discs[len(r.Discs)-1]
	if outcome == board.Playing && last.Known {
		result += "; " + words.Ends(position, -int(last.After), "can")
	}
	texts := []string{result}
	if n := unknown(r.Discs); n > 0 {
		texts = append(texts, words.UnknownUpTo(r.Discs[n-1].Ply))
	}
	if r.Discs[0].Known && !slices.ContainsFunc(r.Discs, func(d Disc) bool { return d.Changed() }) {
		texts = append(texts, words.Unchanged(position))
	}
	texts = append(texts, r.remarks()...)
	if red, yellow := r.Tally(board.Red), r.Tally(board.Yellow); red.Discs+yellow.Discs > 0 {
		texts = append(texts, words.KeptTimes(position.Rules(), [2]int{red.Kept, yellow.Kept}, [2]int{red.Discs, yellow.Discs}))
	}
	return texts
}

// remarks says what there is to say about the discs. A line that was there for several discs is told of once,
// a chance that the next disc missed goes with the disc that gave it, and what only a perfect player sees comes
// last, unless it decided the game.
func (r Report) remarks() (texts []string) {
	var unseen []int
	told := -1 // the disc that the last text is about, unless it is about more
	for i, d := range r.Discs {
		same := func(o Disc) bool {
			return o.Player == d.Player && o.Remark == d.Remark && o.Cells == d.Cells && d.Cells != 0 && !o.Changed() && !d.Changed()
		}
		switch {
		case !d.Marked() || slices.ContainsFunc(r.Discs[:i], same):
		case !d.Seen() && !d.Decided:
			unseen = append(unseen, d.Ply)
		case told >= 0 && told == i-1 && !slices.ContainsFunc(r.Discs[i+1:], same) && d.misses(r.Discs[told]):
			texts[len(texts)-1] = words.Missed(texts[len(texts)-1], d.before.Rules().Name(d.Player))
		default:
			plies := []int{d.Ply}
			for _, o := range r.Discs[i+1:] {
				if same(o) {
					plies = append(plies, o.Ply)
				}
			}
			subject := words.Discs(plies)
			if told = -1; len(plies) == 1 {
				told, subject = i, words.DiscIn(d.Ply, d.Column)
			}
			texts = append(texts, words.Remark(d.before, d.Verdict, subject))
		}
	}
	if unseen != nil {
		texts = append(texts, words.Unseen(unseen))
	}
	return texts
}

// misses reports whether all there is to say about a disc is that it missed the chance that the disc before it
// gave.
func (d Disc) misses(given Disc) bool {
	switch {
	case d.Decided || given.Decided || given.Remark == game.MissedFour:
		return false
	case d.Remark == game.MissedFour:
		return d.Cells&^given.Cells == 0
	}
	why := given.Why
	return given.Remark == "" && given.After < 0 && why.Kind.Seen() && why.Cells == d.Better.Cells && !(d.After < 0 && d.Why.Kind.Seen())
}

// unknown returns the number of unknown discs, which are the first.
func unknown(discs []Disc) (n int) {
	for n < len(discs) && !discs[n].Known {
		n++
	}
	return n
}

// MarshalJSON writes the report as an object, in which columns and plies are numbered from 1.
func (r Report) MarshalJSON() ([]byte, error) {
	type disc struct {
		Ply    int    `json:"ply"`
		Player string `json:"player"`
		Column int    `json:"column"`
		Before *int8  `json:"before"` // null if it is unknown
		After  *int8  `json:"after"`
		Best   []int  `json:"best"`
		Mark   string `json:"mark"`

		Remark  game.Remark `json:"remark,omitempty"`
		Cells   game.Cells  `json:"cells,omitempty"`
		Decided bool        `json:"decided,omitempty"`
		Text    string      `json:"text,omitempty"`
		Why     game.Why    `json:"why,omitzero"`
		Better  game.Why    `json:"better,omitzero"`
	}
	object := struct {
		Moves   string   `json:"moves"`
		Outcome string   `json:"outcome"`
		Discs   []disc   `json:"discs"`
		Red     Tally    `json:"red"`
		Yellow  Tally    `json:"yellow"`
		Text    []string `json:"text"`
	}{
		Moves: r.Game.String(), Outcome: r.Game.Position().Outcome().String(), Discs: []disc{},
		Red: r.Tally(board.Red), Yellow: r.Tally(board.Yellow), Text: r.Summary(),
	}
	for _, d := range r.Discs {
		one := disc{
			Ply: d.Ply + 1, Player: d.Player.String(), Column: d.Column + 1, Best: []int{}, Mark: d.Mark(),
			Remark: d.Remark, Cells: d.Cells, Decided: d.Decided, Text: d.Story(), Why: d.Why, Better: d.Better,
		}
		if d.Known {
			one.Before, one.After, one.Best = &d.Before, &d.After, fromOne(d.Best())
		}
		object.Discs = append(object.Discs, one)
	}
	return json.Marshal(object)
}

// fromOne turns column numbers that count from 0 into numbers that count from 1.
func fromOne(columns []int) []int {
	for i := range columns {
		columns[i]++
	}
	return columns
}
