package api

import (
	"encoding/json"
	"errors"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// You tells a page what it may do. It is the first event in a stream from the page's server.
type You struct {
	Press  bool     `json:"press"`
	Pair   bool     `json:"pair"`  // whether it may ask to be paired
	Alone  bool     `json:"alone"` // whether there is no HAT, so that only browsers move the cursor
	Host   string   `json:"host"`  // the name of the machine
	Levels []string `json:"levels"`
}

// Past is a finished match for the page. The page does not know the rules, so Past says who started
// and who won each round.
type Past struct {
	Match  json.RawMessage `json:"match"` // as in the history
	Rounds []Round         `json:"rounds"`
}

// Round is a round of a finished match, for the page.
type Round struct {
	Moves  string `json:"moves"`
	Starts string `json:"starts"`           // a player
	Winner string `json:"winner,omitempty"` // a player or "draw"; empty if the round was ended early
}

// Rounds returns the rounds of a match. A round without a disc is left out.
func Rounds(r game.Record) []Round {
	rounds := []Round{}
	for _, g := range r.Games() {
		position, rules := g.Position(), r.Match.Rules()
		round := Round{Moves: g.String(), Starts: rules.Name(g.Starter())}
		switch outcome := position.Outcome(); {
		case outcome == board.Draw:
			round.Winner = "draw"
		case outcome != board.Playing:
			round.Winner = rules.Name(outcome.Winner())
		case round.Moves == "":
			continue // a round before its first disc
		}
		rounds = append(rounds, round)
	}
	return rounds
}

// ReadAnalyse reads the body of a request for an analysis of a game on the standard board: the
// moves and who starts. from is the number of plies at the start of the game that are not analysed:
// those of its opening.
func ReadAnalyse(body []byte) (g board.Game, from int, err error) {
	played, starts, starter := "", "red", board.Empty
	_, err = fields{
		"moves": moves(&played), "starts": text(&starts, "red or yellow"), "from": number(&from, 0, board.MaxSide*board.MaxSide),
	}.read(body)
	if err == nil {
		starter, err = SeatOf(board.Standard, "starts", starts)
	}
	if err == nil {
		g, err = board.ParseGame(board.Standard, starter, played)
	}
	if position := g.Position(); err == nil && from > position.Ply() {
		err = errors.New("from: the game has fewer plies")
	}
	return g, from, err
}
