package analysis

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
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
		Sooner bool   `json:"sooner,omitempty"`
		Text   string `json:"text,omitempty"` // this and the following fields: of a disc that is marked or sooner

		Why    game.Why `json:"why,omitzero"`
		Better game.Why `json:"better,omitzero"`
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
		one := disc{Ply: d.Ply + 1, Player: d.Player.String(), Column: d.Column + 1, Best: []int{}, Mark: d.Mark()}
		if d.Known {
			one.Before, one.After, one.Best = &d.Before, &d.After, fromOne(d.Best())
		}
		one.Sooner, one.Text, one.Why, one.Better = d.Sooner, d.Story(), d.Why, d.Better
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
